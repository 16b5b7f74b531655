//! What `update` decides, told in facts: no terminal, no server, no waiting.

mod answered;
mod changes;
mod clicks;
mod departing;
mod examining;
mod filter;
mod heavy;
mod hints;
mod jumping;
mod link;
mod lives;
mod marking;
mod mouse;
mod moving;
mod nodes;
mod offering;
mod opened;
mod own_keys;
mod palette;
mod past;
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

use delayscope::clock::EpochMillis;
use delayscope::queue::{Frames, Known};

/// A sample of that moment in which there was nothing to be seen.
fn sample(at: EpochMillis) -> Frames {
    Frames {
        at,
        next_due: Vec::new(),
        newest: Vec::new(),
        far: Vec::new(),
        front: Vec::new(),
        tail: Vec::new(),
        depth: Known::None,
        twin: None,
        largest: 20,
        asked: 100,
        server_us: 40,
    }
}
