//! Starts effects as tasks over `ops`; each answer comes back as a message. The only part of the
//! screen that knows `ops` and `store`.

mod search;

use std::collections::HashMap;

use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{AbortHandle, JoinHandle};

use super::edge::Runner;
use super::effect::Effect;
use super::msg::Msg;
use crate::ops::discover::{Found, discover};
use crate::ops::refresh;
use crate::queue::{Link, Queue};
use crate::store::{Store, watch};

/// The kinds of work of which a later one makes an earlier one void.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Kind {
    Discover,
    Pulse,
    Pulses,
    Survey,
    Classes,
    List,
    Rank,
    Search,
    Scores,
}

/// Runs effects on a server. Its tasks end with it.
pub struct Tasks {
    store: Store,
    named: Vec<Queue>,
    answers: UnboundedSender<Msg>,
    latest: HashMap<Kind, AbortHandle>,
    watching: [JoinHandle<()>; 2],
}

impl Tasks {
    /// Begins to watch the link and the channels. Queues that were `named` are the only ones
    /// there are: nothing is looked for then.
    #[must_use]
    pub fn new(store: Store, named: Vec<Queue>, answers: UnboundedSender<Msg>) -> Self {
        let watching = [
            tokio::spawn(watch_link(store.clone(), answers.clone())),
            tokio::spawn(watch_channels(store.clone(), answers.clone())),
        ];
        Self {
            store,
            named,
            answers,
            latest: HashMap::new(),
            watching,
        }
    }

    /// Starts a task; the one of its kind before it is cancelled.
    fn latest(&mut self, kind: Kind, task: impl Future<Output = ()> + Send + 'static) {
        let handle = tokio::spawn(task).abort_handle();
        if let Some(before) = self.latest.insert(kind, handle) {
            before.abort();
        }
    }

    /// Asks, and sends the answer: first the link as it is then (its clock and what we cost move
    /// on with each answer), then the message.
    fn ask<T: Send + 'static>(
        &mut self,
        kind: Kind,
        question: impl Future<Output = T> + Send + 'static,
        answer: impl FnOnce(T) -> Msg + Send + 'static,
    ) {
        let (answers, link) = (self.answers.clone(), self.store.link());
        self.latest(kind, async move {
            let result = question.await;
            let now: Link = link.borrow().clone();
            // Nobody listens any more when the program is about to end.
            let _ = answers.send(Msg::LinkChanged(Box::new(now)));
            let _ = answers.send(answer(result));
        });
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.watching.iter().for_each(JoinHandle::abort);
        self.latest.values().for_each(AbortHandle::abort);
    }
}

impl Runner for Tasks {
    fn start(&mut self, effect: Effect) {
        let store = self.store.clone();
        match effect {
            Effect::Discover => {
                let search = look(store, self.named.clone(), self.answers.clone());
                self.latest(Kind::Discover, search);
            }
            Effect::Remember(..) => {}
            Effect::RetryLink => store.retry_now(),
            // The loop's own.
            Effect::Copy(_)
            | Effect::Suspend
            | Effect::Redraw
            | Effect::RetakeTerminal
            | Effect::Quit => {}
            question => self.read(store, question),
        }
    }
}

impl Tasks {
    /// Starts what only reads.
    fn read(&mut self, store: Store, effect: Effect) {
        match effect {
            Effect::LoadPulse {
                generation,
                queue,
                page,
            } => {
                let of = queue.clone();
                let question = async move { refresh::pulse(&store, &of, page).await };
                self.ask(Kind::Pulse, question, move |result| Msg::PulseLoaded {
                    generation,
                    queue,
                    result: result.map_err(|why| why.to_string()),
                });
            }
            Effect::LoadPulses { generation, queues } => {
                let question = async move {
                    let pulses = refresh::pulses(&store, &queues).await;
                    pulses.map(|pulses| queues.into_iter().zip(pulses).collect())
                };
                self.ask(Kind::Pulses, question, move |result| Msg::PulsesLoaded {
                    generation,
                    result: result.map_err(|why| why.to_string()),
                });
            }
            Effect::LoadSurvey {
                generation,
                queue,
                zoom,
            } => {
                let kind = zoom.map_or(Kind::Classes, |_| Kind::Survey);
                let of = queue.clone();
                let question = async move { refresh::survey(&store, &of, zoom).await };
                self.ask(kind, question, move |result| Msg::SurveyLoaded {
                    generation,
                    queue,
                    result: result.map_err(|why| why.to_string()),
                });
            }
            Effect::LoadList {
                generation,
                queue,
                list,
                first,
                count,
            } => {
                let of = queue.clone();
                let question = async move { refresh::list(&store, &of, list, first, count).await };
                self.ask(Kind::List, question, move |result| Msg::ListLoaded {
                    generation,
                    queue,
                    list,
                    result: result.map_err(|why| why.to_string()),
                });
            }
            Effect::FindRank {
                generation,
                queue,
                due,
            } => {
                let of = queue.clone();
                let question = async move { refresh::rank_at(&store, &of, due).await };
                self.ask(Kind::Rank, question, move |result| Msg::RankFound {
                    generation,
                    queue,
                    due,
                    result: result.map_err(|why| why.to_string()),
                });
            }
            found => self.find(store, found),
        }
    }
}

async fn look(store: Store, named: Vec<Queue>, answers: UnboundedSender<Msg>) {
    if !named.is_empty() {
        let _ = answers.send(Msg::LookedAll(0));
        return;
    }
    let mut found = std::pin::pin!(discover(&store, named));
    while let Some(found) = found.next().await {
        let msg = match found {
            Found::Queue(queue) => Msg::QueueFound(queue),
            Found::Progress { looked, keys } => Msg::Looked(looked, keys),
            Found::Done { looked } => Msg::LookedAll(looked),
        };
        if answers.send(msg).is_err() {
            return;
        }
    }
}

async fn watch_link(store: Store, answers: UnboundedSender<Msg>) {
    let mut link = store.link();
    // Holding a handle would keep the link up after everybody else has let it go.
    drop(store);
    loop {
        let now = link.borrow_and_update().clone();
        if answers.send(Msg::LinkChanged(Box::new(now))).is_err() || link.changed().await.is_err() {
            return;
        }
    }
}

async fn watch_channels(store: Store, answers: UnboundedSender<Msg>) {
    let mut announcements = std::pin::pin!(watch::announcements(&store));
    while let Some(announcement) = announcements.next().await {
        if answers.send(Msg::Announced(announcement)).is_err() {
            return;
        }
    }
}
