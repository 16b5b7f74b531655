//! What another client waits while something is done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use delayscope::clock::instant;

use crate::support::Server;

/// Does something, and measures the longest answer to a PING that another client sends each
/// millisecond meanwhile.
pub(crate) async fn waits<T>(server: &Server, run: impl Future<Output = T>) -> (T, Duration) {
    let over = Arc::new(AtomicBool::new(false));
    let (seen, mut wire) = (Arc::clone(&over), server.connection());
    let client = thread::spawn(move || {
        let mut worst = Duration::ZERO;
        while !seen.load(Ordering::Relaxed) {
            let asked = instant();
            redis::cmd("PING").exec(&mut wire).unwrap();
            worst = worst.max(asked.elapsed());
            thread::sleep(Duration::from_millis(1));
        }
        worst
    });
    let done = run.await;
    over.store(true, Ordering::Relaxed);
    (done, client.join().unwrap())
}
