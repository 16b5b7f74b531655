//! The stand-in workers of this session.

use ratatui::style::Style;

use crate::queue::text;
use crate::tui::draw::Ctx;
use crate::tui::worker::{Worker, WorkerState};

/// `WORKER orders 1,204 moved, 85/s, 9,020 late`: how many are late still where there is room for
/// it.
pub(crate) fn workers(ctx: &Ctx) -> Option<(String, Style)> {
    let (workers, t) = (&ctx.model.workers, &ctx.theme);
    let first = workers.at_work.first()?;
    let failing = |worker: &&Worker| matches!(worker.state, WorkerState::Failing(_));
    let ill = workers.at_work.iter().filter(failing).count();
    let moved = format!("{} moved", text::number(workers.moved(), 9));
    let (who, how) = match workers.at_work.len() {
        1 => {
            let name = text::printable_bytes(first.queue.name.as_bytes());
            let name = text::cut(&name, if ctx.wide() { 32 } else { 12 });
            let name = name.replace('…', t.glyphs.cut);
            (format!("WORKER {name}"), state(ctx, first))
        }
        n if ill > 0 => (format!("{n} WORKERS"), format!("{ill} retrying")),
        n => (format!("{n} WORKERS"), String::new()),
    };
    // How fast it goes comes behind how far it is; what ails it before.
    let words = match (how.is_empty(), ctx.wide()) {
        (true, _) => format!("{who} {moved}"),
        (false, true) => format!("{who} {moved}, {how}"),
        (false, false) => format!("{who} {how}"),
    };
    let style = if ill > 0 { t.warn } else { t.accent };
    Some((words, style))
}

/// Says how a worker does; where it does well, how fast and how much is left, if there is room.
fn state(ctx: &Ctx, worker: &Worker) -> String {
    match worker.state {
        WorkerState::Starting => return "starting".to_owned(),
        WorkerState::Failing(_) => return "retrying".to_owned(),
        WorkerState::Ending => return "ending".to_owned(),
        WorkerState::AtWork | WorkerState::Deaf(_) => {}
    }
    if !ctx.wide() {
        return String::new();
    }
    let pace = worker.per_s(ctx.model.instant);
    // Nothing was measured where nothing moves.
    let pace = pace.filter(|pace| *pace > 0.0);
    let pace = pace.map(|pace| format!("{}/s", text::rate(pace)));
    let mut rows = ctx.model.queues.iter();
    let row = rows.find(|row| row.queue == worker.queue);
    let late = row.and_then(|row| row.pulse.as_ref()?.late.get());
    let late = late.map(|late| format!("{} late", text::thousands(late)));
    let words: Vec<String> = pace.into_iter().chain(late).collect();
    words.join(", ")
}
