//! What the picture shows where, as drawing recorded it: a click is looked up there.

use crate::tui::area::Area;
use crate::tui::entry::Face;

/// Something that answers to a click.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Target {
    /// The words in the header that say what is wrong.
    Sick,
    /// The name of a face in the title of an opened entry.
    Face(Face),
}

/// The places of a picture that answer to a click.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HitMap {
    places: Vec<(Area, Target)>,
}

impl HitMap {
    /// Notes that `target` was drawn there.
    pub fn record(&mut self, area: Area, target: Target) {
        self.places.push((area, target));
    }

    /// The target at the cell at column `x`, row `y`: the one that was drawn last.
    #[must_use]
    pub fn at(&self, x: u16, y: u16) -> Option<Target> {
        let mut places = self.places.iter().rev();
        places
            .find(|(area, _)| area.holds(x, y))
            .map(|(_, target)| *target)
    }
}
