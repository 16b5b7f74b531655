//! The menu of what repairs a queue.

use super::field::Field;
use super::form::{Filling, Part, Said};
use crate::clock::when::Span;
use crate::queue::wish::What;
use crate::queue::{Layout, Queue, text};

/// The menu of what repairs a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairForm {
    /// Which queue.
    pub queue: Queue,
    /// What falls due within this is realigned, as typed; nothing: all.
    pub within: Field,
    /// What the keys act on.
    pub at: Part,
}

impl RepairForm {
    /// The menu for a queue.
    #[must_use]
    pub fn new(queue: Queue) -> Self {
        Self {
            queue,
            within: Field::proposing("10m"),
            at: Part::Kick,
        }
    }

    /// What is asked for by the part that has the keys; or why it cannot be.
    pub fn what(&self) -> Result<What, String> {
        if matches!(self.queue.layout, Layout::ZsetList(_)) {
            return Err("this layout has no channel and no order list to repair".to_owned());
        }
        Ok(match self.at {
            Part::Realign | Part::Within => What::Realign(self.within_ms()?),
            Part::Restore => What::RestoreOrder,
            Part::Drift => What::Drift,
            _ => What::Kick,
        })
    }

    fn within_ms(&self) -> Result<Option<u64>, String> {
        let typed = self.within.text();
        match typed.trim() {
            "" => Ok(None),
            span => {
                let span: Span = span.parse().map_err(|why| format!("{why}"))?;
                Ok(Some(span.ms()))
            }
        }
    }

    /// What is said of the span.
    #[must_use]
    pub fn what_within(&self) -> Said {
        match self.within_ms() {
            Err(why) => Said::Wrong(why),
            Ok(None) => Said::Note("all that waits".to_owned()),
            Ok(Some(ms)) => Said::Note(format!("what falls due in the next {}", text::span(ms))),
        }
    }
}

impl Filling for RepairForm {
    fn parts(&self) -> &'static [Part] {
        &[
            Part::Kick,
            Part::Realign,
            Part::Within,
            Part::Restore,
            Part::Drift,
        ]
    }

    fn at(&self) -> Part {
        self.at
    }

    fn go(&mut self, to: Part) {
        self.at = to;
    }

    fn line(&mut self) -> Option<&mut Field> {
        (self.at == Part::Within).then_some(&mut self.within)
    }
}
