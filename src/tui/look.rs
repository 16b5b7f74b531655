//! The look of the screen: colours, characters and time zone.

/// The look of the screen, fixed for a session.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Look {
    /// Plain ASCII instead of blocks, arrows and boxes.
    pub ascii: bool,
    /// No colour at all (`NO_COLOR`): meanings stay as glyphs and words.
    pub no_color: bool,
    /// The background that colours are chosen for; none: nobody knows it, and colours are the
    /// terminal's own.
    pub background: Option<Background>,
    /// The colours that the terminal has.
    pub depth: Depth,
    /// The zone of the times that are shown.
    pub zone: Zone,
}

/// The colours that a terminal has.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Depth {
    /// The 16 of its own palette, of which nobody knows how they look.
    #[default]
    Own,
    /// The 240 beside them, which look the same everywhere.
    Indexed,
    /// 24-bit ones.
    True,
}

/// A time zone for display.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Zone {
    /// This machine's, with its changes between summer and winter.
    #[default]
    Local,
    /// An offset in seconds east of Greenwich.
    Offset(i32),
}

/// The background that colours are chosen for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Background {
    /// Light text on dark.
    Dark,
    /// Dark text on light.
    Light,
}
