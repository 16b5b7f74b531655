//! The one key table: dispatch, help, and the hint bar are read from it.

/// A key, free of any terminal library.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Key {
    /// Which key.
    pub code: Code,
    /// Held with Ctrl.
    pub ctrl: bool,
    /// Held with Alt.
    pub alt: bool,
}

/// Which key, with Shift already applied to characters.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Code {
    /// A character.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift-Tab.
    BackTab,
    /// Up arrow.
    Up,
    /// Down arrow.
    Down,
    /// Left arrow.
    Left,
    /// Right arrow.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
}

/// What a user wants.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Action {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// Open what is under the cursor.
    Open,
    /// Close, else back.
    Back,
    /// Back; on the first screen quit.
    Quit,
    /// Leave at once.
    QuitNow,
    /// Suspend the program.
    Suspend,
    /// The next pane.
    NextPane,
    /// The pane before.
    PreviousPane,
    /// One bar to the left.
    BarLeft,
    /// One bar to the right.
    BarRight,
    /// Zoom closer.
    ZoomIn,
    /// Zoom wider.
    ZoomOut,
    /// The usual zoom.
    ZoomReset,
    /// Freeze the picture, or let it go on.
    Freeze,
    /// Refresh, or retry the link, now.
    Refresh,
    /// The next refresh interval.
    Interval,
    /// Text or hex.
    Face,
    /// Draw every cell again.
    Redraw,
    /// The keys.
    Help,
}
