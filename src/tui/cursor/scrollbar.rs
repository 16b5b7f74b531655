//! Scrollbars: where they stand and what a place on them means, so that what is drawn and what
//! is dragged agree.

use super::Scrolled;
use crate::tui::area::{Area, Slot, table};
use crate::tui::layout::{self, Areas, areas};
use crate::tui::model::{Model, Overlay, Pane, Screen};
use crate::tui::tabs::{self, Tab};
use crate::tui::{entry, help, journal};

/// A scrollbar, one column wide.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rail {
    /// Where it stands.
    pub area: Area,
    /// Rows in all.
    pub len: u64,
    /// Rows in sight.
    pub rows: u64,
    /// The first row in sight.
    pub top: u64,
}

impl Rail {
    /// Rows of the screen that its thumb takes, at least one.
    #[must_use]
    pub fn thumb(self) -> u16 {
        let h = u64::from(self.area.h);
        let rows = scaled(self.rows, h, self.len).clamp(1, h.max(1));
        u16::try_from(rows).unwrap_or(1)
    }

    /// Rows of the screen above the thumb: at the very top and bottom only when nothing is left
    /// out of sight there.
    #[must_use]
    pub fn above(self) -> u16 {
        let room = u64::from(self.area.h.saturating_sub(self.thumb()));
        let last = self.last();
        let above = match self.top.min(last) {
            0 => 0,
            top if top == last => room,
            top => scaled(top, room, last).clamp(room.min(1), room.saturating_sub(1).max(1)),
        };
        u16::try_from(above.min(room)).unwrap_or(0)
    }

    /// The first row in sight when the thumb begins `above` rows below the rail's top.
    #[must_use]
    pub fn top_at(self, above: u16) -> u64 {
        let room = self.area.h.saturating_sub(self.thumb());
        if above >= room {
            return self.last();
        }
        // Rounded up, as `above` rounds down: the thumb stays where it was dragged to.
        let product = u128::from(above) * u128::from(self.last());
        let top = product.div_ceil(u128::from(room));
        u64::try_from(top).unwrap_or(u64::MAX)
    }

    /// The last row that can be the first in sight.
    const fn last(self) -> u64 {
        self.len.saturating_sub(self.rows)
    }
}

/// `part` of `whole`, carried over to `room`.
fn scaled(part: u64, room: u64, whole: u64) -> u64 {
    let product = u128::from(part) * u128::from(room) / u128::from(whole.max(1));
    u64::try_from(product).unwrap_or(u64::MAX)
}

/// All scrollbars of the picture: each stands only where something is out of sight.
#[must_use]
pub fn rails(model: &Model) -> Vec<(Scrolled, Rail)> {
    if let Some(Overlay::Help { scroll, .. }) = model.overlay {
        let page = help::place::page(model);
        let slot = help::place::slot(model, &page);
        let body = help::place::body(slot, &page);
        return of_lines(Scrolled::Help, slot, body, page.rows(), scroll)
            .into_iter()
            .collect();
    }
    if let Some(Overlay::Change(view)) = &model.overlay {
        let slot = journal::detail::place::slot(model, view);
        let count = journal::detail::place::lines(model, view).len();
        return of_lines(Scrolled::Change, slot, slot.inner, count, view.scroll)
            .into_iter()
            .collect();
    }
    if model.overlay.is_some() {
        return Vec::new();
    }
    let areas = areas(model);
    if let Screen::Entry(view) = &model.screen {
        let plan = entry::place::plan(areas.detail, areas.compact);
        let inner = areas.detail.inner;
        let area = Area::new(inner.x, inner.y + plan.facts, inner.w, plan.rows);
        let count = usize::from(plan.rows) + entry::place::last_scroll(model);
        let rail = of_lines(Scrolled::Entry, areas.detail, area, count, view.scroll);
        return rail.into_iter().collect();
    }
    let panes = [Pane::Queues, Pane::Entries].into_iter();
    panes
        .filter_map(|pane| of_pane(model, &areas, pane))
        .collect()
}

