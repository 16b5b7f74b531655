//! Questions about the stand-in workers.

use crate::queue::Queue;
use crate::tui::model::Model;

impl Model {
    /// Of so many transfer clients that are subscribed to a queue's channel: how many are its own,
    /// and how many are stand-in workers of this program, this session's and those that call
    /// themselves so.
    #[must_use]
    pub fn beside(&self, queue: &Queue, subscribed: u64) -> (u64, u64) {
        let clients = self
            .server
            .of(queue)
            .last()
            .and_then(|look| look.clients.get_ref());
        let channel = queue.keys().channel;
        let told = clients
            .zip(channel)
            .map(|(all, channel)| all.stand_ins(&channel));
        let ours = self.workers.listening(queue).max(told.unwrap_or(0));
        let ours = ours.min(subscribed);
        (subscribed - ours, ours)
    }
}
