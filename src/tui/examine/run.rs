//! A look at all entries, for the screen.

use futures_util::StreamExt as _;

use super::Effect;
use crate::ops::doctor::{ExaminationEvent, examine};
use crate::queue::Queue;
use crate::tui::examine;
use crate::tui::msg::Msg;
use crate::tui::tasks::{TaskKind, Tasks};

impl Tasks {
    /// Looks at what is asked for; the look before it is given up.
    pub(crate) fn examine(&mut self, effect: Effect) {
        match effect {
            Effect::Start {
                generation,
                queue,
                long,
            } => self.look_at(generation, &queue, long),
            Effect::End => self.end(TaskKind::Exact),
        }
    }

    fn look_at(&mut self, generation: u64, queue: &Queue, long: usize) {
        let answers = self.answers.clone();
        let mut told = examine(&self.store, queue, long);
        self.latest(TaskKind::Exact, async move {
            while let Some(said) = told.next().await {
                let msg = match said {
                    Ok(ExaminationEvent::Progress { looked, of }) => {
                        Msg::Examine(examine::Msg::GoesOn {
                            generation,
                            looked,
                            of,
                        })
                    }
                    Ok(ExaminationEvent::Done(exact)) => Msg::Examine(examine::Msg::Ended {
                        generation,
                        result: Ok(exact),
                    }),
                    Err(why) => Msg::Examine(examine::Msg::Ended {
                        generation,
                        result: Err(why.to_string()),
                    }),
                };
                // Nobody listens any more when the program is about to end.
                let _ = answers.send(msg);
            }
        });
    }
}
