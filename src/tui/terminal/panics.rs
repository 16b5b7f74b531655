//! A panic's message belongs on the screen that stays, and the shell gets a working terminal.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{Write, stderr};
use std::panic::PanicHookInfo;
use std::sync::{Mutex, Once, OnceLock};
use std::thread::{self, ThreadId};

use tokio::sync::mpsc::UnboundedSender;

use super::{entered, leave};
use crate::queue::text;
use crate::tui::edge::{Input, ProgramEnd};

/// The thread that draws.
static DRAWS: OnceLock<ThreadId> = OnceLock::new();

/// The channel on which the loop is told to end.
static TELL: Mutex<Option<UnboundedSender<Input>>> = Mutex::new(None);

/// Panic messages of other threads, kept until the terminal is given back.
static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// From now on a panic gives the terminal back. The caller is the thread that draws.
pub(crate) fn give_back() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = DRAWS.set(thread::current().id());
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let draws = DRAWS.get() == Some(&thread::current().id());
            if draws || !entered() {
                leave();
                before(info);
            } else {
                // The loop may be drawing right now: it ends first and says it then.
                keep(info);
                end();
            }
        }));
    });
}

/// A panic in another thread ends the loop that listens there.
pub(crate) fn tell(tx: UnboundedSender<Input>) {
    if let Ok(mut to) = TELL.lock() {
        *to = Some(tx);
    }
}

fn keep(info: &PanicHookInfo<'_>) {
    let backtrace = Backtrace::capture();
    let mut text = info.to_string();
    if backtrace.status() == BacktraceStatus::Captured {
        text = format!("{text}\n{backtrace}");
    }
    if let Ok(mut said) = SAID.lock() {
        said.push(text);
    }
}

fn end() {
    if let Ok(to) = TELL.lock()
        && let Some(tx) = &*to
    {
        let _ = tx.send(Input::End(ProgramEnd::Panicked));
    }
}

/// Prints what other threads had to say; once the terminal is given back.
pub(crate) fn say() {
    if let Ok(mut said) = SAID.lock() {
        for text in said.drain(..) {
            let _ = writeln!(stderr(), "{}", text::printable_lines(&text));
        }
    }
}
