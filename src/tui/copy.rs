//! Copies for the terminal's clipboard: what an entry says, and how redis-cli would ask for it.

use crate::queue::{Finding, redis_cli, text};
use crate::tui::effect::Effect;
use crate::tui::entries::EntryRow;
use crate::tui::entry::update::tree;
use crate::tui::findings;
use crate::tui::model::{Model, Overlay, Pane, Screen};
use crate::tui::tabs::Tab;
use crate::tui::toast::Tone;
use crate::tui::toast::update::say;

/// Terminals refuse more than about this, in bytes.
const MOST_BYTES_COPIED: usize = 100_000;

/// Columns of what is told of a copy.
const COLUMNS_OF_A_COPY: usize = 48;

/// Tells whether what is in sight is a finding, and no entry.
fn on_findings(model: &Model) -> bool {
    let listed = !matches!(model.screen, Screen::Entry(_)) && model.overlay.is_none();
    let there = matches!(model.focus, Pane::Entries | Pane::Queues);
    listed && there && model.tab == Tab::Findings
}

/// The commands that mend by hand what is under the cursor, else those that show it.
fn of_finding(model: &mut Model) -> Vec<Effect> {
    let Some(told) = findings::at_cursor(model) else {
        return Vec::new();
    };
    let found = told.finding.clone();
    commands(model, &found)
}

/// The finding under the cursor, for a ticket: what is wrong, what shows it, and what repairs it.
fn ticket(model: &mut Model) -> Vec<Effect> {
    let Some(told) = findings::at_cursor(model) else {
        return Vec::new();
    };
    let (found, there) = (told.finding, &model.site.redis_cli);
    let name = text::printable_bytes(model.queues[told.row].queue.name.as_bytes());
    let mut lines = vec![format!("{name}: {}", found.headline)];
    lines.extend(Some(found.details_by_payload()).filter(|details| !details.is_empty()));
    lines.extend(found.evidence_by_payload(there));
    lines.push(format!("→ {}", found.repair.sentence));
    lines.extend(found.repair.by_hand(there));
    copy_out(model, lines.join("\n"), "the finding")
}

/// The commands of the finding that the menu of repairs is about.
pub(crate) fn of_menu(model: &mut Model) -> Vec<Effect> {
    let found = match &model.overlay {
        Some(Overlay::Repair(menu)) => menu.row(model).and_then(|row| menu.finding(row)),
        _ => None,
    };
    let Some(found) = found.cloned() else {
        say(
            model,
            "nothing is wrong: no command to copy".to_owned(),
            Tone::Warn,
        );
        return Vec::new();
    };
    commands(model, &found)
}

fn commands(model: &mut Model, found: &Finding) -> Vec<Effect> {
    let mends: Vec<String> = found.repair.by_hand(&model.site.redis_cli).collect();
    let (lines, what) = if mends.is_empty() {
        let checks = found.evidence.checks(&model.site.redis_cli);
        (checks.collect(), "the commands that show it")
    } else {
        (mends, "the command that repairs it")
    };
    copy_out(model, lines.join("\n"), what)
}

/// The payload as it can be pasted: text as it is, else what its codec says, else hex. Of a finding
/// its commands.
pub(crate) fn payload(model: &mut Model) -> Vec<Effect> {
    if on_findings(model) {
        return of_finding(model);
    }
    if let Screen::Entry(view) = &model.screen
        && let Some((value, path)) = tree::value(view)
    {
        return copy_out(model, value, &format!("the value at {path}"));
    }
    let Some(row) = row(model) else {
        return Vec::new();
    };
    let bytes = row.payload();
    let (copy, what) = match (std::str::from_utf8(bytes), &row.content) {
        (Ok(words), _) if words.chars().all(is_readable) => (words.to_owned(), String::new()),
        (_, Ok(decoded)) if decoded.codec != crate::payload::Codec::Unknown => {
            let what = format!(" as {} says it", decoded.codec.name());
            (decoded.whole().into_owned(), what)
        }
        _ => (hex::encode(bytes), " as hex".to_owned()),
    };
    copy_out(model, copy, &format!("the payload{what}"))
}

