//! The tabs of the pane of the entries.

pub mod place;
pub mod queries;
pub mod update;
pub mod view;

/// The tabs of the pane of the entries, in the order of the keys `1` to `8`.
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
    /// The findings, and what repairs them.
    Findings,
    /// The changes made.
    Changes,
    /// Entries that were set aside, by due time.
    Quarantine,
    /// The servers behind the address.
    Nodes,
}

impl Tab {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Waiting,
        Self::Delivered,
        Self::Order,
        Self::Traffic,
        Self::Findings,
        Self::Changes,
        Self::Quarantine,
        Self::Nodes,
    ];

    /// Returns its name in the title.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Order => "order list",
            Self::Traffic => "traffic",
            Self::Findings => "findings",
            Self::Changes => "journal",
            Self::Quarantine => "quarantine",
            Self::Nodes => "nodes",
        }
    }

    /// Tells whether its rows are entries.
    #[must_use]
    pub const fn has_entries(self) -> bool {
        matches!(
            self,
            Self::Waiting | Self::Delivered | Self::Order | Self::Quarantine
        )
    }
}
