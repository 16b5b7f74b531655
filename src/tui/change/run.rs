//! Plans changes and applies them. What is planned stays here until it is
//! applied or dropped: the screen has what it shows of it.

pub mod apply;
pub mod marked;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::{AbortHandle, JoinHandle};

use super::Effect;
use crate::ops::apply::{ChangeEvent, Limits, Order, apply};
use crate::ops::plan::{ChangeError, PreparedChange, Wish, plan};
use crate::ops::undo::{UndoChoice, plan_undo};
use crate::queue::plan::Progress;
use crate::tui::change;
use crate::tui::change::plan::{PlanRequest, three_ways};
use crate::tui::leave::InterruptedChange;
use crate::tui::msg::Msg;
use crate::tui::tasks::Tasks;

/// The screen is told how something goes at most once in this time: more is not to be seen, and
/// would keep the loop from its keys.
const TELL_EVERY: Duration = Duration::from_millis(50);

/// The changes of a session that are planned and under way.
#[derive(Default)]
pub(crate) struct RunningChanges {
    planning: Option<AbortHandle>,
    /// The last plan with its generation, until it is applied.
    prepared: Arc<Mutex<Option<(u64, PreparedChange)>>>,
    at_work: HashMap<u64, Task>,
}

struct Task {
    orders: UnboundedSender<Order>,
    work: JoinHandle<()>,
    so_far: Arc<Mutex<InterruptedChange>>,
}

/// Changes that were under way when their server was left. They have been told to stop.
#[derive(Default)]
pub(crate) struct StoppingChanges(Vec<Task>);

impl StoppingChanges {
    /// Names those that have not ended yet, in a few words each.
    pub(crate) fn names(&self) -> Vec<String> {
        let unfinished = self.0.iter().filter(|task| !task.work.is_finished());
        unfinished.map(|task| lock(&task.so_far).name()).collect()
    }

    /// Waits until all have ended, and all that must be finished is.
    pub(crate) async fn wait(&mut self) {
        join_all(self.0.iter_mut().map(|task| &mut task.work)).await;
    }

    /// Returns the lines that are to be said of each.
    pub(crate) fn farewell(&self) -> Vec<String> {
        let each = self.0.iter().map(|task| lock(&task.so_far).farewell());
        each.flatten().collect()
    }

    /// Adds the changes of another server.
    pub(crate) fn and(&mut self, others: Self) {
        self.0.extend(others.0);
    }
}

impl RunningChanges {
    /// Discards what was planned, or is being planned.
    fn drop_plan(&mut self) {
        if let Some(planning) = self.planning.take() {
            planning.abort();
        }
        *lock(&self.prepared) = None;
    }

    fn order(&self, generation: u64, order: Order) {
        if let Some(task) = self.at_work.get(&generation) {
            // It has ended already when nobody listens.
            let _ = task.orders.send(order);
        }
    }

