//! The table of queues: its columns.

use super::QueueSort;
use crate::tui::model::Model;
use crate::tui::widget::columns::{self, PlacedColumn, TableColumn};

/// A name wants at most so many columns.
const NAME: u16 = 40;

/// The columns.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum QueueColumn {
    /// The queue's name.
    Name,
    /// Entries in timeouts.
    Waiting,
    /// Entries that are late.
    Late,
    /// The time by which the oldest of them is late.
    Oldest,
    /// When the next one is due.
    Next,
    /// Numbers of entries by when they fall due.
    Classes,
    /// The number of entries by which the order list differs.
    Order,
    /// Entries in target.
    Target,
    /// Clients that would transfer.
    Clients,
    /// The depth over time.
    Trend,
}

impl QueueColumn {
    /// The word above it; none above the classes, which have one each.
    #[must_use]
    pub const fn head(self) -> &'static str {
        match self {
            Self::Name => "queue",
            Self::Waiting => "waiting",
            Self::Late => "late",
            Self::Oldest => "oldest",
            Self::Next => "next",
            Self::Classes => "",
            Self::Order => "order",
            Self::Target => "target",
            Self::Clients => "clients",
            Self::Trend => "depth",
        }
    }

    /// The order that a click on its head asks for; none when the rows have no order by it.
    #[must_use]
    pub const fn sort(self) -> Option<QueueSort> {
        match self {
            Self::Name => Some(QueueSort::Name),
            Self::Waiting => Some(QueueSort::Waiting),
            Self::Late => Some(QueueSort::MostLate),
            Self::Oldest => Some(QueueSort::Late),
            Self::Next => Some(QueueSort::Next),
            Self::Target => Some(QueueSort::Target),
            Self::Classes | Self::Order | Self::Clients | Self::Trend => None,
        }
    }
}

/// Columns that the longest name wants, 40 at most. Of all queues: no column moves while one
/// scrolls. Bytes are as good as columns here, and need no look at each character.
#[must_use]
pub fn longest(model: &Model) -> u16 {
    let names = model.queues.iter();
    let bytes = names.map(|row| row.queue.name.as_bytes().len()).max();
    u16::try_from(bytes.unwrap_or(0)).map_or(NAME, |n| n.min(NAME))
}

/// The columns that have room in `room` columns of the terminal, where the longest name wants
/// `longest`.
#[must_use]
pub fn columns(room: u16, longest: u16) -> Vec<PlacedColumn<QueueColumn>> {
    let roomy = room >= 190;
    let grows = if roomy {
        QueueColumn::Trend
    } else {
        QueueColumn::Name
    };
    let c = |what, width, rank| TableColumn {
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
        39..98 => 7,
        98..190 => 8,
        _ => 10,
    };
    let name = match room {
        ..30 => 8,
        30..190 => 14,
        _ => 34,
    };
    let mut all = vec![
        c(QueueColumn::Name, name, 100),
        c(QueueColumn::Waiting, if roomy { 14 } else { 10 }, 90),
        c(QueueColumn::Late, late, 95),
        c(QueueColumn::Oldest, 9, 55),
        c(QueueColumn::Next, 10, 80),
        c(QueueColumn::Classes, classes, 60),
        c(QueueColumn::Order, 9, 20),
        c(QueueColumn::Target, 9, 50),
        c(QueueColumn::Clients, 8, 70),
        c(QueueColumn::Trend, trend, 45),
    ];
    if room < 98 {
        all.retain(|c| c.what != QueueColumn::Oldest && c.what != QueueColumn::Trend);
        // A million in full, if that is possible. That clients are missing the findings say too.
        let close = |waiting| with_target(&all, (room, longest), waiting);
        let unattended = || {
            let all: Vec<_> = all
                .iter()
                .copied()
                .filter(|c| c.what != QueueColumn::Clients)
                .collect();
            with_target(&all, (room, longest), 8)
        };
        if let Some(close) = close(10).or_else(|| close(8)).or_else(unattended) {
            return close;
        }
    }
    let close = with_order(&all, room, longest);
    make_room(&mut all, room, longest);
    let placed = columns::fit(&all, room);
    let tells = placed.iter().any(|(col, ..)| *col == QueueColumn::Order);
    close.filter(|_| !tells && room >= 98).unwrap_or(placed)
}

