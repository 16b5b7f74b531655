//! Starts effects as tasks over `ops`; each answer comes back as a message. The only part of the
//! screen that knows `ops` and `store`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{AbortHandle, JoinHandle};

use crate::ops::discover::{DiscoveryEvent, discover};
use crate::ops::history::Lines;
use crate::ops::journal::Journal;
use crate::ops::refresh as read;
use crate::queue::{FramesAsk, Link, Queue, Scale, Survey, Zoom};
use crate::store::write::Writer;
use crate::store::{Store, StoreError, watch};
use crate::tui::change::run::{Changes, Stopping};
use crate::tui::edge::Runner;
use crate::tui::effect::{Effect, ToOffer};
use crate::tui::msg::Msg;
use crate::tui::server::run::{Gate, Session};
use crate::tui::worker::run::Workers;
use crate::tui::{link, lists, offer, queues, refresh, timeline};

/// The kinds of work of which a later one makes an earlier one void.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Kind {
    Discover,
    Pulse,
    Pulses,
    Survey,
    Classes,
    Look,
    List,
    Rank,
    Sample,
    Search,
    Exact,
    Scores,
    Journal,
    Change,
    Since,
}

/// Runs effects on a server. Its tasks end with it.
pub struct Tasks {
    pub(crate) session: Session,
    /// The session to switch to, once the way there is known, and the generation of its request.
    pub(crate) way: Arc<Mutex<Option<(u64, Session)>>>,
    pub(crate) store: Store,
    named: Vec<Queue>,
    /// What this session says, up to its end.
    pub(crate) answers: UnboundedSender<Msg>,
    pub(crate) gate: Gate,
    /// Where that goes.
    pub(crate) out: UnboundedSender<Msg>,
    /// The lines that are kept for other times.
    pub(crate) lines: Lines,
    pub(crate) latest: HashMap<Kind, AbortHandle>,
    watching: [JoinHandle<()>; 2],
    /// Made when first something is to be changed.
    writer: Option<Writer>,
    pub(crate) workers: Workers,
    pub(crate) journal: Journal,
    pub(crate) changes: Changes,
    /// Those of the servers before.
    pub(crate) stopping: Stopping,
}

impl Tasks {
    /// Connects, and begins to watch the link and the channels; the loop hears of it through
    /// `out`. Queues that were named are the only ones there are: nothing is looked for then.
    #[must_use]
    pub fn new(session: Session, lines: Lines, out: UnboundedSender<Msg>) -> Self {
        let (gate, answers) = Gate::new(out.clone());
        let store = session.open();
        let watching = [
            tokio::spawn(watch_link(store.clone(), answers.clone())),
            tokio::spawn(watch_channels(store.clone(), answers.clone())),
        ];
        Self {
            named: session.site().named,
            journal: session.journal(),
            session,
            way: Arc::default(),
            store,
            answers,
            gate,
            out,
            lines,
            latest: HashMap::new(),
            watching,
            writer: None,
            workers: Workers::default(),
            changes: Changes::default(),
            stopping: Stopping::default(),
        }
    }

    /// Lets the stand-in workers end, after the scripts that are under way and within a second:
    /// for when the screen has ended. How many entries each of them has moved in all.
    pub async fn finish(&mut self) -> Vec<(Queue, u64)> {
        self.workers.finish().await
    }

    /// Tells all changes under way to stop; they end by themselves. Which have not yet, in a few
    /// words each.
    pub fn stop_changes(&mut self) -> Vec<String> {
        self.stopping.and(self.changes.stop());
        self.stopping.names()
    }

    /// Waits until those changes have ended, and all that must be finished is.
    pub async fn changes_ended(&mut self) {
        self.stopping.wait().await;
    }

    /// What is to be said of them, a line each.
    #[must_use]
    pub fn farewell(&self) -> Vec<String> {
        self.stopping.farewell()
    }

