//! The panel of the change under way: whether it is shown, and whether it has the keys.

use std::time::{Duration, Instant};

use crate::tui::model::Model;

/// A change that takes no longer has no panel: it would only flicker.
const AT_ONCE: Duration = Duration::from_millis(250);

/// When the change under way gets its panel; none when there is no such change.
#[must_use]
pub fn shown_from(model: &Model) -> Option<Instant> {
    let (_, running) = model.changing.running()?;
    Some(running.since + AT_ONCE)
}

/// There is one to be shown.
#[must_use]
pub fn is_shown(model: &Model) -> bool {
    shown_from(model).is_some_and(|from| from <= model.instant)
}

/// Its keys are those of the panel: it has them from the beginning, until the user goes on to
/// another pane.
#[must_use]
pub fn has_keys(model: &Model) -> bool {
    let under_way = model.changing.running();
    let left = under_way.is_some_and(|(one, _)| model.changing.panel_left == Some(one.generation));
    is_shown(model) && !left && model.overlay.is_none() && model.prompt.is_none()
}

/// Returns how many of `steps` are done; all of them only at the end.
#[must_use]
pub fn share(done: u64, planned: u64, steps: u64) -> u64 {
    if planned == 0 {
        return 0;
    }
    let product = u128::from(done.min(planned)) * u128::from(steps) / u128::from(planned);
    u64::try_from(product).unwrap_or(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_is_full_at_the_end_and_not_before() {
        assert_eq!(share(0, 10, 100), 0);
        assert_eq!(share(9_999, 10_000, 100), 99);
        assert_eq!(share(10_000, 10_000, 100), 100);
        assert_eq!(share(12, 10, 100), 100);
        assert_eq!(share(0, 0, 100), 0);
        assert_eq!(share(u64::MAX, u64::MAX, 100), 100);
    }
}
