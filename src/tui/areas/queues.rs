//! The table of queues: its columns, so that what is drawn and what is clicked agree.

use super::columns::{self, Column, Placed};
use super::{Slot, table};
use crate::tui::model::QueueSort;

/// The columns.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Col {
    /// The queue's name.
    Name,
    /// Entries in timeouts.
    Waiting,
    /// Those that are late.
    Late,
    /// How long the oldest of them is late.
    Oldest,
    /// When the next one is due.
    Next,
    /// How many fall due when.
    Classes,
    /// By how much the order list differs.
    Order,
    /// Entries in target.
    Target,
    /// Clients that would transfer.
    Clients,
    /// The depth over time.
    Trend,
}

impl Col {
    /// The order that a click on its head asks for; none when the rows have no order by it.
    #[must_use]
    pub const fn sort(self) -> Option<QueueSort> {
        match self {
            Self::Name => Some(QueueSort::Name),
            Self::Waiting => Some(QueueSort::Waiting),
            Self::Late | Self::Oldest => Some(QueueSort::Late),
            Self::Next => Some(QueueSort::Next),
            Self::Target => Some(QueueSort::Target),
            Self::Classes | Self::Order | Self::Clients | Self::Trend => None,
        }
    }
}

/// The order that a click on a cell of the heads asks for.
#[must_use]
pub fn sort_at(slot: Slot, x: u16, y: u16) -> Option<QueueSort> {
    let table = table(slot);
    // Without a box the heads stand in the rule, and that of the names is the title.
    let heads = if slot.boxed {
        slot.inner.y
    } else {
        slot.outer.y
    };
    if y != heads || slot.inner == slot.outer || x < table.x {
        return None;
    }
    let mut placed = columns(table.w.saturating_sub(1)).into_iter();
    let under = |(_, left, w): &Placed<Col>| (*left..left + w).contains(&(x - table.x));
    let (col, ..) = placed.find(under)?;
    col.sort().filter(|_| slot.boxed || col != Col::Name)
}

/// The columns that have room in `room` columns of the terminal.
#[must_use]
pub fn columns(room: u16) -> Vec<Placed<Col>> {
    let roomy = room >= 190;
    let grows = if roomy { Col::Trend } else { Col::Name };
    let c = |what, width, rank| Column {
        what,
        width,
        rank,
        grows: what == grows,
    };
    let classes = match room {
        ..118 => 30,
        118..190 => 37,
        _ => 51,
    };
    let trend = match room {
        ..118 => 10,
        118..190 => 12,
        _ => 26,
    };
    let late = match room {
        // Without a line of heads the figure says itself what it is.
        ..39 => 13,
        39..190 => 8,
        _ => 10,
    };
    let name = match room {
        ..30 => 8,
        30..190 => 14,
        _ => 34,
    };
    let mut all = vec![
        c(Col::Name, name, 100),
        c(Col::Waiting, if roomy { 14 } else { 10 }, 90),
        c(Col::Late, late, 95),
        c(Col::Oldest, 9, 55),
        c(Col::Next, 10, 80),
        c(Col::Classes, classes, 60),
        c(Col::Order, 9, 20),
        c(Col::Target, 9, 50),
        c(Col::Clients, if room < 98 { 5 } else { 6 }, 70),
        c(Col::Trend, trend, 45),
    ];
    if room < 98 {
        all.retain(|c| c.what != Col::Oldest && c.what != Col::Trend);
    }
    columns::fit(&all, room)
}