    pub(crate) fn writer(&mut self) -> Result<Writer, StoreError> {
        if let Some(writer) = &self.writer {
            return Ok(writer.clone());
        }
        let writer = self.store.writer()?;
        self.writer = Some(writer.clone());
        Ok(writer)
    }

    /// Starts a task; the one of its kind before it is cancelled.
    pub(crate) fn latest(&mut self, kind: Kind, task: impl Future<Output = ()> + Send + 'static) {
        let handle = tokio::spawn(task).abort_handle();
        if let Some(before) = self.latest.insert(kind, handle) {
            before.abort();
        }
    }

    /// Asks, and sends the answer: first the link as it is then (its clock and what we cost move
    /// on with each answer), then the message.
    pub(crate) fn ask<T: Send + 'static>(
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
            let _ = answers.send(Msg::Link(link::Msg::Changed(Box::new(now))));
            let _ = answers.send(answer(result));
        });
    }

    /// Ends everything that is under way on this server.
    pub(crate) fn stop(&self) {
        self.watching.iter().for_each(JoinHandle::abort);
        self.latest.values().for_each(AbortHandle::abort);
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.stop();
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
            Effect::Remember(kind, line) => {
                let lines = self.lines.clone();
                tokio::task::spawn_blocking(move || lines.keep(kind.name(), &line));
            }
            Effect::FindWay { generation, to } => self.find_way(generation, to),
            Effect::Switch => self.switch(),
            Effect::RetryLink => store.retry_now(),
            Effect::SampleQueue(queue) => {
                let sample = offer::run::sample(store, queue.clone());
                self.ask(Kind::Sample, sample, |seen| {
                    Msg::Offer(offer::Msg::Sampled(queue, seen))
                });
            }
            Effect::Offer(asked) => self.offer(*asked),
            Effect::StartWorker(queue) => {
                let (writer, answers) = (self.writer(), self.answers.clone());
                let journal = self.journal.clone();
                self.workers.start(writer, journal, queue, answers);
            }
            Effect::StopWorker(queue) => self.workers.stop(&queue),
            change @ (Effect::Plan(_)
            | Effect::PlanUndo { .. }
            | Effect::DropPlan
            | Effect::Apply(_)
            | Effect::Order(..)
            | Effect::ReadJournal { .. }
            | Effect::ReadChange { .. }
            | Effect::ReadSince(_)) => self.change(change),
            // The loop's own, and what never leaves `update`.
            Effect::Tell(_)
            | Effect::Copy(_)
            | Effect::Edit { .. }
            | Effect::Suspend
            | Effect::Redraw
            | Effect::RetakeTerminal
            | Effect::Quit => {}
            question => self.read(store, question),
        }
    }
}

impl Tasks {
    /// Offers. Nothing makes an offer void that is on its way.
    fn offer(&mut self, asked: ToOffer) {
        let (writer, answers) = (self.writer(), self.answers.clone());
        let journal = self.journal.clone();
        tokio::spawn(async move {
            let (generation, due, queue) = (asked.generation, asked.due, asked.queue.clone());
            let outcome = offer::run::offer(writer, journal, asked).await;
            let _ = answers.send(Msg::Offer(offer::Msg::Answered {
                generation,
                queue,
                due,
                outcome,
            }));
        });
    }