/// The columns with that of the order list, which says that something is wrong, instead of the trend,
/// figures closer, where that cuts no name.
fn with_order(
    all: &[TableColumn<QueueColumn>],
    room: u16,
    longest: u16,
) -> Option<Vec<PlacedColumn<QueueColumn>>> {
    let mut close = all.to_vec();
    close.retain(|c| c.what != QueueColumn::Trend);
    for column in &mut close {
        match column.what {
            QueueColumn::Name => column.width = longest.max(8) + 3,
            QueueColumn::Waiting => column.width = 9,
            QueueColumn::Next => column.width = 8,
            _ => {}
        }
    }
    let placed = columns::fit(&close, room);
    (placed.len() == close.len()).then_some(placed)
}

/// The columns with that of target, its neighbours closer, where that cuts no name: that nobody
/// consumes is seen there first.
fn with_target(
    all: &[TableColumn<QueueColumn>],
    (room, longest): (u16, u16),
    waiting: u16,
) -> Option<Vec<PlacedColumn<QueueColumn>>> {
    let mut close = all.to_vec();
    close.retain(|c| c.what != QueueColumn::Order);
    for column in &mut close {
        match column.what {
            QueueColumn::Name => column.width = longest.max(8) + 3,
            QueueColumn::Waiting => column.width = waiting,
            QueueColumn::Next => column.width = 7,
            QueueColumn::Late | QueueColumn::Target => column.width = 6,
            _ => {}
        }
    }
    let placed = columns::fit(&close, room);
    (placed.len() == close.len()).then_some(placed)
}

/// Makes room where names would be cut: figures stand closer, and then the trend goes. The selected
/// queue's trend is in the pane of depths, and a queue that cannot be told from its neighbours is
/// no help at all.
fn make_room(all: &mut Vec<TableColumn<QueueColumn>>, room: u16, longest: u16) {
    if !(39..190).contains(&room) {
        return;
    }
    // The marks before a name; the gap behind it is the next column's.
    let needed = longest + 3;
    let left = |all: &[TableColumn<QueueColumn>]| {
        let placed = columns::fit(all, room);
        let name = placed.iter().find(|(col, ..)| *col == QueueColumn::Name);
        name.map_or(0, |(.., w)| *w)
    };
    if left(all) < needed {
        for column in all.iter_mut() {
            match column.what {
                QueueColumn::Waiting => column.width = 9,
                QueueColumn::Next => column.width = 8,
                _ => {}
            }
        }
    }
    if left(all) < needed {
        all.retain(|c| c.what != QueueColumn::Trend);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_list_is_shown_where_the_findings_stand_beside_the_table_too() {
        let shown = |room, longest| {
            let placed = columns(room, longest);
            let heads = placed.into_iter().map(|(col, ..)| col);
            heads.filter(|col| *col == QueueColumn::Order).count() == 1
        };
        assert!(shown(106, 12));
        assert!(shown(118, 12), "120 columns");
    }

    #[test]
    fn target_is_shown_at_80_columns_unless_that_cuts_a_name() {
        let shown = |longest| {
            columns(79, longest)
                .iter()
                .any(|(col, ..)| *col == QueueColumn::Target)
        };
        assert!(shown(9));
        // Then that of the clients goes.
        assert!(shown(15));
        assert!(!shown(30));
        for longest in [9, 15, 30] {
            let placed = columns(79, longest);
            assert!(placed.iter().any(|(col, ..)| *col == QueueColumn::Classes));
            assert!(placed.iter().all(|(_, x, w)| x + w <= 79));
        }
    }
}
