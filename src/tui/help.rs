//! The help's pages.

pub mod jobs;
pub mod place;
pub mod update;
pub mod view;
pub mod words;

/// A page of the help, by its subject.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum HelpPage {
    /// The jobs that people come for.
    #[default]
    Jobs,
    /// The keys.
    Keys,
    /// The words and figures of the screen below.
    Screen,
    /// The workings of a delayed queue.
    Queue,
}

impl HelpPage {
    /// All of them, in their order.
    pub const ALL: [Self; 4] = [Self::Jobs, Self::Keys, Self::Screen, Self::Queue];

    /// Returns its name in the title.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Jobs => "Jobs",
            Self::Keys => "Keys",
            Self::Screen => "This screen",
            Self::Queue => "How it works",
        }
    }

    /// The one behind it; none behind the last.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        let at = Self::ALL.iter().position(|page| *page == self)?;
        Self::ALL.get(at + 1).copied()
    }

    /// The one before it; before the first the last.
    #[must_use]
    pub fn before(self) -> Self {
        let is_before = |page: &&Self| page.next() == Some(self);
        *Self::ALL.iter().find(is_before).unwrap_or(&Self::Queue)
    }
}