fn of_pane(model: &Model, areas: &Areas, pane: Pane) -> Option<(Scrolled, Rail)> {
    let slot = layout::rows::slot(areas, pane);
    let (len, top) = match (pane, model.tab) {
        (Pane::Queues, _) => (model.queues.len() as u64, model.top as u64),
        // Findings are of unequal height: a thumb would lie.
        (Pane::Entries, Tab::Findings) => return None,
        (Pane::Entries, _) => (tabs::place::count(model), model.stand().top),
        _ => return None,
    };
    let rows = match pane {
        Pane::Entries => tabs::place::table(model, slot),
        _ => table(slot),
    };
    let area = column(slot, rows)?;
    let rows = u64::from(area.h);
    let rail = Rail {
        area,
        len,
        rows,
        top,
    };
    (len > rows).then_some((Scrolled::Pane(pane), rail))
}

fn of_lines(
    what: Scrolled,
    slot: Slot,
    area: Area,
    count: usize,
    scroll: usize,
) -> Option<(Scrolled, Rail)> {
    let area = column(slot, area)?;
    let rows = u64::from(area.h);
    let (len, top) = (count as u64, scroll as u64);
    (len > rows).then_some((
        what,
        Rail {
            area,
            len,
            rows,
            top,
        },
    ))
}

/// The border right of `rows`; without a border, their last column.
fn column(slot: Slot, rows: Area) -> Option<Area> {
    let x = slot.outer.right().checked_sub(1)?;
    // A thumb that is all there is says nothing.
    (rows.h >= 3 && rows.w > 8).then_some(Area::new(x, rows.y, 1, rows.h))
}

/// The scrollbar under the cell at column `x`, row `y`.
#[must_use]
pub fn hit(model: &Model, x: u16, y: u16) -> Option<(Scrolled, Rail)> {
    let mut rails = rails(model).into_iter();
    rails.find(|(_, rail)| rail.area.holds(x, y))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rail(h: u16, len: u64, top: u64) -> Rail {
        Rail {
            area: Area::new(0, 0, 1, h),
            len,
            rows: u64::from(h),
            top,
        }
    }

    #[test]
    fn the_ends_of_a_million_rows_are_reached_exactly() {
        let all = rail(20, 1_000_000, 0);
        assert_eq!(all.above(), 0);
        assert_eq!(all.top_at(0), 0);
        assert_eq!(all.top_at(19), 999_980);
        assert_eq!(all.top_at(40), 999_980);
        assert_eq!(rail(20, 1_000_000, 999_980).above(), 19);
    }

    #[test]
    fn a_thumb_touches_an_end_only_where_nothing_is_left_out() {
        assert_eq!(rail(20, 1_000_000, 1).above(), 1);
        assert_eq!(rail(20, 1_000_000, 999_979).above(), 18);
    }

    proptest! {
        #[test]
        fn a_thumb_stays_on_its_rail_and_a_place_means_a_row(
            h in 3u16..100, len in 1u64..u64::MAX, top in 0u64..u64::MAX, above in 0u16..200
        ) {
            let rail = rail(h, len, top);
            prop_assert!(rail.above() + rail.thumb() <= h);
            prop_assert!(rail.top_at(above) <= len.saturating_sub(u64::from(h)));
        }

        #[test]
        fn a_thumb_stays_where_it_was_dragged_to(
            h in 3u16..100, more in 0u64..u64::MAX / 2, above in 0u16..100
        ) {
            // Fewer rows than places cannot stand on each of them.
            let len = 3 * u64::from(h) + more;
            let room = h - rail(h, len, 0).thumb();
            let above = above % (room + 1);
            let top = rail(h, len, 0).top_at(above);
            prop_assert_eq!(rail(h, len, top).above(), above);
        }
    }
}
