//! Being asked to end: Ctrl-C, SIGTERM, SIGHUP. Commands that run on end cleanly, with totals.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens from its making on, so that no signal is lost between two waits.
pub(super) struct StopSignal {
    signals: Vec<Signal>,
}

impl StopSignal {
    /// Starts to listen. A signal that cannot be listened to keeps its default: it ends us.
    pub(super) fn listen() -> Self {
        let kinds = [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
        ];
        Self {
            signals: kinds.into_iter().filter_map(|k| signal(k).ok()).collect(),
        }
    }

    /// Waits until we are asked to end.
    pub(super) async fn asked(&mut self) {
        if self.signals.is_empty() {
            return std::future::pending().await;
        }
        let any = self.signals.iter_mut().map(|s| Box::pin(s.recv()));
        futures_util::future::select_all(any).await;
    }
}
