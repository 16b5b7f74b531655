//! What is decided without a server and without a screen: frames, payloads and
//! logs, byte for byte. (More of it is tested beside the code, in `src`.)

mod frames;
mod logs;
mod payloads;
#[path = "../fixtures/rows.rs"]
mod rows;
#[expect(dead_code, reason = "each program uses a part of it")]
#[path = "../support/mod.rs"]
mod support;
