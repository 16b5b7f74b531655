//! What the scenes share.

use delayscope::clock::EpochMillis;
use redis::Connection;

use crate::findings::life::Each;
use crate::findings::patient::{Patient, offerer};
use crate::findings::program::Watching;

/// The server's time.
pub(super) fn time(connection: &mut Connection) -> EpochMillis {
    let now: (i64, i64) = redis::cmd("TIME").query(connection).unwrap();
    EpochMillis::new(now.0 * 1000 + now.1 / 1000)
}

impl Patient {
    /// Looks at it again and again for so many ms, and lets the program watch it meanwhile.
    pub(super) async fn stays_well(&mut self, ms: u64) {
        let watching = Watching::start(&self.server, Some(&self.queue), None, ms);
        self.well_for(ms).await;
        watching.was_well().await;
    }

    /// Somebody who offers an entry each so many ms, the n-th due so many ms later.
    pub(crate) fn offering(
        &self,
        each_ms: u64,
        due_ms: impl Fn(u64) -> i64 + Send + 'static,
    ) -> Each {
        self.offering_texts(each_ms, due_ms, |n| format!("order {n}"))
    }

    /// The same with those payloads.
    pub(crate) fn offering_texts(
        &self,
        each_ms: u64,
        due_ms: impl Fn(u64) -> i64 + Send + 'static,
        text: impl Fn(u64) -> String + Send + 'static,
    ) -> Each {
        let (mut offers, mut clock) = (offerer(self), self.server.connection());
        Each::ms(each_ms, move |n| {
            let due = time(&mut clock).plus(due_ms(n));
            offers.offer(due, n, text(n).as_bytes()).unwrap();
        })
    }
}

/// So many ms as a span that is reckoned with.
pub(super) fn ms(n: u64) -> i64 {
    i64::try_from(n).unwrap()
}
