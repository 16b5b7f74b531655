//! The terminal: entered once, given back however the program ends.
//!
//! It is asked for its background, once; the answer comes between the keys, and `input` tells it from
//! them. Nothing waits for it. After the loop has started neither `Terminal::clear()` nor a cursor query may be used: both wait two seconds for an
//! answer that the reader of the keys has swallowed.

mod editor;
mod input;
mod panics;
mod signals;

use std::cell::Cell;
use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::style::Print;
use crossterm::terminal::{
    BeginSynchronizedUpdate, DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate,
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{cursor, execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use self::input::InputThread;
pub use self::signals::finish;
use crate::queue::text::printable;
use crate::tui::edge::{Input, Surface};
use crate::tui::hitmap::HitMap;
use crate::tui::model::Model;
use crate::tui::view;

/// Presses, drags and the wheel in SGR form; not every motion, which would flood a slow line.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";

const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// A frame leaves in one write as long as it fits.
const FRAME_BYTES: usize = 64 * 1024;

/// The terminal is ours at the moment.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// Its size may be another one than it was when that was asked last.
static RESIZED: AtomicBool = AtomicBool::new(false);

/// The user's editor has it.
static LENT: AtomicBool = AtomicBool::new(false);

/// The terminal, entered. Dropping it gives the terminal back.
pub struct Tty {
    /// Never dropped: ratatui's drop writes to standard error when the terminal is gone, which
    /// panics when that is the same terminal. [`leave`] does what is to be done.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
    /// The next picture writes every cell.
    repaint: bool,
    /// Its size, when that was asked last.
    size: Cell<(u16, u16)>,
    /// The size of the last picture.
    drawn: (u16, u16),
    /// The sender that keys go to, once they are read.
    keys: Option<UnboundedSender<Input>>,
    /// The thread that reads them, while the terminal is ours.
    reading: Option<InputThread>,
}

impl Tty {
    /// Takes the terminal: raw mode, the other screen, mouse and bracketed paste.
    pub fn enter() -> io::Result<Self> {
        panics::give_back();
        enter()?;
        let out = BufWriter::with_capacity(FRAME_BYTES, stdout());
        let terminal = Terminal::new(CrosstermBackend::new(out))?;
        let size = terminal.size()?;
        let size = (size.width, size.height);
        Ok(Self {
            terminal: ManuallyDrop::new(terminal),
            repaint: false,
            size: Cell::new(size),
            drawn: size,
            keys: None,
            reading: None,
        })
    }

    /// Keys, mouse, sizes and signals from now on; the first signal that ends the program also
    /// sees to it that it does end.
    pub fn input(&mut self) -> io::Result<UnboundedReceiver<Input>> {
        let (tx, rx) = unbounded_channel();
        panics::tell(tx.clone());
        signals::forward(tx.clone())?;
        self.keys = Some(tx);
        self.read()?;
        Ok(rx)
    }

    fn read(&mut self) -> io::Result<()> {
        let begun = self.keys.clone().map(InputThread::begin).transpose()?;
        self.reading = begun;
        Ok(())
    }

    /// Asks for the colour of the background (OSC 11).
    pub fn ask_background(&mut self) -> io::Result<()> {
        let out = self.terminal.backend_mut();
        out.write_all(b"\x1b]11;?\x1b\\")?;
        Write::flush(out)
    }

    /// Gives the terminal back, and with it what is typed from now on.
    fn lend(&mut self) {
        if let Some(reading) = self.reading.take() {
            reading.end();
        }
        leave();
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        leave();
        panics::say();
    }
}

impl Surface for Tty {
    fn size(&self) -> io::Result<(u16, u16)> {
        // To ask is to open the terminal anew, at each picture: who is resized is told so.
        if RESIZED.swap(false, Ordering::SeqCst) {
            self.size.set(size()?);
        }
        Ok(self.size.get())
    }

    fn draw(&mut self, model: &Model) -> io::Result<HitMap> {
        let mut drawn = HitMap::default();
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        let size = self.size()?;
        if std::mem::take(&mut self.repaint) || size != self.drawn {
            self.terminal.resize(Rect::new(0, 0, size.0, size.1))?;
            self.drawn = size;
        }
        // Not `Terminal::draw`, which asks for the size and hides the cursor each time, in a write of
        // its own.
        let mut frame = self.terminal.get_frame();
        // Resized between two looks at the size: the next picture fits again.
        if size == model.size {
            let area = frame.area();
            drawn = view::render(model, area, frame.buffer_mut());
        }
        self.terminal.flush()?;
        self.terminal.swap_buffers();
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        Write::flush(self.terminal.backend_mut())?;
        Ok(drawn)
    }

    fn ring(&mut self, line: &str) -> io::Result<()> {
        // BEL, and OSC 9 for terminals that show notifications. What is printable ends neither.
        let line = printable(line);
        let out = self.terminal.backend_mut();
        write!(out, "\x07\x1b]9;{line}\x07")?;
        Write::flush(out)
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        // OSC 52, which goes through ssh and, with `set-clipboard on`, through tmux.
        let text = BASE64.encode(text);
        let out = self.terminal.backend_mut();
        write!(out, "\x1b]52;c;{text}\x07")?;
        Write::flush(out)
    }

    fn repaint(&mut self) {
        self.repaint = true;
    }

    fn retake(&mut self) -> io::Result<()> {
        // Raw mode is not set again while crossterm believes that it is.
        let _ = disable_raw_mode();
        self.repaint();
        enter()
    }

    async fn edit(&mut self, text: &str, extension: &str) -> io::Result<Result<String, String>> {
        self.lend();
        LENT.store(true, Ordering::SeqCst);
        let edited = editor::edit(text, extension).await;
        LENT.store(false, Ordering::SeqCst);
        self.retake()?;
        self.read()?;
        Ok(edited)
    }

    async fn suspend(&mut self) -> io::Result<()> {
        self.lend();
        signals::stop_job().await?;
        enter()?;
        self.read()
    }
}

/// Takes the terminal, wholly or not at all.
fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    ENTERED.store(true, Ordering::SeqCst);
    // While it was not ours, nobody told us.
    RESIZED.store(true, Ordering::SeqCst);
    let taken = execute!(
        stdout(),
        EnterAlternateScreen,
        DisableLineWrap,
        EnableBracketedPaste,
        Print(MOUSE_ON),
        cursor::Hide
    );
    if taken.is_err() {
        leave();
    }
    taken
}

fn entered() -> bool {
    ENTERED.load(Ordering::SeqCst)
}

/// Gives the terminal back; harmless when it is not ours. A terminal that is gone cannot be
/// written to any more, and that is no reason to fail.
fn leave() {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = execute!(
        stdout(),
        EndSynchronizedUpdate,
        Print(MOUSE_OFF),
        DisableBracketedPaste,
        EnableLineWrap,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = disable_raw_mode();
}
