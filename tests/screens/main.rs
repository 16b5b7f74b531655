//! What the screen looks like: pictures with their styles at three sizes, and the rules that
//! every picture keeps.
#![cfg(feature = "tui")]

mod build;
#[path = "../support/desk.rs"]
#[expect(dead_code, reason = "each test crate uses a part of it")]
mod desk;
mod pictures;
mod profile;
mod prompts;
mod rules;
mod timeline;
mod wild;
