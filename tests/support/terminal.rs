//! The real program in a pseudo-terminal of its own: what it writes is interpreted as a terminal
//! does, what is typed reaches it as keys.

#![expect(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "shared by test crates that each use a part of it; a failure here is a failed test"
)]

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use delayscope::clock::instant;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// What the terminal shows, and when it last changed.
pub struct Shown {
    parser: vt100::Parser,
    /// Every byte so far.
    pub bytes: Vec<u8>,
    /// When the last of them came.
    pub at: Instant,
}

impl Shown {
    /// The screen's text.
    pub fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// The cells, with their colours.
    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// The last picture is here as a whole: no part of one more has arrived.
    pub fn whole(&self) -> bool {
        self.bytes.ends_with(b"\x1b[?2026l")
    }

    /// The terminal is in the hands of a full-screen program.
    pub fn taken(&self) -> bool {
        self.parser.screen().alternate_screen()
    }

    /// Everything that a full-screen program changes is as it was.
    pub fn given_back(&self) -> bool {
        let screen = self.parser.screen();
        !screen.alternate_screen()
            && !screen.hide_cursor()
            && !screen.bracketed_paste()
            && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
    }
}

/// A program in an environment that does not depend on who runs the test.
fn hermetic(program: &[&str], home: &Path, env: &[(&str, &str)]) -> CommandBuilder {
    let mut command = CommandBuilder::new(program[0]);
    command.args(&program[1..]);
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    command.env("XDG_STATE_HOME", home);
    command.env("XDG_CONFIG_HOME", home);
    command.env("PS1", "$ ");
    command.env("RUST_BACKTRACE", "0");
    for name in [
        "NO_COLOR",
        "COLORTERM",
        "DELAYSCOPE_CONFIG",
        "DELAYSCOPE_PROFILE",
    ] {
        command.env_remove(name);
    }
    for (name, value) in env {
        command.env(name, value);
    }
    command
}

/// A terminal with a program in it.
pub struct Terminal {
    shown: Arc<(Mutex<Shown>, Condvar)>,
    master: Option<Box<dyn MasterPty + Send>>,
    keys: Option<Box<dyn Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    modes: String,
    /// When the program was started.
    pub started: Instant,
    state: tempfile::TempDir,
    gone: Arc<AtomicBool>,
    reads: Arc<Mutex<()>>,
}

impl Terminal {
    /// Starts `program` in a terminal of that size.
    pub fn start(program: &[&str], (cols, rows): (u16, u16), env: &[(&str, &str)]) -> Self {
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let state = super::support::room();
        let command = hermetic(program, state.path(), env);
        let modes = modes(&*pair.master);
        let shown = Shown {
            parser: vt100::Parser::new(cells(rows), cells(cols), 0),
            bytes: Vec::new(),
            at: instant(),
        };
        let shown = Arc::new((Mutex::new(shown), Condvar::new()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let started = instant();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let seen = Arc::clone(&shown);
        let gone = Arc::new(AtomicBool::new(false));
        let reader_gone = Arc::clone(&gone);
        let reads = Arc::new(Mutex::new(()));
        let reader_reads = Arc::clone(&reads);
        std::thread::spawn(move || {
            let mut chunk = vec![0; 65536];
            while let Ok(n @ 1..) = reader.read(&mut chunk) {
                drop(reader_reads.lock().unwrap());
                let mut shown = seen.0.lock().unwrap();
                shown.parser.process(&chunk[..n]);
                shown.bytes.extend_from_slice(&chunk[..n]);
                shown.at = instant();
                seen.1.notify_all();
                drop(shown);
                if reader_gone.load(Ordering::SeqCst) {
                    return;
                }
            }
        });
        Self {
            shown,
            keys: Some(pair.master.take_writer().unwrap()),
            master: Some(pair.master),
            child,
            modes,
            started,
            state,
            gone,
            reads,
        }
    }

    /// What is shown now.
    pub fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.0.lock().unwrap()
    }

    /// Waits until what is shown fulfils `condition`; when it did. Panics with the screen when it
    /// does not within `patience`.
    pub fn wait(
        &self,
        what: &str,
        patience: Duration,
        condition: impl Fn(&Shown) -> bool,
    ) -> Instant {
        let deadline = instant() + patience;
        let mut shown = self.shown();
        while !condition(&shown) {
            let left = deadline.saturating_duration_since(instant());
            assert!(!left.is_zero(), "no {what} on:\n{}", shown.text());
            shown = self.shown.1.wait_timeout(shown, left).unwrap().0;
        }
        shown.at
    }

    /// Waits for a text.
    pub fn wait_text(&self, text: &str) -> Instant {
        self.wait(text, super::support::PATIENCE, |s| s.text().contains(text))
    }

    /// Types bytes as a keyboard sends them.
    pub fn send(&mut self, keys: &[u8]) {
        let out = self.keys.as_mut().unwrap();
        out.write_all(keys).unwrap();
        out.flush().unwrap();
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        self.shown()
            .parser
            .screen_mut()
            .set_size(cells(rows), cells(cols));
        self.master.as_ref().unwrap().resize(size).unwrap();
    }

    /// The program's process id.
    pub fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Sends it a signal, such as `-TERM`.
    pub fn signal(&self, name: &str) {
        let pid = self.pid().to_string();
        let status = Command::new("kill").args([name, &pid]).status();
        assert!(status.unwrap().success());
    }

    /// While this is locked the terminal takes no output: the program's writes get stuck.
    pub fn reads(&self) -> Arc<Mutex<()>> {
        Arc::clone(&self.reads)
    }

    /// The terminal goes away, as when its window is closed.
    pub fn hang_up(&mut self) {
        self.keys = None;
        self.master = None;
        // The reader holds the terminal open until it has read something more.
        self.gone.store(true, Ordering::SeqCst);
    }

    /// Waits for the program's end; its exit code.
    pub fn exit_code(&mut self) -> u32 {
        let mut status = None;
        super::support::wait_for("the program to end", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.map_or(0, |status| status.exit_code())
    }

    /// The line discipline is as it was before the program: echo, lines, signals.
    pub fn modes_are_back(&self) -> bool {
        modes(&**self.master.as_ref().unwrap()) == self.modes
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Columns or rows as the interpreter of terminals takes them.
pub fn cells(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap()
}

fn modes(master: &dyn MasterPty) -> String {
    format!(
        "{:?}",
        master.get_termios().map(|t| (t.local_flags, t.input_flags))
    )
}
