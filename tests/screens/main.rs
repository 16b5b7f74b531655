//! What the screen looks like: pictures with their styles at three sizes, and the rules that
//! every picture keeps.
#![cfg(feature = "tui")]

mod build;
mod pictures;
mod rules;
mod tabs;
