//! What the screen looks like: pictures with their styles at three sizes, and the rules that
//! every picture keeps.
#![cfg(feature = "tui")]

mod asking;
mod build;
mod bulk;
#[expect(dead_code, reason = "each test crate uses a part of it")]
#[path = "../support/desk.rs"]
mod desk;
mod everywhere;
mod finding;
mod overlays;
mod pictures;
mod profile;
mod prompts;
mod rules;
mod states;
mod tabs;
mod timeline;
mod told;
mod wild;
