//! An entry on the whole screen.

pub mod text;
pub mod tree;
pub mod update;
pub mod view;

use std::ops::Range;
use std::sync::Arc;

use self::tree::Tree;
use crate::clock::EpochMillis;
use crate::payload::Codec;
use crate::tui::entries::EntryRow;

/// One entry, opened.
#[derive(Clone, Debug)]
pub struct EntryView {
    /// The entry; its score is the last one that it was seen with.
    pub row: EntryRow,
    /// Tree, text or hex.
    pub face: Face,
    /// Its content as a tree; none when there is nothing to fold in it.
    pub tree: Option<Tree>,
    /// First line in sight.
    pub scroll: usize,
    /// The screen that Esc goes back to.
    pub back: BackScreen,
    /// Its text, laid out; none before the first time.
    pub laid: Option<TextLayout>,
    /// The text that is looked for in it, and where it is.
    pub found: Option<TextSearch>,
    /// The server's time when it was seen not to be in the queue any more.
    pub gone: Option<EpochMillis>,
    /// The server's time when it was seen to have another due time than before.
    pub requeued: Option<EpochMillis>,
}

impl EntryView {
    /// An entry that was opened just now, from where Esc goes back to.
    #[must_use]
    pub const fn new(row: EntryRow, back: BackScreen) -> Self {
        Self {
            row,
            face: Face::Text,
            tree: None,
            scroll: 0,
            back,
            laid: None,
            found: None,
            gone: None,
            requeued: None,
        }
    }

    /// The faces that it has, in their order: what nothing explains is only bytes.
    #[must_use]
    pub fn faces(&self) -> &'static [Face] {
        match &self.row.content {
            Ok(_) if self.tree.is_some() => &[Face::Tree, Face::Text, Face::Raw, Face::Hex],
            Ok(said) if said.codec != Codec::Unknown => &[Face::Text, Face::Hex],
            _ => &[Face::Hex],
        }
    }
}

/// A payload's text in lines of so many columns: megabytes are laid out once, not for each
/// picture.
#[derive(Clone, Debug)]
pub struct TextLayout {
    /// The columns.
    pub columns: u16,
    /// Raw, not decoded.
    pub raw: bool,
    /// The lines; none when nothing explains the bytes.
    pub lines: Option<Arc<Vec<Piece>>>,
}

/// A line on the screen.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Piece {
    /// The text of the line.
    pub text: String,
    /// It goes on with the line before, which was too long.
    pub joined: bool,
}

/// A text that is looked for in an opened entry, and where it is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TextSearch {
    /// The text that was typed.
    pub what: String,
    /// Places of the text on the present face, from the start.
    pub hits: Vec<Spot>,
    /// Index of the present one in `hits`.
    pub at: usize,
}

/// A place where something was found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Spot {
    /// On the text face: lines, and the bytes in each of them.
    Text(Vec<(usize, Range<usize>)>),
    /// On the hex face: bytes of the member.
    Bytes(Range<usize>),
    /// In the tree: a line of it.
    Line(usize),
}

/// The screen that Esc leads to from an entry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BackScreen {
    /// To the dashboard.
    Dashboard,
    /// To the queue's own screen.
    Queue,
}

/// The faces of a payload.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Face {
    /// Decoded, a line a value, to be folded.
    Tree,
    /// Decoded.
    #[default]
    Text,
    /// The payload as it lies; what cannot be printed as redis-cli would. Only beside a tree: of
    /// all else the text or the bytes say it already.
    Raw,
    /// Bytes.
    Hex,
}