/// A command that shows what is under the cursor; a finding whole.
pub(crate) fn command(model: &mut Model) -> Vec<Effect> {
    if let Some(Overlay::Change(view)) = &model.overlay {
        let own = view.own.as_ref();
        let lines = own.map_or(String::new(), |own| own.plan.commands.join("\n"));
        return copy_out(model, lines, "what was done");
    }
    if on_findings(model) {
        return ticket(model);
    }
    let Some(queue) = model.selected().map(|row| row.queue.clone()) else {
        return Vec::new();
    };
    let keys = queue.keys();
    let on_queue = model.focus == Pane::Queues && !matches!(model.screen, Screen::Entry(_));
    let args: Vec<&[u8]> = match row(model).filter(|_| !on_queue) {
        None => vec![b"ZRANGE", &keys.timeouts, b"0", b"9", b"WITHSCORES"],
        Some(row) => match (model.tab, &keys.order) {
            (Tab::Delivered, _) => vec![b"LPOS", &keys.target, &row.member],
            (Tab::Quarantine, _) => vec![b"ZSCORE", &keys.quarantine, &row.member],
            (Tab::Order, Some(order)) => vec![b"LPOS", order, &row.member],
            _ => vec![b"ZSCORE", &keys.timeouts, &row.member],
        },
    };
    let line = redis_cli::line(model.site.redis_cli.program(), &args);
    copy_out(model, line, "a redis-cli command")
}

/// Says why there is no command to copy; none when there is one.
pub(crate) fn why_no_command(model: &Model) -> Option<&'static str> {
    match &model.overlay {
        Some(Overlay::Change(view)) if view.own.is_none() => {
            Some("only the session that made it knows its commands")
        }
        _ if on_findings(model) => no_finding(model),
        _ => (model.selected().is_none()).then_some("no queue to ask for"),
    }
}

/// Says why there is nothing to copy; none when there is.
pub(crate) fn why_not(model: &Model) -> Option<&'static str> {
    if on_findings(model) {
        return no_finding(model);
    }
    row(model).is_none().then_some("no entry to copy")
}

fn no_finding(model: &Model) -> Option<&'static str> {
    (!findings::any(model)).then_some("nothing is wrong: no command to copy")
}

/// The opened entry, else the one under the cursor.
fn row(model: &Model) -> Option<&EntryRow> {
    match &model.screen {
        Screen::Entry(view) => Some(&view.row),
        _ => model.entry(),
    }
}

fn copy_out(model: &mut Model, copy: String, what: &str) -> Vec<Effect> {
    let bytes = text::thousands(u64::try_from(copy.len()).unwrap_or(u64::MAX));
    if copy.len() > MOST_BYTES_COPIED {
        let most = text::thousands(MOST_BYTES_COPIED as u64);
        let id = row(model).map(|row| row.id.to_string()).unwrap_or_default();
        let why = format!(
            "{bytes} bytes: a terminal takes no copy of more than {most}. \
             In a shell, delayscope entries QUEUE --id {id} --raw --json prints it"
        );
        say(model, why, Tone::Warn);
        return Vec::new();
    }
    let first = first_words(model, &copy);
    let words = format!("copied {what}, {bytes} bytes: {first}");
    say(model, words, Tone::Good);
    vec![Effect::Copy(copy)]
}

/// Returns the beginning of a copy, so that it is seen what was copied: of a command what redis-cli
/// is to do.
fn first_words(model: &Model, copy: &str) -> String {
    let line = copy.lines().next().unwrap_or_default();
    let program = model.site.redis_cli.program();
    let line = line.strip_prefix(program).unwrap_or(line);
    text::cut(text::printable(line.trim()).as_ref(), COLUMNS_OF_A_COPY).into_owned()
}

/// Tells whether a character can be pasted again without doing anything but standing there.
fn is_readable(c: char) -> bool {
    !c.is_control() || matches!(c, '\n' | '\r' | '\t')
}
