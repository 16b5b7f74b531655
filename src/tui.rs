//! The screen: a folder for each thing that a person sees.
//!
//! `update(&mut Model, Msg) -> Vec<Effect>` decides, `view` draws, `run` acts. In the folder of a
//! feature its own file says what it is and holds its state; a file or folder `view` draws it, a
//! file `place` says where it lies, one called `run` acts for it, and all other files decide. What
//! decides is pure: it knows neither `ops` nor ratatui nor tokio, and no place on the screen. What
//! the mouse meets is looked up in what drawing has recorded (`hitmap`). What draws knows neither
//! `ops` nor `store` nor tokio; what acts draws nothing. `keys`, `widget`, `theme` and `moments` are
//! tools that know no feature.
//!
//! A message goes to the feature that it is of. Features call each other's `update` in one
//! direction only, as the table in `tests/architecture/features.rs` says. A feature that wants
//! something of one that may call it leaves a message for it, as an effect:
//! [`Effect::Tell`](effect::Effect::Tell). Three modules may be called by all of them and call none:
//! `schedule` (what is read when), `sight` (cursors and windows stay within what there is) and
//! `toast`.

pub mod area;
pub mod awaited;
pub mod bell;
pub mod change;
pub mod copy;
pub mod cursor;
pub mod departed;
pub mod depth;
pub mod dialog;
pub mod draw;
pub mod edge;
pub mod edit;
pub mod effect;
pub mod entries;
pub mod entry;
pub mod examine;
pub mod field;
pub mod filter;
pub mod findings;
pub mod flow;
pub mod focus;
pub mod form;
pub mod header;
pub mod help;
pub mod hints;
pub mod hitmap;
pub mod journal;
pub mod jump;
pub mod keys;
pub mod layout;
pub mod leave;
pub mod link;
pub mod lists;
pub mod lives;
pub mod look;
pub mod marks;
pub mod model;
pub mod moments;
pub mod msg;
pub mod nodes;
pub mod offer;
pub mod palette;
pub mod past;
pub mod prompt;
pub mod queues;
pub mod reason;
pub mod refresh;
pub mod repair;
pub mod requeue;
pub mod run;
pub mod schedule;
pub mod server;
pub mod sight;
pub mod start;
pub mod tabs;
pub mod tasks;
pub mod terminal;
pub mod theme;
pub mod timeline;
pub mod toast;
pub mod traffic;
pub mod update;
pub mod view;
pub mod widget;
pub mod worker;

use std::io::{Write as _, stdout};
use std::time::Duration;

use tokio::sync::mpsc::unbounded_channel;

pub use self::edge::ProgramEnd;
use self::edge::Surface as _;
use self::keys::Keymap;
use self::look::Look;
use self::model::Model;
use self::prompt::PromptKind;
use self::server::run::ScreenSession;
use self::tasks::Tasks;
use self::terminal::Tty;
use crate::clock::instant;
use crate::config::INTERVAL_MS;
use crate::ops::history::HistoryLines;
use crate::queue::text;

/// The settings that the screen starts with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The keys of each action.
    pub keymap: Keymap,
    /// The look that the screen is drawn in.
    pub look: Look,
    /// The terminal is asked for its background, which decides between dark and light.
    pub asks_background: bool,
    /// Interval at which the selected queue is read, in ms: 200 to 60,000.
    pub interval_ms: u64,
    /// The bell rings for what becomes critical.
    pub bell: bool,
}

/// The longest time that a terminal may take to tell its background: later the screen would change
/// its colours under the user's eyes.
const ANSWERS: Duration = Duration::from_secs(1);

/// Shows the screen until it ends; the exit code is [`ProgramEnd::code`]. Fails when the terminal
/// cannot be taken; one that goes away later is an end like any other.
pub async fn run(session: ScreenSession, options: Options) -> anyhow::Result<ProgramEnd> {
    let mut tty = Tty::enter()?;
    let input = tty.input()?;
    let mut model = Model::new(tty.size()?, options.look, String::new(), false, instant());
    model.keymap = options.keymap;
    model.bell.on = options.bell;
    model.interval_ms = options
        .interval_ms
        .clamp(*INTERVAL_MS.start(), *INTERVAL_MS.end());
    server::update::settle(&mut model, &session.site());
    if options.asks_background {
        tty.ask_background()?;
        model.schedule.background_by = Some(model.instant + ANSWERS);
    }
    let lines = HistoryLines::of_user();
    let mut kept = lines.recall();
    for kind in PromptKind::ALL {
        for line in kept.remove(kind.name()).unwrap_or_default() {
            model.history.push(kind, &line);
        }
    }
    let (answers, replies) = unbounded_channel();
    let mut tasks = Tasks::new(session, lines, answers);
    #[cfg(debug_assertions)]
    panic_when_asked();
    let ended = run::run(&mut tty, &mut model, input, replies, &mut tasks, instant).await;
    // A terminal that cannot be written to any more is gone.
    let ended = ended.unwrap_or(ProgramEnd::HUNG_UP);
    // The shell gets its terminal before anything is waited for.
    drop(tty);
    finish_changes(&mut tasks, ended).await;
    farewell(&mut tasks, &mut model).await;
    Ok(ended)
}

/// The longest time in which a change may finish what must be finished when nobody is there to say
/// that he will not wait: the server may be away for good.
const ALONE: Duration = Duration::from_secs(30);

/// Lets the changes under way stop, and finish what must be finished; until somebody says again
/// that he leaves.
async fn finish_changes(tasks: &mut Tasks, ended: ProgramEnd) {
    let names = tasks.stop_changes();
    if names.is_empty() {
        return;
    }
    let Ok(mut finishing) = terminal::finish() else {
        return;
    };
    let words = format!(
        "Stopping the {}, and finishing what must be finished. Ctrl-C leaves now.",
        names.join(" and the ")
    );
    // Not waited for: a terminal may take no output.
    tokio::task::spawn_blocking(move || {
        let _ = writeln!(stdout(), "{}", text::printable(&words));
    });
    let alone = async {
        match ended {
            ProgramEnd::Quit => std::future::pending().await,
            ProgramEnd::Signal(_) | ProgramEnd::Panicked => tokio::time::sleep(ALONE).await,
        }
    };
    tokio::select! {
        () = tasks.changes_ended() => {}
        () = finishing.asked_again() => {}
        () = alone => {}
    }
}

/// Lets the workers end, and says on the terminal that stays how they would go on.
async fn farewell(tasks: &mut Tasks, model: &mut Model) {
    model.workers.ended(&tasks.finish().await);
    let mut out = stdout();
    for line in tasks.farewell() {
        let _ = writeln!(out, "{}", text::printable(&line));
    }
    for (said, command) in model.workers.farewell() {
        // A terminal that is gone cannot be told.
        let [said, command] = [&said, &command].map(|line| text::printable(line));
        let _ = writeln!(out, "{said} This goes on with it:\n  {command}");
    }
}

/// Lets a test see what a panic leaves behind: in the loop's own task, or in another one.
#[cfg(debug_assertions)]
fn panic_when_asked() {
    match std::env::var("DELAYSCOPE_PANIC").as_deref() {
        Ok("loop") => panic!("asked to panic in the loop"),
        Ok("task") => drop(tokio::spawn(async { panic!("asked to panic in a task") })),
        _ => {}
    }
}
