//! The places of the last picture that answer to the mouse, as drawing recorded them.

use crate::clock::EpochMillis;
use crate::queue::Zoom;
use crate::tui::area::Area;
use crate::tui::cursor::ScrollArea;
use crate::tui::cursor::scrollbar::Rail;
use crate::tui::dialog::Button;
use crate::tui::entry::Face;
use crate::tui::form::Part;
use crate::tui::keys::Key;
use crate::tui::model::Pane;
use crate::tui::queues::QueueSort;
use crate::tui::tabs::Tab;

/// Something that answers to the mouse.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Target {
    /// A hint of the last line: the key that it stands for.
    Key(Key),
    /// The short message.
    Toast,
    /// The line that is being typed.
    Typed,
    /// The box of the commands, but none of them.
    Palette,
    /// A command of the box, by its index.
    Choice(usize),
    /// A box over the screen, but nothing in it that answers.
    Box,
    /// The screen beside the box that lies over it.
    Beside,
    /// A button of a question.
    Button(Button),
    /// A part of a form.
    Part(Part),
    /// A scrollbar.
    Rail(ScrollArea, Rail),
    /// The words in the header that say what is wrong.
    Sick,
    /// The strip of a queue's past.
    Strip,
    /// The panel of the change under way.
    Panel,
    /// A pane, but nothing in it that answers.
    Pane(Pane),
    /// A queue of the table, by its row.
    Queue(usize),
    /// The head of a column of the queues, by the order that it asks for.
    Order(QueueSort),
    /// A zoom in the title of the timeline.
    Zoom(Zoom),
    /// The bar of the timeline that starts then.
    Bar(EpochMillis),
    /// A class of what is late, the longest ago first.
    Late(usize),
    /// A tab of the pane of the entries, or what leads there.
    Tab(Tab),
    /// The heads of the due times: they turn the order of what waits.
    Turn,
    /// A row of the tab in sight.
    Row(u64),
    /// A life of a message, by its row among those that are listed.
    Life(usize),
    /// An announcement of the pane of the traffic, the newest first.
    Announcement(u64),
    /// A finding of the pane, counted from the worst.
    Finding(usize),
    /// The name of a face in the title of an opened entry.
    Face(Face),
    /// A value of an opened entry's tree, by its line among those that are not folded away.
    Value(usize),
}

/// The room of the picture, as far as `update` needs to know it; of what was not drawn it is not
/// known.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Room {
    /// The last line that the help, or a change that is looked at, can be scrolled to.
    pub last_line: Option<usize>,
    /// Rows of the lives of messages.
    pub lives: Option<usize>,
    /// Rows of the message of a form, and columns of each.
    pub message: Option<(usize, usize)>,
    /// Rows of the table of queues.
    pub queues: Option<usize>,
    /// The number of bars that the timeline has room for.
    pub bars: Option<usize>,
    /// The timeline has room for the classes of what is late.
    pub late: bool,
}

/// The places of a picture that answer to the mouse, and the room that it has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HitMap {
    places: Vec<(Area, Target)>,
    /// The room that it has.
    pub room: Room,
}

impl HitMap {
    /// Notes that `target` was drawn there.
    pub fn record(&mut self, area: Area, target: Target) {
        self.places.push((area, target));
    }

    /// Notes that a box lies over all of `screen`: what was drawn before no longer answers.
    pub fn cover(&mut self, screen: Area) {
        self.places.clear();
        self.record(screen, Target::Beside);
    }

    /// All places, as they were drawn one over the other.
    pub fn places(&self) -> impl Iterator<Item = (Area, Target)> {
        self.places.iter().copied()
    }

    /// The target at the cell at column `x`, row `y`: the one that was drawn last.
    #[must_use]
    pub fn at(&self, x: u16, y: u16) -> Option<Target> {
        let mut places = self.places.iter().rev();
        places
            .find(|(area, _)| area.holds(x, y))
            .map(|(_, target)| *target)
    }

    /// True when `target` was drawn anywhere.
    #[must_use]
    pub fn shows(&self, target: Target) -> bool {
        self.places.iter().any(|(_, drawn)| *drawn == target)
    }

    /// The scrollbar of what is scrolled.
    #[must_use]
    pub fn rail(&self, scrolled: ScrollArea) -> Option<Rail> {
        self.places().find_map(|(_, target)| match target {
            Target::Rail(what, rail) if what == scrolled => Some(rail),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Area = Area::new(0, 0, 80, 24);

    #[test]
    fn what_was_drawn_last_answers() {
        let mut picture = HitMap::default();
        picture.record(SCREEN, Target::Pane(Pane::Queues));
        picture.record(Area::new(0, 3, 80, 1), Target::Queue(1));
        assert_eq!(picture.at(79, 3), Some(Target::Queue(1)));
        assert_eq!(picture.at(79, 4), Some(Target::Pane(Pane::Queues)));
        assert_eq!(picture.at(80, 4), None);
    }

    #[test]
    fn what_a_box_lies_over_no_longer_answers() {
        let mut picture = HitMap::default();
        picture.record(SCREEN, Target::Queue(1));
        picture.cover(SCREEN);
        picture.record(Area::new(20, 5, 40, 10), Target::Box);
        assert_eq!(picture.at(0, 0), Some(Target::Beside));
        assert_eq!(picture.at(20, 5), Some(Target::Box));
        assert!(!picture.shows(Target::Queue(1)));
    }
}
