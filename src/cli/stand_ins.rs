//! The stand-in workers of this program among the transfer clients that are counted.

use crate::queue::look::LookAsk;
use crate::queue::{Pulse, Queue, ServerWatch, text};
use crate::store::Store;
use crate::store::read::look;

/// The clients of the server, as far as there was a reason and a right to look at them.
pub(super) struct StandIns(ServerWatch);

impl StandIns {
    /// Looks at the clients, where anybody is subscribed.
    pub(super) async fn look(store: &Store, pulses: &[&Pulse]) -> Self {
        let anybody = |pulse: &&Pulse| pulse.transfer_clients.get().is_some_and(|n| n > 0);
        if !pulses.iter().any(anybody) {
            return Self(ServerWatch::default());
        }
        let mut server = ServerWatch::default();
        if let Ok(looked) = look(store, LookAsk::Brief).await {
            server.looked(looked);
        }
        Self(server)
    }

    /// Counts those of the queue's transfer clients that are stand-in workers; none where nobody
    /// can tell.
    pub(super) fn of(&self, queue: &Queue, pulse: &Pulse) -> Option<u64> {
        let subscribed = pulse.transfer_clients.get()?;
        if subscribed == 0 {
            return Some(0);
        }
        let channel = queue.keys().channel?;
        let ours = self
            .0
            .of(queue)
            .last()?
            .clients
            .get_ref()?
            .stand_ins(&channel);
        Some(ours.min(subscribed))
    }

    /// The same in words; none where there is nothing to say.
    pub(super) fn remark(&self, queue: &Queue, pulse: &Pulse) -> Option<String> {
        let ours = self.of(queue, pulse).filter(|ours| *ours > 0)?;
        Some(text::counted(
            ours,
            "of them is a worker of delayscope",
            "of them are workers of delayscope",
        ))
    }
}
