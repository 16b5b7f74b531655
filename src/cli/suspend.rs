//! Being stopped for a while (Ctrl-Z, SIGTSTP): not while something is held that others miss.
//!
//! Where nothing is held, the signal stops the process at once, as if nobody had asked for it; a change
//! under way is told first.

use std::io;
use std::sync::{Mutex, PoisonError};

use nix::sys::signal::{SigSet, Signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::stops;

/// The channel to whoever is told before the process is stopped.
static HOLDS: Mutex<Option<UnboundedSender<()>>> = Mutex::new(None);

/// Lets stops be heeded by a change first. In the background it goes on writing to the terminal
/// (SIGTTOU), whatever that is set to. To be called before the runtime starts its threads.
pub fn hold_stops() -> io::Result<()> {
    let mut background = SigSet::empty();
    background.add(Signal::SIGTTOU);
    background.thread_block()?;
    stops::hold()?;
    stops::watch(|| {
        let holds = HOLDS.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if holds.is_none_or(|holds| holds.send(()).is_err()) {
            stops::stop();
        }
    })
}

/// Stops that are heeded by whoever has this.
pub(super) struct Suspend {
    asked: UnboundedReceiver<()>,
}

impl Suspend {
    /// From now on nothing stops us unasked.
    pub(super) fn heed() -> Self {
        let (tell, asked) = unbounded_channel();
        *HOLDS.lock().unwrap_or_else(PoisonError::into_inner) = Some(tell);
        Self { asked }
    }

    /// Waits until we are asked to stop for a while.
    pub(super) async fn asked(&mut self) {
        if self.asked.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Stops, and comes back when we go on.
    pub(super) async fn stop(&mut self) {
        // What was asked until now is done by this; what is asked afterwards is another stop.
        while self.asked.try_recv().is_ok() {}
        // Nobody else's work is kept waiting, and nothing is said meanwhile.
        let _ = tokio::task::spawn_blocking(stops::stop).await;
    }
}

impl Drop for Suspend {
    fn drop(&mut self) {
        *HOLDS.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
