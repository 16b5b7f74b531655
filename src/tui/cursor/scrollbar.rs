//! Scrollbars: how long the thumb is, where it stands, and what a place on the rail means.

/// A scrollbar, one column wide.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rail {
    /// Its first row on the screen.
    pub y: u16,
    /// Its rows on the screen, as many as are in sight.
    pub h: u16,
    /// Rows in all.
    pub len: u64,
    /// The first row in sight.
    pub top: u64,
}

impl Rail {
    /// Rows of the screen that its thumb takes, at least one.
    #[must_use]
    pub fn thumb(self) -> u16 {
        let h = u64::from(self.h);
        let rows = scaled(h, h, self.len).clamp(1, h.max(1));
        u16::try_from(rows).unwrap_or(1)
    }

    /// Rows of the screen above the thumb: at the very top and bottom only when nothing is left
    /// out of sight there.
    #[must_use]
    pub fn above(self) -> u16 {
        let room = u64::from(self.h.saturating_sub(self.thumb()));
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
        let room = self.h.saturating_sub(self.thumb());
        if above >= room {
            return self.last();
        }
        // Rounded up, as `above` rounds down: the thumb stays where it was dragged to.
        let product = u128::from(above) * u128::from(self.last());
        let top = product.div_ceil(u128::from(room));
        u64::try_from(top).unwrap_or(u64::MAX)
    }

    /// The last row that can be the first in sight.
    fn last(self) -> u64 {
        self.len.saturating_sub(u64::from(self.h))
    }
}

/// `part` of `whole`, carried over to `room`.
fn scaled(part: u64, room: u64, whole: u64) -> u64 {
    let product = u128::from(part) * u128::from(room) / u128::from(whole.max(1));
    u64::try_from(product).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rail(h: u16, len: u64, top: u64) -> Rail {
        Rail { y: 0, h, len, top }
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
