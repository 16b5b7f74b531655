//! A plan, put as a question.

use std::time::Duration;

use crate::config::Profile;
use crate::queue::asks::{Confirmation, NameReason};
use crate::queue::finding::worked_off_in_ms;
use crate::queue::{Change, Due, Finding, Plan, Repair, Severity, text};
use crate::tui::change::plan::{MarkedEntries, three_ways};
use crate::tui::change::{self, ChangeStage, UnfinishedChange};
use crate::tui::dialog::preview::Preview;
use crate::tui::dialog::{Button, Dialog, DialogLine, Question, TypedName, UndoWords};
use crate::tui::keys::Action;
use crate::tui::model::{Model, Overlay};
use crate::tui::moments;
use crate::tui::queues::QueueRow;

/// A plan about nothing, in words.
pub(crate) fn nothing(plan: &Plan) -> String {
    let name = text::printable_bytes(plan.queue.name.as_bytes());
    let words = match plan.change {
        Change::Transfer => format!("nothing to transfer: no such entry of {name} is due"),
        Change::Drift if !plan.warnings.is_empty() => {
            format!("nothing to repair in the order list of {name}")
        }
        Change::Quarantine => format!("clients wrote all that waits in {name}"),
        Change::Restore => format!("nothing of {name} is in quarantine"),
        Change::Undo => "nothing to undo".to_owned(),
        other => other
            .idle(&name)
            .unwrap_or_else(|| format!("nothing to {}: it is no longer there", other.label())),
    };
    match plan.warnings.first() {
        Some(why) if plan.leaves_strays => format!("{words}. {why} {}", three_ways()),
        Some(why) => format!("{words}. {why}"),
        None => words,
    }
}

/// The question whether it shall be applied.
pub(crate) fn dialog(model: &Model, one: &UnfinishedChange, plan: &Plan) -> Dialog {
    let profile = model.site.profile.as_ref();
    let profile = profile.filter(|profile| profile.protected);
    let name = match plan.asks(profile.is_some()) {
        Confirmation::Yes => None,
        Confirmation::Name(why) => Some(TypedName::of(&plan.queue, reason(plan, why, profile))),
    };
    Dialog {
        title: title(one.called),
        lines: lines(model, one, plan),
        yes: one.called,
        no: "cancel",
        name,
        focus: Button::No,
        opened_by: one.asked_by,
        question: Question::Change(one.generation),
        told: None,
    }
}

/// A plan that is older than this, in ms, may be out of date whatever it is about.
const OLD_MS: i64 = 60_000;

/// Time has passed, or something was read: a question whose plan is out of date says so. All else of
/// it stays as it was asked.
pub(crate) fn keep_true(model: &mut Model) {
    let stale = change::queries::asks_again(model).and_then(|_| stale(model));
    let Some(Overlay::Dialog(asked)) = &mut model.overlay else {
        return;
    };
    let place = |line: &DialogLine| matches!(line, DialogLine::Stale(_));
    let at = asked.lines.iter().position(place);
    match (at, stale) {
        (None, None) => {}
        (Some(at), None) => {
            asked.lines.remove(at);
        }
        (Some(at), Some(words)) => asked.lines[at] = DialogLine::Stale(words),
        // Below what is asked: what stands last goes first where there is no room.
        (None, Some(words)) => {
            let at = asked.lines.len().min(1);
            asked.lines.insert(at, DialogLine::Stale(words));
        }
    }
}

/// Says in words how far the plan that is asked about is out of date.
fn stale(model: &Model) -> Option<String> {
    let one = model.changing.one.as_ref()?;
    let ChangeStage::Asking(plan) = &one.stage else {
        return None;
    };
    let key = model.keymap.label(Action::Refresh, model.look.ascii)?;
    let row = model.queues.iter().find(|row| row.queue == plan.queue);
    let pulse = row.and_then(|row| row.pulse.as_ref());
    let late = pulse.filter(|pulse| pulse.at > plan.at);
    let late = late.and_then(|pulse| pulse.late.get());
    let all =
        one.asked_for.as_ref()?.which == MarkedEntries::Due && plan.change == Change::Transfer;
    if let Some(late) = late.filter(|late| all && late.abs_diff(plan.planned) * 10 > plan.planned) {
        let (then, now) = (text::thousands(plan.planned), text::thousands(late));
        return Some(format!(
            "Out of date: {then} were due then, {now} now. {key} looks again."
        ));
    }
    let ms = model.schedule.exact.since(plan.at);
    (ms >= OLD_MS).then(|| {
        let ago = text::countdown(ms);
        format!("This was counted {ago} ago. {key} counts again.")
    })
}

