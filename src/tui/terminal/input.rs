//! The input that is typed, read by a thread of its own: one that can be sent away while somebody
//! else has the terminal, and that leaves them every byte it has not read.

mod background;
mod parser;

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, stdin};
use std::os::fd::{AsFd as _, AsRawFd as _, RawFd};
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use filedescriptor::{POLLIN, poll, pollfd};
use tokio::sync::mpsc::UnboundedSender;

use self::parser::Parser;
use crate::tui::edge::{Input, ProgramEnd};

/// When nothing comes for so long, what the terminal has begun has no end.
const QUIET: Duration = Duration::from_secs(1);

/// As much as is read at once.
const CHUNK: usize = 4096;

/// A thread that reads what is typed. Dropped, it reads no more.
#[derive(Debug)]
pub(crate) struct InputThread {
    /// Closed, it wakes the thread.
    wake: UnixStream,
    thread: JoinHandle<()>,
}

impl InputThread {
    /// Forwards what is typed until the terminal is gone.
    pub(crate) fn begin(tx: UnboundedSender<Input>) -> io::Result<Self> {
        let tty = File::from(stdin().as_fd().try_clone_to_owned()?);
        let (wake, woken) = UnixStream::pair()?;
        let keys = thread::Builder::new().name("keys".to_owned());
        let thread = keys.spawn(move || {
            if read(tty, &woken, &tx).is_err() {
                // Nobody is left to tell.
                let _ = tx.send(Input::End(ProgramEnd::HUNG_UP));
            }
        })?;
        Ok(Self { wake, thread })
    }

    /// Two readers would share the keys between them: this one is gone afterwards.
    pub(crate) fn end(self) {
        drop(self.wake);
        let _ = self.thread.join();
    }
}

/// The next event for the thread that reads.
enum Next {
    /// Bytes, or the end of them.
    Bytes,
    /// Nothing, for as long as was waited.
    Nothing,
    /// Nobody wants them any more.
    Woken,
}

/// Reads until it is woken; an error: the terminal is gone.
fn read(mut tty: File, woken: &UnixStream, tx: &UnboundedSender<Input>) -> io::Result<()> {
    let mut parser = Parser::default();
    let mut chunk = [0; CHUNK];
    // Whether there was nothing more to read when it was last looked.
    let mut rested = true;
    loop {
        let patience = match (rested, parser.is_open()) {
            (false, _) => Some(Duration::ZERO),
            (true, true) => Some(QUIET),
            (true, false) => None,
        };
        let said = match next(tty.as_raw_fd(), woken.as_raw_fd(), patience)? {
            Next::Woken => return Ok(()),
            Next::Nothing if rested => parser.quiet(),
            Next::Nothing => {
                rested = true;
                parser.rest()
            }
            Next::Bytes => match tty.read(&mut chunk) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    rested = false;
                    parser.read(&chunk[..count])
                }
                Err(why) if is_passing(&why) => continue,
                Err(why) => return Err(why),
            },
        };
        for msg in said {
            if tx.send(Input::Happened(Box::new(msg))).is_err() {
                return Ok(());
            }
        }
    }
}

/// Waits for bytes of the terminal.
fn next(tty: RawFd, woken: RawFd, patience: Option<Duration>) -> io::Result<Next> {
    let mut both = [tty, woken].map(|fd| pollfd {
        fd,
        events: POLLIN,
        revents: 0,
    });
    loop {
        match poll(&mut both, patience) {
            Ok(_) if both[1].revents != 0 => return Ok(Next::Woken),
            Ok(_) if both[0].revents != 0 => return Ok(Next::Bytes),
            Ok(_) => return Ok(Next::Nothing),
            Err(filedescriptor::Error::Poll(why) | filedescriptor::Error::Io(why))
                if is_passing(&why) => {}
            Err(why) => return Err(io::Error::other(why)),
        }
    }
}

fn is_passing(why: &io::Error) -> bool {
    matches!(why.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}