    /// Starts what only reads.
    fn read(&mut self, store: Store, effect: Effect) {
        match effect {
            Effect::LoadPulse {
                generation,
                queue,
                page,
            } => {
                let of = queue.clone();
                let question = async move { read::pulse(&store, &of, page).await };
                self.ask(Kind::Pulse, question, move |result| {
                    Msg::Refresh(refresh::Msg::PulseLoaded {
                        generation,
                        queue,
                        result: result.map_err(|why| why.to_string()),
                    })
                });
            }
            Effect::LoadPulses { generation, queues } => {
                let question = async move {
                    let pulses = read::pulses(&store, &queues).await;
                    pulses.map(|pulses| queues.into_iter().zip(pulses).collect())
                };
                self.ask(Kind::Pulses, question, move |result| {
                    Msg::Refresh(refresh::Msg::PulsesLoaded {
                        generation,
                        result: result.map_err(|why| why.to_string()),
                    })
                });
            }
            Effect::LoadSurvey {
                generation,
                queue,
                zoom,
                held,
                sample,
            } => {
                let kind = zoom.map_or(Kind::Classes, |_| Kind::Survey);
                let of = queue.clone();
                let question = async move { survey(&store, &of, (zoom, held), sample).await };
                self.ask(kind, question, move |result| {
                    Msg::Refresh(refresh::Msg::SurveyLoaded {
                        generation,
                        queue,
                        result: result.map_err(|why| why.to_string()),
                    })
                });
            }
            question => self.read_by_request(store, question),
        }
    }

    /// Starts what is read seldom, or when somebody asks for it: lists, ranks, searches.
    fn read_by_request(&mut self, store: Store, effect: Effect) {
        match effect {
            Effect::LookAtServer { generation, asked } => {
                let question = async move { crate::store::read::look(&store, asked).await };
                self.ask(Kind::Look, question, move |result| {
                    Msg::Refresh(refresh::Msg::ServerLooked {
                        generation,
                        result: result.map_err(|why| why.to_string()),
                    })
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
                let question = async move { read::list(&store, &of, list, first, count).await };
                self.ask(Kind::List, question, move |result| {
                    Msg::Lists(lists::Msg::Loaded {
                        generation,
                        queue,
                        list,
                        result: result.map_err(|why| why.to_string()),
                    })
                });
            }
            Effect::FindRank {
                generation,
                queue,
                due,
            } => {
                let of = queue.clone();
                let question = async move { read::rank_at(&store, &of, due).await };
                self.ask(Kind::Rank, question, move |result| {
                    Msg::Timeline(timeline::Msg::RankFound {
                        generation,
                        queue,
                        result: result.map_err(|why| why.to_string()),
                    })
                });
            }
            found => self.find(store, found),
        }
    }
}

/// A survey, with a sample of the members when one is wanted.
async fn survey(
    store: &Store,
    queue: &Queue,
    (zoom, held): (Option<Zoom>, Option<Scale>),
    sample: Option<FramesAsk>,
) -> Result<Survey, StoreError> {
    let mut survey = read::survey(store, queue, zoom, held).await?;
    if let Some(ask) = sample {
        // Without it the survey says what it says.
        let frames = read::frames(store, queue, ask).await;
        survey.frames = frames.ok().map(Box::new);
    }
    Ok(survey)
}

async fn look(store: Store, named: Vec<Queue>, answers: UnboundedSender<Msg>) {
    if !named.is_empty() {
        let _ = answers.send(Msg::Queues(queues::Msg::LookedAll(0)));
        return;
    }
    let mut found = std::pin::pin!(discover(&store, named));
    while let Some(found) = found.next().await {
        let msg = match found {
            DiscoveryEvent::Queue(queue) => Msg::Queues(queues::Msg::Found(queue)),
            DiscoveryEvent::Progress { looked, keys } => {
                Msg::Queues(queues::Msg::Looked(looked, keys))
            }
            DiscoveryEvent::Done { looked } => Msg::Queues(queues::Msg::LookedAll(looked)),
            // The panic itself ends the screen, and is said then.
            DiscoveryEvent::Failed(_) => return,
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
        if answers
            .send(Msg::Link(link::Msg::Changed(Box::new(now))))
            .is_err()
            || link.changed().await.is_err()
        {
            return;
        }
    }
}

async fn watch_channels(store: Store, answers: UnboundedSender<Msg>) {
    let mut announcements = std::pin::pin!(watch::announcements(&store));
    while let Some(announcement) = announcements.next().await {
        if answers
            .send(Msg::Link(link::Msg::Announced(announcement)))
            .is_err()
        {
            return;
        }
    }
}
