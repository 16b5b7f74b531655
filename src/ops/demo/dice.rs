//! Chance for the demo's data: the same every time, so that what was seen once can be seen again.

use std::ops::Range;

/// A small generator (`SplitMix64`), good enough for shop orders.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of the range, which must not be empty.
    pub(super) fn number(&mut self, range: Range<i64>) -> i64 {
        let span = range.end.abs_diff(range.start).max(1);
        let step = i64::try_from(self.roll() % span).unwrap_or(0);
        range.start + step
    }

    /// A number of the range, the smaller the likelier: the smaller one of two.
    pub(super) fn small(&mut self, range: Range<i64>) -> i64 {
        let one = self.number(range.clone());
        one.min(self.number(range))
    }

    /// One of these.
    pub(super) fn one_of<T: Copy>(&mut self, from: &[T; 4]) -> T {
        let [a, b, c, d] = *from;
        match self.roll() % 4 {
            0 => a,
            1 => b,
            2 => c,
            _ => d,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_their_range_and_reach_its_ends() {
        let mut dice = Dice::new(1);
        let rolls: Vec<_> = (0..1_000).map(|_| dice.number(-2..3)).collect();
        assert_eq!(rolls.iter().min(), Some(&-2));
        assert_eq!(rolls.iter().max(), Some(&2));
        assert!((0..1_000).all(|_| (5..9).contains(&dice.small(5..9))));
    }
}
