//! Does what was planned: batch after batch, at a pace that does not hurt, journalled, and so that
//! it can be paused and stopped at any moment.

mod aside;
mod batch;
mod brake;
mod due;
mod each;
mod kick;
mod look;
mod mend;
mod pace;
mod round;
mod run;
mod watched;

use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::journal::Journal;
use super::plan::Prepared;
pub use crate::queue::told::{Applied, Order};
use crate::store::write::Writer;

/// How hard a change may press the server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// No script shall keep the server for longer.
    pub max_block: Duration,
    /// Entries a second; none: as fast as it goes.
    pub per_s: Option<f64>,
    /// It waits while target is longer than this.
    pub max_target: Option<u64>,
    /// It waits while a replica is further behind than so many bytes.
    pub max_lag: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_block: Duration::from_millis(10),
            per_s: None,
            max_target: None,
            max_lag: 32 << 20,
        }
    }
}

/// A change under way. Dropping it stops it like [`Order::Stop`].
#[derive(Debug)]
pub struct Applying {
    told: mpsc::Receiver<Applied>,
    order: watch::Sender<Order>,
}

impl Applying {
    /// What it tells next; none after the end.
    pub async fn next(&mut self) -> Option<Applied> {
        self.told.recv().await
    }

    /// Tells it to go on, pause or stop; takes effect after the batch under way.
    pub fn order(&self, order: Order) {
        self.order.send_replace(order);
    }
}

/// So many things may wait to be heard before the change itself waits.
const UNHEARD: usize = 64;

/// Begins to apply a plan; must be called in a tokio runtime. Nothing is repeated when the answer
/// to a script never came: what it did is read again by identity.
#[must_use]
pub fn apply(writer: &Writer, journal: &Journal, prepared: Prepared, limits: Limits) -> Applying {
    let (tell, told) = mpsc::channel(UNHEARD);
    let (order, orders) = watch::channel(Order::Go);
    let run = run::Run::new(writer.clone(), limits, &prepared.plan, tell, orders);
    tokio::spawn(run.apply(journal.clone(), prepared));
    Applying { told, order }
}