    /// Stops all that is under way.
    pub(crate) fn stop(&mut self) -> StoppingChanges {
        self.drop_plan();
        let tasks = std::mem::take(&mut self.at_work).into_values();
        let tasks: Vec<Task> = tasks.filter(|task| !task.work.is_finished()).collect();
        for task in &tasks {
            let _ = task.orders.send(Order::Stop);
        }
        StoppingChanges(tasks)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tasks {
    /// Does what a change needs.
    pub(crate) fn change(&mut self, effect: Effect) {
        match effect {
            Effect::Plan(asked) => self.plan(*asked),
            Effect::PlanUndo {
                generation,
                id,
                queue,
            } => {
                let (store, journal) = (self.store.clone(), self.journal.clone());
                let profile = self.session.site().profile.map(|profile| profile.name);
                self.prepare(generation, async move {
                    let which = match &id {
                        Some(id) => UndoChoice::This(id),
                        None => UndoChoice::NewestOf(&queue),
                    };
                    let mut prepared = plan_undo(&store, &journal, which, false).await?;
                    prepared.plan.profile = profile;
                    Ok(prepared)
                });
            }
            Effect::DropPlan => self.changes.drop_plan(),
            Effect::Apply(generation) => self.apply(generation),
            Effect::Order(generation, order) => self.changes.order(generation, order),
        }
    }

    fn plan(&mut self, asked: PlanRequest) {
        let (generation, answers) = (asked.generation, self.answers.clone());
        let tell = ProgressTeller::every(move |progress| {
            // Nobody listens any more when the program is about to end.
            let _ = answers.send(Msg::Change(change::Msg::Planning(generation, progress)));
        });
        let wish = Wish {
            which: marked::which(&asked.queue, asked.which),
            queue: asked.queue,
            what: asked.what,
            profile: self.session.site().profile.map(|profile| profile.name),
        };
        let store = self.store.clone();
        self.prepare(generation, async move {
            plan(&store, wish, |progress| tell.tell(progress)).await
        });
    }

    /// Makes a plan; what was planned before is void.
    fn prepare(
        &mut self,
        generation: u64,
        planning: impl Future<Output = Result<PreparedChange, ChangeError>> + Send + 'static,
    ) {
        self.changes.drop_plan();
        let (answers, prepared) = (self.answers.clone(), Arc::clone(&self.changes.prepared));
        let planning = tokio::spawn(async move {
            let result = match planning.await {
                Ok(ready) => {
                    let plan = Box::new(ready.plan.clone());
                    *lock(&prepared) = Some((generation, ready));
                    Ok(plan)
                }
                Err(ChangeError::OnlyStrays(words)) => Err(format!("{words}. {}", three_ways())),
                Err(why) => Err(why.to_string()),
            };
            let _ = answers.send(Msg::Change(change::Msg::Planned(generation, result)));
        });
        self.changes.planning = Some(planning.abort_handle());
    }

    /// Applies the plan with that generation, if it is still the last one.
    fn apply(&mut self, generation: u64) {
        self.changes
            .at_work
            .retain(|_, task| !task.work.is_finished());
        let prepared = lock(&self.changes.prepared).take_if(|(of, _)| *of == generation);
        let ready = match prepared {
            Some((_, prepared)) => match self.writer(&prepared.plan.queue) {
                Ok(writer) => Ok((prepared, writer)),
                Err(why) => Err(why.to_string()),
            },
            None => Err("The plan is no longer there: ask for it again.".to_owned()),
        };
        let (prepared, writer) = match ready {
            Ok(ready) => ready,
            Err(why) => {
                let failed = ChangeEvent::Failed(why);
                let _ = self
                    .answers
                    .send(Msg::Change(change::Msg::Applied(generation, failed)));
                return;
            }
        };
        let so_far = InterruptedChange::new(&prepared.plan, self.session.site().program);
        let so_far = Arc::new(Mutex::new(so_far));
        let applying = apply(&writer, &self.journal, prepared, Limits::default());
        let (orders, ordered) = unbounded_channel();
        let said = apply::ChangeReporter::new(
            generation,
            Arc::clone(&so_far),
            self.answers.clone(),
            self.store.link(),
        );
        let work = tokio::spawn(apply::run(applying, ordered, said));
        let task = Task {
            orders,
            work,
            so_far,
        };
        self.changes.at_work.insert(generation, task);
    }
}

/// Tells how far something is, seldom enough.
struct ProgressTeller<F> {
    last: Mutex<Option<Instant>>,
    tell: F,
}

impl<F: Fn(Progress)> ProgressTeller<F> {
    fn every(tell: F) -> Self {
        let last = Mutex::default();
        Self { last, tell }
    }

    fn tell(&self, progress: Progress) {
        let now = crate::clock::instant();
        let mut last = lock(&self.last);
        if last.is_none_or(|last| now.saturating_duration_since(last) >= TELL_EVERY) {
            *last = Some(now);
            (self.tell)(progress);
        }
    }
}
