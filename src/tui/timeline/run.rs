//! Looks for places in the order of due times.

use super::Effect;
use crate::ops::refresh::rank_at;
use crate::tui::msg::Msg;
use crate::tui::tasks::{TaskKind, Tasks};
use crate::tui::timeline;

impl Tasks {
    /// Looks for what is asked for.
    pub(crate) fn timeline(&mut self, effect: Effect) {
        let store = self.store.clone();
        match effect {
            Effect::FindRank {
                generation,
                queue,
                score,
            } => {
                let of = queue.clone();
                let question = async move { rank_at(&store, &of, score).await };
                self.ask(TaskKind::Rank, question, move |result| {
                    Msg::Timeline(timeline::Msg::RankFound {
                        generation,
                        queue,
                        result: result.map_err(|why| why.to_string()),
                    })
                });
            }
        }
    }
}
