//! The surroundings of the loop: something to draw on, something that starts effects, what comes
//! from outside, and how it all ends.

use std::io;

use crate::tui::effect::Effect;
use crate::tui::hitmap::HitMap;
use crate::tui::model::Model;
use crate::tui::msg::Msg;

/// Something that can be drawn on.
pub trait Surface {
    /// Columns and rows, as they are now.
    fn size(&self) -> io::Result<(u16, u16)>;
    /// Draws what differs from the last picture; what is where on the whole of it.
    fn draw(&mut self, model: &Model) -> io::Result<HitMap>;
    /// Gives a text to the terminal's clipboard; a terminal that has none ignores it.
    fn copy(&mut self, text: &str) -> io::Result<()>;
    /// Rings the bell, and gives a line to the terminal as a notification; one that knows none
    /// ignores it.
    fn ring(&mut self, line: &str) -> io::Result<()>;
    /// Forgets the last picture: the next one writes every cell.
    fn repaint(&mut self);
    /// Takes the terminal again, whatever state it was left in, and repaints.
    fn retake(&mut self) -> io::Result<()>;
    /// Lets the user's editor have the terminal, with `text` in a file whose name ends with
    /// `extension`. What it holds afterwards, or why that is nothing new.
    fn edit(
        &mut self,
        text: &str,
        extension: &str,
    ) -> impl Future<Output = io::Result<Result<String, String>>>;
    /// Gives the terminal back and stops the program, as Ctrl-Z does; returns when it goes on.
    fn suspend(&mut self) -> impl Future<Output = io::Result<()>>;
}

/// Something that starts effects. Answers come back as messages, or never.
pub trait Runner {
    /// Starts an effect and returns at once.
    fn start(&mut self, effect: Effect);
}

/// An input from outside.
#[derive(Debug)]
pub enum Input {
    /// A key, the mouse, another size.
    Happened(Box<Msg>),
    /// The program has to end.
    End(ProgramEnd),
}

/// The way in which the program ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ProgramEnd {
    /// The user left.
    Quit,
    /// By a signal of this number.
    Signal(u8),
    /// A task of ours panicked; its message has been printed.
    Panicked,
}

impl ProgramEnd {
    /// The terminal is gone (SIGHUP).
    pub const HUNG_UP: Self = Self::Signal(1);

    /// The program's exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Quit => 0,
            Self::Signal(number) => 128 + number,
            Self::Panicked => 101,
        }
    }
}
