//! The signal that stops the process for a while (Ctrl-Z, SIGTSTP), kept back until nothing is held
//! that others miss.
//!
//! It is kept from all threads but one, which waits for it and asks its owner what to do.

use std::io;

use nix::sys::signal::{SigSet, Signal, raise};

/// Keeps the signal from all threads that are started from now on. To be called before the runtime
/// starts its threads.
pub fn hold() -> io::Result<()> {
    Ok(stops().thread_block()?)
}

/// Calls `asked` each time that the process is to stop, on a thread of its own, which may
/// [`stop`].
pub fn watch(mut asked: impl FnMut() + Send + 'static) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("stops".to_owned());
    let wait = move || {
        while stops().wait().is_ok() {
            asked();
        }
    };
    thread.spawn(wait).map(drop)
}

/// Stops this process by the signal's own means, until it is continued: at once when nobody could
/// continue it. Sent to this thread, it acts before the call returns.
pub fn stop() {
    unheld(|| {
        let _ = raise(Signal::SIGTSTP);
    });
}

/// Does something while the signal is for this thread what it is for other programs: one that is
/// started by it can be stopped.
pub fn unheld<T>(act: impl FnOnce() -> T) -> T {
    let _ = stops().thread_unblock();
    let done = act();
    let _ = stops().thread_block();
    done
}

fn stops() -> SigSet {
    let mut stops = SigSet::empty();
    stops.add(Signal::SIGTSTP);
    stops
}