/// Says why a yes is not enough.
fn reason(plan: &Plan, why: NameReason, profile: Option<&Profile>) -> String {
    let planned = text::thousands(plan.done_about());
    match (why, profile, plan.of) {
        (NameReason::Protected, Some(profile), _) => TypedName::protected(&profile.name),
        (NameReason::Half, _, Some(of)) => format!("{planned} of {}", text::thousands(of)),
        _ => format!("{planned} entries at once"),
    }
}

/// `Delete?`
fn title(called: &str) -> String {
    let (first, rest) = called.split_at(1);
    format!("{}{rest}?", first.to_uppercase())
}

fn lines(model: &Model, one: &UnfinishedChange, plan: &Plan) -> Vec<DialogLine> {
    let mut lines = vec![DialogLine::Words(plan.question()), DialogLine::Blank];
    let mut fact = |label, value: Option<String>| {
        lines.extend(value.map(|value| DialogLine::Fact(label, value)));
    };
    fact("due", dues(model, plan));
    fact("new due", new_dues(model, plan));
    if plan.planned == 1 {
        fact("says", plan.says.first().cloned());
    }
    let labels = if plan.planned == 1 {
        ["entry"; 2]
    } else {
        ["first", ""]
    };
    for (label, words) in labels.into_iter().zip(first(model, plan)) {
        fact(label, Some(words));
    }
    // A change of the queue's keys is about all that waits there.
    let is_of_keys = plan.says.is_empty() && plan.first.is_empty();
    let row = model.queues.iter().find(|row| row.queue == plan.queue);
    let said = row.filter(|_| is_of_keys).map(QueueRow::next_said);
    for (label, words) in ["next", ""].into_iter().zip(said.into_iter().flatten()) {
        fact(label, Some(words));
    }
    fact("target", target(plan));
    lines.extend(preview(model, one, plan));
    let mut fact = |label, value: Option<String>| {
        lines.extend(value.map(|value| DialogLine::Fact(label, value)));
    };
    let counted = || format!("at {}", moments::short(model.look.zone, plan.at, plan.at));
    fact("counted", (plan.planned > 1).then(counted));
    fact("or wait", by_itself(model, plan));
    fact("afterwards", afterwards(model, one, plan));
    fact("takes", (plan.change != Change::Kick).then(|| takes(plan)));
    fact("method", plan.way.method().map(str::to_owned));
    fact("writes", writes(plan));
    fact("server", Some(server(plan)));
    let of_undo = |words: &String| words.contains("undone");
    let warning = |words: String| {
        if of_undo(&words) {
            DialogLine::Undo(UndoWords::Never(words))
        } else {
            DialogLine::Warning(words)
        }
    };
    let mut warnings: Vec<DialogLine> = plan.notes().cloned().map(warning).collect();
    let said = plan.warnings.iter().any(of_undo);
    let how = |words: String| DialogLine::Undo(UndoWords::How(words));
    let own = if said || plan.change == Change::Kick {
        None
    } else if plan.change == Change::RestoreOrder {
        Some(how(
            "What it does not bring back, undo with its id does.".to_owned()
        ))
    } else if plan.change == Change::Undo {
        Some(how("Undo with its own id takes it back.".to_owned()))
    } else if plan.can_be_undone() {
        let key = model.keymap.label(Action::Undo, model.look.ascii);
        let but = if plan.may_be_consumed() {
            ", except what a consumer has taken by then"
        } else {
            ""
        };
        key.map(|key| how(format!("{key} undoes it{but}.")))
    } else {
        let never = UndoWords::Never("It cannot be undone.".to_owned());
        Some(DialogLine::Undo(never))
    };
    if plan.leaves_strays {
        warnings.push(DialogLine::Warning(three_ways()));
    }
    warnings.extend(own);
    warnings.extend(the_others(model, plan).map(DialogLine::Words));
    if !warnings.is_empty() {
        lines.push(DialogLine::Blank);
        lines.extend(warnings);
    }
    lines
}

