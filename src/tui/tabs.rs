//! The tabs of the pane of the entries.

pub mod place;
pub mod queries;
pub mod update;
pub mod view;

/// What the pane of the entries shows, in the order of the keys `1` to `7`.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Tab {
    /// Timeouts, by due time.
    #[default]
    Waiting,
    /// Target, from its head.
    Delivered,
    /// The order list, from its head.
    Order,
    /// The channel traffic.
    Traffic,
    /// What is wrong, and what repairs it.
    Findings,
    /// The changes made.
    Changes,
    /// What was set aside, by due time.
    Quarantine,
}

impl Tab {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Waiting,
        Self::Delivered,
        Self::Order,
        Self::Traffic,
        Self::Findings,
        Self::Changes,
        Self::Quarantine,
    ];

    /// What its title calls it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Order => "order list",
            Self::Traffic => "traffic",
            Self::Findings => "findings",
            Self::Changes => "changes",
            Self::Quarantine => "quarantine",
        }
    }

    /// Whether its rows are entries.
    #[must_use]
    pub const fn has_entries(self) -> bool {
        matches!(
            self,
            Self::Waiting | Self::Delivered | Self::Order | Self::Quarantine
        )
    }
}
