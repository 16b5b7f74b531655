//! What the screen looks like: pictures with their styles at three sizes, and the rules that
//! every picture keeps.

mod asking;
pub(crate) mod build;
mod bulk;
mod contrast;
mod everywhere;
mod filter;
mod findings;
mod flow;
mod lives;
mod meaning;
mod overlays;
mod past;
mod pictures;
mod profile;
mod prompts;
mod rules;
mod states;
mod tabs;
mod timeline;
pub(crate) mod wild;
