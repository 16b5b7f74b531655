//! Does what was planned: batch after batch, at a pace that does not hurt, journalled, and so that
//! it can be paused and stopped at any moment.

mod aside;
mod asked;
mod batch;
mod brake;
mod confirm;
mod due;
mod each;
mod failover;
mod kick;
mod ledger;
mod look;
mod lost;
mod mend;
mod pace;
mod refused;
mod round;
mod run;
mod unheard;
mod watched;
mod writing;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

pub use self::aside::missing;
pub use self::confirm::Confirm;
use super::journal::Journal;
use super::panics::caught;
use super::plan::PreparedChange;
use super::plan::work::Job;
pub use crate::queue::change_event::{ChangeEvent, Order};
use crate::queue::plan::Way;
use crate::store::write::Writer;

/// The reason to wait that a paused change tells.
pub const PAUSED: &str = "paused";

/// The limits to how hard a change may press the server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The longest time for which a script shall keep the server.
    pub max_block: Duration,
    /// Entries a second; none: as fast as it goes.
    pub per_s: Option<f64>,
    /// The length of target above which it waits.
    pub max_target: Option<u64>,
    /// Bytes that a replica may be behind before it waits.
    pub max_lag: u64,
    /// The replicas that shall have a batch before the next one goes; none: it does not wait for
    /// them.
    pub confirm: Option<Confirm>,
    /// The longest wait for a replica that has left: it may be the master by now, and behind a proxy
    /// the former one was seen to take writes for 11 s.
    pub patience: Duration,
    /// Bytes of what it told that may be unheard before it waits, once nothing is aside and nothing
    /// goes round.
    pub max_unheard: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_block: Duration::from_millis(10),
            per_s: None,
            max_target: None,
            max_lag: 32 << 20,
            confirm: None,
            patience: Duration::from_secs(15),
            max_unheard: 16 << 20,
        }
    }
}

/// A change under way. Dropping it stops it like [`Order::Stop`].
#[derive(Debug)]
pub struct RunningChange {
    told: unheard::Listener,
    order: watch::Sender<Order>,
}

impl RunningChange {
    /// Waits for the next news of it; none after the end.
    pub async fn next(&mut self) -> Option<ChangeEvent> {
        self.told.next().await
    }

    /// Tells it to go on, pause or stop; takes effect after the batch under way.
    pub fn order(&self, order: Order) {
        self.order.send_replace(order);
    }
}

/// Begins to apply a plan; must be called in a tokio runtime. Nothing is repeated when the answer
/// to a script never came: what it did is read again by identity.
#[must_use]
pub fn apply(
    writer: &Writer,
    journal: &Journal,
    prepared: PreparedChange,
    limits: Limits,
) -> RunningChange {
    let prepared = prepared.within(limits.max_block);
    let (tell, told) = unheard::line(limits.max_unheard);
    let (order, orders) = watch::channel(Order::Go);
    let tell = Arc::new(tell);
    let restore = aside::restore(writer.store(), &prepared.plan.queue);
    let aside = prepared.plan.way == Way::SetAside || matches!(prepared.job, Job::RestoreOrder);
    let run = run::Run::new(
        writer.clone(),
        limits,
        &prepared.plan,
        Arc::clone(&tell),
        orders,
    );
    let journal = journal.clone();
    tokio::spawn(async move {
        if let Err(panic) = caught(run.apply(journal, prepared)).await {
            let mut why = format!("{panic}.");
            if aside {
                why.push_str(" If part of the order list is missing then, this restores it: ");
                why.push_str(&restore);
            }
            tell.say(ChangeEvent::Failed(why));
        }
    });
    RunningChange { told, order }
}
