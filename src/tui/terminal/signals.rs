//! Signals: those that end the program, and the one that continues it.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::process::Signal;
use tokio::signal::unix::{Signal as Arrivals, SignalKind, signal};
use tokio::sync::mpsc::UnboundedSender;

use super::{LENT, disable_raw_mode};
use crate::tui::edge::{Ended, Input};
use crate::tui::msg::Msg;

/// So long the loop has to end by itself, even when its terminal takes no more output.
const GRACE: Duration = Duration::from_secs(2);

/// Forwards signals to the loop from now on.
pub(super) fn forward(tx: UnboundedSender<Input>) -> io::Result<()> {
    for number in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM] {
        let mut arrivals = arrivals(number)?;
        let tx = tx.clone();
        tokio::spawn(async move {
            while arrivals.recv().await.is_some() {
                // Keys make these, and the terminal sends them to all in the foreground: they are
                // for the editor that has it.
                let by_key = matches!(number, Signal::INT | Signal::QUIT);
                if !(by_key && LENT.load(Ordering::SeqCst)) {
                    return end(&tx, Ended::Signal(number_of(number)));
                }
            }
        });
    }
    let mut continued = continued()?;
    tokio::spawn(async move {
        while continued.recv().await.is_some() {
            if tx.send(Input::Happened(Box::new(Msg::Resumed))).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// SIGCONT: the program goes on after having been stopped.
pub(super) fn continued() -> io::Result<Arrivals> {
    arrivals(Signal::CONT)
}

fn arrivals(number: Signal) -> io::Result<Arrivals> {
    signal(SignalKind::from_raw(number.as_raw()))
}

fn number_of(signal: Signal) -> u8 {
    u8::try_from(signal.as_raw()).unwrap_or(0)
}

/// Tells the loop, and ends the program without it when it does not listen: it may be stuck in a
/// write to a terminal that has stopped taking output.
fn end(tx: &UnboundedSender<Input>, ended: Ended) {
    let _ = tx.send(Input::End(ended));
    std::thread::spawn(move || {
        std::thread::sleep(GRACE);
        let _ = disable_raw_mode();
        std::process::exit(i32::from(ended.code()));
    });
}