/// When what is due will have been transferred without this, where somebody is at it.
fn by_itself(model: &Model, plan: &Plan) -> Option<String> {
    let moves = matches!(plan.change, Change::Transfer | Change::Deliver);
    let due = plan.newest?.at()? <= plan.at;
    let mut rows = model.queues.iter();
    let row = rows.find(|row| row.queue == plan.queue)?;
    let in_ms = worked_off_in_ms(&row.queue, &row.watch).filter(|_| moves && due)?;
    let then = moment(model, plan, plan.at.plus(in_ms));
    Some(format!("done by itself at about {then}"))
}

/// Says what comes of a repair that frees late entries: somebody has to transfer them.
fn afterwards(model: &Model, one: &UnfinishedChange, plan: &Plan) -> Option<String> {
    let row = model.queues.iter().find(|row| row.queue == plan.queue)?;
    let clients = row
        .pulse
        .as_ref()
        .and_then(|pulse| pulse.transfer_clients.get());
    if plan.change == Change::Kick {
        if clients == Some(0) {
            return Some("nobody listens: no Redisson client runs for this queue".to_owned());
        }
        let woken = text::counted(clients?, "client looks", "clients look");
        let late = row.pulse.as_ref()?.late.get()?;
        let late = text::counted(late, "entry is late", "entries are late");
        return Some(format!("{woken} at once; {late} now"));
    }
    let (late, clients) = frees(one, plan, row)?;
    let late = text::thousands(late);
    Some(match clients {
        Some(0) => format!("{late} stay late: no Redisson client runs to transfer them"),
        _ => format!("the clients are woken; within 2 s fewer than {late} should be late"),
    })
}

/// The number of late entries that a plan frees by what it mends, and the number of clients that
/// would transfer them, where that is known; none where it frees none.
fn frees(one: &UnfinishedChange, plan: &Plan, row: &QueueRow) -> Option<(u64, Option<u64>)> {
    let asks = |found: &&Finding| {
        let repair = Repair::of(&found.repair.step);
        found.severity == Severity::Critical && repair.is_some_and(|r| r.label() == one.called)
    };
    let moves = matches!(
        plan.change,
        Change::Transfer | Change::Deliver | Change::Kick
    );
    row.findings.iter().find(asks).filter(|_| !moves)?;
    let pulse = row.pulse.as_ref()?;
    let late = pulse.late.get().filter(|late| *late > 0)?;
    Some((late, pulse.transfer_clients.get()))
}

/// Says how all late entries are transferred: who transfers a single entry of many that are late
/// may have meant them all.
fn the_others(model: &Model, plan: &Plan) -> Option<String> {
    if plan.change != Change::Transfer || plan.planned != 1 {
        return None;
    }
    let mut rows = model.queues.iter();
    let row = rows.find(|row| row.queue == plan.queue)?;
    let late = row.pulse.as_ref()?.late.get().filter(|late| *late > 1)?;
    let key = |action| model.keymap.label(action, model.look.ascii);
    let (all, transfer) = (key(Action::MarkAll)?, key(Action::Transfer)?);
    let late = text::thousands(late);
    Some(format!(
        "{late} are due: for all of them {all} marks all there are, then {transfer}."
    ))
}

/// The due times of what it is about.
fn dues(model: &Model, plan: &Plan) -> Option<String> {
    let (oldest, newest) = (plan.oldest?, plan.newest?);
    let one = |due: Due| match due.at() {
        Some(at) => moment(model, plan, at),
        None => "no time".to_owned(),
    };
    Some(span_of(one(oldest), &one(newest)))
}

fn new_dues(model: &Model, plan: &Plan) -> Option<String> {
    let (from, to) = plan.new_due?;
    let one = |at| moment(model, plan, at);
    Some(span_of(one(from), &one(to)))
}

