//! Looks for queues.

use futures_util::StreamExt as _;
use tokio::sync::mpsc::UnboundedSender;

use super::Effect;
use crate::ops::discover::{DiscoveryEvent, discover};
use crate::queue::Queue;
use crate::store::Store;
use crate::tui::msg::Msg;
use crate::tui::queues;
use crate::tui::tasks::{TaskKind, Tasks};

impl Tasks {
    /// Looks for what is asked for.
    pub(crate) fn queues(&mut self, effect: Effect) {
        match effect {
            Effect::Discover => {
                let named = self.named.clone();
                let search = look(self.store.clone(), named, self.answers.clone());
                self.latest(TaskKind::Discover, search);
            }
        }
    }
}

async fn look(store: Store, named: Vec<Queue>, answers: UnboundedSender<Msg>) {
    if !named.is_empty() {
        let _ = answers.send(Msg::Queues(queues::Msg::LookedAll(0)));
        return;
    }
    let mut found = std::pin::pin!(discover(&store, named));
    while let Some(told) = found.next().await {
        let msg = match told {
            DiscoveryEvent::Queue(queue) => Msg::Queues(queues::Msg::Found(queue)),
            DiscoveryEvent::Progress { looked, keys } => {
                Msg::Queues(queues::Msg::Looked(looked, keys))
            }
            DiscoveryEvent::Done { looked } => Msg::Queues(queues::Msg::LookedAll(looked)),
            DiscoveryEvent::Away { looked, nodes, .. } => {
                Msg::Queues(queues::Msg::LookedBut(looked, nodes))
            }
            // The panic itself ends the screen, and is said then.
            DiscoveryEvent::Failed(_) => return,
        };
        if answers.send(msg).is_err() {
            return;
        }
    }
}
