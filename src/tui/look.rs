//! The look of the screen: colours, characters and time zone.

/// The look of the screen, fixed for a session.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Look {
    /// Plain ASCII instead of blocks, arrows and boxes.
    pub ascii: bool,
    /// No colour at all (`NO_COLOR`): meanings stay as glyphs and words.
    pub no_color: bool,
    /// 24-bit colours for this background; none: the terminal's own 16.
    pub truecolor: Option<Background>,
    /// The terminal has 24-bit colours.
    pub can_truecolor: bool,
    /// The zone of the times that are shown.
    pub zone: Zone,
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

/// The background that the 24-bit colours are chosen for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Background {
    /// Light text on dark.
    Dark,
    /// Dark text on light.
    Light,
}