fn span_of(from: String, to: &str) -> String {
    if from == to {
        from
    } else {
        format!("{from} to {to}")
    }
}

/// `14:03:13 (in 1:04)`, as it was when the plan was made: to the second, since it stands still.
fn moment(model: &Model, plan: &Plan, at: crate::clock::EpochMillis) -> String {
    let clock = moments::short(model.look.zone, at, plan.at);
    let seconds = |ms: i64| match ms.unsigned_abs() {
        ms if ms < 10_000 => format!("{} s", ms / 1000),
        ms => text::span(ms),
    };
    match at.since(plan.at) {
        -999..1000 => format!("{clock} (now)"),
        left @ 1000.. => format!("{clock} (in {})", seconds(left)),
        late => format!("{clock} ({})", text::countdown(late)),
    }
}

/// The timeline before and after, where the queue is the one in sight.
fn preview(model: &Model, one: &UnfinishedChange, plan: &Plan) -> Option<DialogLine> {
    let selected = model.selected().filter(|row| row.queue == plan.queue)?;
    let survey = selected.survey.as_ref()?;
    let mut preview = Preview::of(plan, survey)?;
    preview.frees = frees(one, plan, selected).is_some_and(|(_, clients)| clients != Some(0));
    Some(DialogLine::Preview(Box::new(preview)))
}

/// The first two by what they say, else the first by its id, and how many more there are; of one
/// that is alone its id.
fn first(model: &Model, plan: &Plan) -> Vec<String> {
    // How many more there are stands in the same row.
    let most = if model.size.0 < 100 { 34 } else { 42 };
    if plan.planned <= 1 {
        return plan.first.iter().take(1).map(ToString::to_string).collect();
    }
    let said = plan.says.iter().take_while(|said| !said.is_empty());
    let each = said.take(2).map(|said| text::cut(said, most).into_owned());
    let mut each: Vec<String> = each.collect();
    if each.is_empty() {
        each.extend(plan.first.first().map(ToString::to_string));
    }
    let more = plan.done_about().saturating_sub(each.len() as u64);
    if let Some(last) = each.last_mut().filter(|_| more > 0) {
        *last = format!("{last} and {} more", text::thousands(more));
    }
    each
}

/// Says how long target is then, and how long its consumers need for it.
fn target(plan: &Plan) -> Option<String> {
    let (now, then) = plan.target?;
    let lengths = format!("{} → {}", text::thousands(now), text::thousands(then));
    let rate = plan.consumed_per_s.filter(|rate| *rate > 0.0);
    #[expect(clippy::cast_precision_loss, reason = "a time for reading")]
    let seconds = rate.map(|rate| (then as f64 / rate, rate));
    Some(
        match seconds.and_then(|(s, rate)| Some((Duration::try_from_secs_f64(s).ok()?, rate))) {
            Some((time, rate)) => {
                format!("{lengths}; consumers need {} at {rate:.1}/s", long(time))
            }
            None => lengths,
        },
    )
}

fn long(time: Duration) -> String {
    text::span(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

fn takes(plan: &Plan) -> String {
    let cost = &plan.cost;
    let takes = match cost.takes.as_millis() {
        0..1000 => "under 1 s".to_owned(),
        _ => format!("about {}", long(cost.takes)),
    };
    let block = match cost.longest_block.as_micros() {
        0..1000 => "< 1 ms".to_owned(),
        us => format!("{} ms", us.div_ceil(1000)),
    };
    format!("{takes}, Redis blocked {block} at a time")
}

fn writes(plan: &Plan) -> Option<String> {
    let cost = &plan.cost;
    (cost.replicated_bytes > 0 || cost.journal_bytes > 0).then(|| {
        format!(
            "{} to replicas, {} of journal here",
            text::bytes(cost.replicated_bytes),
            text::bytes(cost.journal_bytes)
        )
    })
}

fn server(plan: &Plan) -> String {
    let server = text::printable(&plan.server);
    match &plan.profile {
        Some(profile) => format!("{server}, profile {}", text::printable(profile)),
        None => server.into_owned(),
    }
}
