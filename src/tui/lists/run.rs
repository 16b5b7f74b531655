//! Reads runs of lists, and what the journal tells of quarantine.

use super::Effect;
use crate::ops::refresh::list as run_of;
use crate::tui::journal::run::since;
use crate::tui::lists;
use crate::tui::msg::Msg;
use crate::tui::tasks::{TaskKind, Tasks};

impl Tasks {
    /// Reads what is asked for.
    pub(crate) fn lists(&mut self, effect: Effect) {
        let store = self.store.clone();
        match effect {
            Effect::Load {
                generation,
                queue,
                list,
                first,
                count,
            } => {
                let of = queue.clone();
                let question = async move { run_of(&store, &of, list, first, count).await };
                self.ask(TaskKind::List, question, move |result| {
                    Msg::Lists(lists::Msg::Loaded {
                        generation,
                        queue,
                        list,
                        result: result.map_err(|why| why.to_string()),
                    })
                });
            }
            Effect::ReadSince(queue) => {
                let read = since::read(self.journal.clone(), store, queue.clone());
                self.ask(TaskKind::Since, read, move |known| {
                    Msg::Lists(lists::Msg::SinceRead {
                        queue,
                        // Nothing depends on it.
                        known: known.unwrap_or_default(),
                    })
                });
            }
        }
    }
}
