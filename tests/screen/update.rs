//! What `update` decides, told in facts: no terminal, no server, no waiting.

mod changes;
mod clicks;
mod departing;
mod examining;
mod filter;
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
