//! Signals: those that end the program, the one that stops it, the one that continues it, and the
//! one that says that the terminal has another size.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crossterm::terminal::{disable_raw_mode, size};
use futures_util::future::select_all;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::signal::unix::{Signal as Arrivals, SignalKind, signal};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::{LENT, RESIZED};
use crate::stops;
use crate::tui::edge::{Input, ProgramEnd};
use crate::tui::msg::Msg;

/// Time in which the loop has to end by itself, even when its terminal takes no more output.
const GRACE: Duration = Duration::from_secs(2);

/// The signals that end the program.
const ENDS: [Signal; 4] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
];

/// The sender to whoever has given the terminal back and waits until the program was stopped and
/// goes on.
static STOPPING: Mutex<Option<oneshot::Sender<()>>> = Mutex::new(None);

/// Forwards signals to the loop from now on.
pub(crate) fn forward(tx: UnboundedSender<Input>) -> io::Result<()> {
    for number in ENDS {
        let mut arrivals = arrivals(number)?;
        let tx = tx.clone();
        tokio::spawn(async move {
            while arrivals.recv().await.is_some() {
                // Keys make these, and the terminal sends them to all in the foreground: they are
                // for the editor that has it.
                let by_key = matches!(number, Signal::SIGINT | Signal::SIGQUIT);
                if !(by_key && LENT.load(Ordering::SeqCst)) {
                    return end(&tx, ProgramEnd::Signal(number_of(number)));
                }
            }
        });
    }
    let mut resized = arrivals(Signal::SIGWINCH)?;
    // Nobody heard of it before.
    RESIZED.store(true, Ordering::SeqCst);
    let sizes = tx.clone();
    tokio::spawn(async move {
        while resized.recv().await.is_some() {
            RESIZED.store(true, Ordering::SeqCst);
            let Ok((columns, rows)) = size() else {
                continue;
            };
            let msg = Msg::Resized(columns, rows);
            if sizes.send(Input::Happened(Box::new(msg))).is_err() {
                return;
            }
        }
    });
    let mut continued = arrivals(Signal::SIGCONT)?;
    let stopped = tx.clone();
    tokio::spawn(async move {
        while continued.recv().await.is_some() {
            if tx.send(Input::Happened(Box::new(Msg::Resumed))).is_err() {
                return;
            }
        }
    });
    stops::watch(move || stop_asked(&stopped))
}

/// Stops the program as the terminal itself would do it: the whole job, because `cargo run` has
/// to stop with us, or the shell would not come back. Returns when it goes on; at once when
/// nobody could continue it, for such a job is not stopped at all.
pub(crate) async fn stop_job() -> io::Result<()> {
    let (done, goes_on) = oneshot::channel();
    *STOPPING.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
    kill(Pid::from_raw(0), Signal::SIGTSTP)?;
    let _ = goes_on.await;
    Ok(())
}

/// Takes a signal that stops: one from outside is told to the loop, which gives the terminal back and
/// has the job stopped; that one then stops this process too.
fn stop_asked(tx: &UnboundedSender<Input>) {
    let asked = STOPPING
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(done) = asked {
        stops::stop();
        let _ = done.send(());
    } else if LENT.load(Ordering::SeqCst) {
        // The editor has the terminal, and stops as well: the shell waits for all of the job.
        stops::stop();
    } else if tx.send(Input::Happened(Box::new(Msg::StopAsked))).is_err() {
        // The screen is gone already.
        stops::stop();
    }
}

fn arrivals(number: Signal) -> io::Result<Arrivals> {
    signal(SignalKind::from_raw(number as i32))
}

fn number_of(signal: Signal) -> u8 {
    u8::try_from(signal as i32).unwrap_or(0)
}

/// Something has to be finished after the loop has ended.
static FINISHING: AtomicBool = AtomicBool::new(false);

/// The work that has to be finished before the program ends: no signal ends it by itself meanwhile.
#[derive(Debug)]
pub struct SignalDelay {
    asked: Vec<Arrivals>,
}

/// Begins to finish what must be finished.
pub fn finish() -> io::Result<SignalDelay> {
    let asked: io::Result<_> = ENDS.into_iter().map(arrivals).collect();
    let asked = asked?;
    FINISHING.store(true, Ordering::SeqCst);
    Ok(SignalDelay { asked })
}

impl SignalDelay {
    /// Waits until somebody says again that the program has to end.
    pub async fn asked_again(&mut self) {
        let any = self.asked.iter_mut().map(|one| Box::pin(one.recv()));
        select_all(any).await;
    }
}

impl Drop for SignalDelay {
    fn drop(&mut self) {
        FINISHING.store(false, Ordering::SeqCst);
    }
}

/// Tells the loop, and ends the program without it when it does not listen: it may be stuck in a
/// write to a terminal that has stopped taking output.
fn end(tx: &UnboundedSender<Input>, ended: ProgramEnd) {
    let _ = tx.send(Input::End(ended));
    std::thread::spawn(move || {
        std::thread::sleep(GRACE);
        while FINISHING.load(Ordering::SeqCst) {
            std::thread::sleep(GRACE);
        }
        let _ = disable_raw_mode();
        std::process::exit(i32::from(ended.code()));
    });
}
