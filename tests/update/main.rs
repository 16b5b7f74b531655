//! What `update` decides, told in facts: no terminal, no server, no waiting.

#![expect(
    clippy::unwrap_used,
    reason = "a failure in the harness is a failed test"
)]

#[path = "../support/desk.rs"]
mod desk;

mod changes;
mod clicks;
mod departing;
mod examining;
mod finding;
mod heavy;
mod hints;
mod jumping;
mod link;
mod marking;
mod mouse;
mod moving;
mod offering;
mod opened;
mod own_keys;
mod palette;
mod prompts;
mod reading;
mod rows;
mod rules;
mod screens;
mod sessions;
mod standing;
mod tabs;
mod timeline;
mod working;
