//! The part of the header that says what is wrong.

use ratatui::style::Style;

use crate::clock::EpochMillis;
use crate::queue::{Finding, Severity, text};
use crate::tui::draw::Ctx;
use crate::tui::model::Screen;
use crate::tui::queues::{Opening, QueueRow};

/// The words for what is wrong.
pub(crate) struct Alarm {
    /// All that there is to say.
    pub(crate) words: String,
    /// The same in fewer words, the more first.
    pub(crate) shorter: Vec<String>,
    /// Its style.
    pub(crate) style: Style,
}

/// The sickest queue, what is wrong with it and since when: `✖ orders: no transfer client 16:19`;
/// and of how many others somebody has to take care, where there are any.
pub(crate) fn sick(ctx: &Ctx) -> Option<Alarm> {
    let (m, t) = (ctx.model, &ctx.theme);
    if m.table.opening != Opening::Over && !m.queues.is_empty() && !ctx.lost {
        return Some(Alarm {
            words: format!("checking {}", t.glyphs.cut),
            shorter: Vec::new(),
            style: t.text,
        });
    }
    let sick = || m.queues.iter().filter(|row| row.sick(ctx.now));
    let since = |row: &&QueueRow| row.late_since(ctx.now).map_or(i64::MAX, EpochMillis::get);
    // Of equally bad ones the one that is late the longest, as everywhere.
    let worst = sick().min_by_key(|row| (std::cmp::Reverse(row.worst()), since(row)));
    let Some(worst) = worst else {
        return looking(ctx);
    };
    // It may be late before any rule has said why; the others count when one has.
    let decided = || m.queues.iter().filter(|row| row.has_problem(ctx.now));
    let more = decided().filter(|row| row.queue != worst.queue).count();
    let count = decided().count().max(1);
    let name = text::printable_bytes(worst.queue.name.as_bytes());
    let most = if ctx.wide() { 24 } else { 12 };
    let name = text::cut(&name, most).replace('…', t.glyphs.cut);
    let found = worst.findings.first();
    let (sign, style) = match found.map(|found| found.severity) {
        Some(Severity::Critical) => (t.glyphs.lost, t.late),
        Some(Severity::Warning) => (t.glyphs.warn, t.warn),
        Some(Severity::Note) | None => ("!", t.warn),
    };
    let found = found.filter(|found| found.severity > Severity::Note);
    let what = what(ctx, worst, found);
    // On its own screen its name stands there already.
    let inside = !matches!(m.screen, Screen::Dashboard);
    let own = inside && m.selected().is_some_and(|row| row.queue == worst.queue);
    let whose = if own {
        String::new()
    } else {
        format!("{name}: ")
    };
    let others = match (more, ctx.wide()) {
        (0, _) => String::new(),
        (_, true) => {
            let all = text::thousands(m.queues.len() as u64);
            format!(
                ", {} of {all} queues have problems",
                text::thousands(count as u64)
            )
        }
        (more, false) => format!(" +{}", text::thousands(more as u64)),
    };
    let (of, all) = (text::thousands(count as u64), m.queues.len());
    // Of a single one its name says more.
    let of_all = (count > 1).then(|| {
        let all = text::thousands(all as u64);
        format!("{sign} {of} of {all} have problems")
    });
    let shorter = of_all.into_iter().chain([format!("{sign} {of}")]);
    let words = format!("{sign} {whose}{what}{others}");
    let short = |one: &String| text::width(one) < text::width(&words);
    Some(Alarm {
        shorter: shorter.filter(short).collect(),
        words,
        style,
    })
}

/// Says what is wrong and since when, in a few words; where no finding says it yet, by what is seen
/// of the queue.
fn what(ctx: &Ctx, row: &QueueRow, found: Option<&Finding>) -> String {
    let ago = |at| format!(" {}", ctx.ago(at));
    let late = row.late_since(ctx.now);
    match found {
        // How long entries are late says more than since when we have been looking.
        Some(found) => {
            // What is to come by itself: until when there is time.
            let ends = found.ends.filter(|ends| *ends > ctx.now);
            if let Some(ends) = ends {
                return format!("{} in {}", found.short(), ctx.countdown(ends));
            }
            let since = late.or(found.since).map_or_else(String::new, ago);
            format!("{}{since}", found.short())
        }
        None if row.trouble.is_some() => "cannot be read".to_owned(),
        None => {
            let count = row.pulse.as_ref().and_then(|pulse| pulse.late.get());
            let count = count.map_or_else(|| "?".to_owned(), text::compact);
            let why = if row.is_abandoned() {
                "no client, "
            } else {
                ""
            };
            format!("{why}{count} late{}", late.map_or_else(String::new, ago))
        }
    }
}

/// Of hundreds of queues the rules have not looked at all for a while, and what is seen first of one
/// may need some seconds to be told: so long nobody can say that nothing is wrong.
fn looking(ctx: &Ctx) -> Option<Alarm> {
    let all = ctx.model.queues.len();
    let looked_at = ctx.model.queues.iter().filter(|row| row.is_looked_at());
    let looked_at = looked_at.count();
    let number = |n: usize| text::thousands(n as u64);
    let (looked, of) = (number(looked_at), number(all));
    let alarm = |words: String, shorter: Vec<String>| Alarm {
        words,
        shorter,
        style: ctx.theme.text,
    };
    let cut = ctx.theme.glyphs.cut;
    if ctx.lost {
        return None;
    }
    if looked_at < all {
        let words = format!("checking {looked} of {of} {cut}");
        return Some(alarm(words, vec![format!("checking {cut}")]));
    }
    let mut rows = ctx.model.queues.iter();
    let is_open = rows.any(QueueRow::is_first_suspicion);
    is_open.then(|| alarm(format!("checking {cut}"), Vec::new()))
}
