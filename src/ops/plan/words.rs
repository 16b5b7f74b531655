//! The words of a plan: what there is to know before, and the commands.

use std::time::Duration;

use super::deed::{CommandWords, line};
use super::make::PlanContext;
use super::work::Work;
use crate::ops::bulk::drift::Drift;
use crate::payload;
use crate::queue::plan::{Plan, Way};
use crate::queue::{Change, EntryResult, Outcome, Queue, redis_cli, text};
use crate::store::Store;
use crate::store::change::{ChosenEntry, End, ListPlace, TakeBack};

/// Bytes of the longest line that is shown to be copied.
const LONGEST: usize = 8 << 10;

/// Columns of what an entry says in a plan.
const SAID: usize = 110;

/// Bytes of the largest payload that is decoded for a line: of a larger one its first bytes are
/// shown.
const DECODED: usize = 1 << 20;

/// A payload in a line.
pub(super) fn said(payload: &[u8]) -> String {
    if payload.len() > DECODED {
        return first_bytes(payload);
    }
    text::cut(&payload::decode(payload).text, SAID).into_owned()
}

/// A member in a line: its payload, or all its bytes where it is no frame.
pub(super) fn said_by(queue: &Queue, member: &[u8]) -> String {
    let unwrapped = queue.unwrap(member);
    unwrapped.map_or_else(|_| first_bytes(member), |entry| said(entry.payload))
}

/// As many bytes as there is room for, as far as they are printable.
fn first_bytes(bytes: &[u8]) -> String {
    let first = &bytes[..bytes.len().min(4 * (SAID + 1))];
    text::cut(&text::printable_bytes(first), SAID).into_owned()
}

/// A command for a shell.
pub(super) fn in_shell(store: &Store, args: &[&[u8]]) -> String {
    redis_cli::line(&redis_cli::program(&store.whereabouts()), args)
}

/// Warns that what only the order list holds is left there: whether it was ever delivered, only
/// people know.
pub(super) fn warn_of_strays(plan: &mut Plan, drift: &Drift) {
    let count = drift.strays().len() as u64;
    if count == 0 {
        return;
    }
    let those = text::counted(count, "entry stands", "entries stand");
    plan.warnings.push(format!(
        "{those} in the order list only and will be left alone: {UNSURE}."
    ));
    plan.leaves_strays = true;
}

const UNSURE: &str = "they may never have been delivered";

/// The reason why there is nothing to be mended where only the order list holds too much.
pub(super) fn only_strays(drift: &Drift) -> String {
    let count = drift.strays().len() as u64;
    let those = text::counted(count, "entry stands", "entries stand");
    let gone = if drift.last_copy() {
        "; timeouts is gone, so these may be the last copies"
    } else {
        ""
    };
    format!("{those} in the order list only{gone}: {UNSURE}")
}

/// The reason why nothing is done to what was chosen: all of it has left meanwhile.
pub(super) fn no_longer_there(change: Change, n: usize) -> String {
    let what = if n == 1 {
        "the entry is"
    } else {
        "the chosen entries are"
    };
    format!(
        "nothing to {}: {what} no longer there, transferred or deleted meanwhile",
        change.label()
    )
}

/// Sentences about what was chosen and is no longer as it was seen.
fn left_already(settled: &[EntryResult]) -> impl Iterator<Item = String> {
    let of = |outcome, one: &str, many: &str| {
        let n = settled.iter().filter(|result| result.outcome == outcome);
        match n.count() {
            0 => None,
            1 => Some(format!("1 entry {one}: nothing is done to it.")),
            n => Some(format!(
                "{} entries {many}: nothing is done to them.",
                text::thousands(n as u64)
            )),
        }
    };
    let gone = of(Outcome::Gone, "is no longer there", "are no longer there");
    let changed = of(
        Outcome::Changed,
        "has another due time by now",
        "have other due times by now",
    );
    gone.into_iter().chain(changed)
}

/// Says what there is to know before the work is done.
pub(super) fn warn(plan: &mut Plan, work: &[Work], settled: &[EntryResult]) {
    for outcome in [Outcome::Refused, Outcome::Undecodable] {
        let those = settled.iter().filter(|result| result.outcome == outcome);
        let (n, first) = (those.clone().count(), those.clone().next());
        let Some(first) = first else { continue };
        let why = match (&first.reason, outcome) {
            (Some(why), _) => why.clone(),
            (None, _) => {
                "no client wrote it, so it has no payload that could be delivered".to_owned()
            }
        };
        plan.warnings.push(if n == 1 {
            format!("1 entry will be left alone: {why}.")
        } else {
            let n = text::thousands(n as u64);
            format!("{n} entries will be left alone, the first because {why}.")
        });
    }
    plan.warnings.extend(left_already(settled));
    warn_of_frames(plan, work);
    if plan.change == Change::Deliver || plan.change == Change::Transfer {
        plan.warnings.push(Plan::CONSUMED.to_owned());
    }
    if work.iter().any(|work| matches!(work, Work::WaitAgain(_))) {
        plan.warnings.push(Plan::HAD_NO_DUE_TIME.to_owned());
    }
    let unsure = |work: &&Work| matches!(work, Work::DropStrays(_));
    let dropped: usize = work.iter().filter(unsure).map(Work::len).sum();
    if dropped > 0 {
        let those = text::counted(dropped as u64, "entry that", "entries that");
        plan.warnings.push(format!(
            "{those} only the order list holds may never have been delivered: this drops them. \
             Undo brings them back into the order list."
        ));
    }
    if work
        .iter()
        .any(|work| matches!(work, Work::DeliverStrays(_)))
    {
        plan.warnings.push(Plan::MAY_COME_TWICE.to_owned());
    }
    let taken: usize = work
        .iter()
        .filter(|work| matches!(work, Work::TakeBack(..) | Work::Discard(..)))
        .map(Work::len)
        .sum();
    if taken > 0 {
        let of = match taken as u64 {
            1 => "1 entry is".to_owned(),
            n if n == plan.planned => "All entries are".to_owned(),
            n => format!("{} entries are", text::thousands(n)),
        };
        let those = match taken {
            1 => "if a consumer takes it first, the consumer keeps it and nothing is done to it",
            _ => "if a consumer takes one first, the consumer keeps it and nothing is done to it",
        };
        plan.warnings.push(format!("{of} in target: {those}."));
    }
    for work in work {
        match work {
            Work::Discard(_, End::Tail) => plan.warnings.push(BEHIND.to_owned()),
            Work::PutElements(all, End::Tail) => {
                let those = text::counted(all.len() as u64, "element comes", "elements come");
                plan.warnings.push(format!(
                    "{those} back into the target list behind what is there then, not beside \
                     what stood there before."
                ));
            }
            Work::PutAmong(all) => {
                let those = text::counted(all.len() as u64, "element comes", "elements come");
                plan.warnings.push(format!(
                    "{those} back into the target list, each where it stood; one whose neighbour is \
                     gone by then comes where a consumer takes next."
                ));
            }
            _ => {}
        }
    }
}

const BEHIND: &str = "Undo puts the others back into the target list where they stood; one whose \
                      neighbour is gone by then comes where a consumer takes next.";

/// Does the same for everything due; `strange`: so many of the first are no frames; `refused`: so
/// many have a score below 0.
pub(super) fn warn_of_transfer(plan: &mut Plan, strange: usize, refused: u64) {
    if refused > 0 {
        plan.warnings.push(format!(
            "{} left alone: a score below 0 is never transferred, and makes each client flood Redis \
             with scripts. Transfer now, requeue or delete them.",
            text::counted(refused, "entry is", "entries are")
        ));
    }
    if strange > 0 {
        plan.warnings.push(format!(
            "Of the first ones {strange} {} left alone, like all else that no client wrote: they have \
             no payload to deliver.",
            if strange == 1 { "is" } else { "are" }
        ));
    }
    plan.warnings.push(Plan::CONSUMED.to_owned());
}

/// Sentences about what others see or do not see of the way, and about a script that cannot be as
/// short as it shall be.
pub(super) fn of_way(plan: &Plan, max_block: Duration, why: Option<String>) -> Vec<String> {
    let mut warnings = Vec::new();
    match plan.way {
        Way::SetAside => warnings.push(format!(
            "For about {} s size(), contains(), remove() and poll() of Redisson clients ignore what \
             waits: the order list is rebuilt.",
            plan.cost.takes.as_secs().max(1)
        )),
        Way::Swap => warnings.push(
            "Due times stay as they are. Only the order in which poll() takes entries changes: the \
             chosen ones come to the head of the order list."
                .to_owned(),
        ),
        Way::InOrder | Way::Sweep => {}
    }
    let single = plan.cost.single();
    if single > max_block {
        let [single, most] = [single, max_block].map(|span| {
            let ms = span.as_micros().div_ceil(1_000);
            text::span(u64::try_from(ms).unwrap_or(u64::MAX))
        });
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        warnings.push(format!(
            "A single entry may block Redis for {single}, longer than the limit of {most} for a \
             script{why}."
        ));
    }
    warnings
}

/// Warns of members that are no frames: scripts leave them alone.
fn warn_of_frames(plan: &mut Plan, work: &[Work]) {
    let queue = &plan.queue;
    let strange = |all: &Vec<ChosenEntry>| {
        let strange = |chosen: &&ChosenEntry| queue.unwrap(&chosen.member).is_err();
        all.iter().filter(strange).count()
    };
    let n: usize = work
        .iter()
        .map(|work| match work {
            Work::Deliver(all) => strange(all),
            _ => 0,
        })
        .sum();
    if n > 0 {
        plan.warnings.push(format!(
            "{} of them {} left alone: no client wrote them, so they have no payload to deliver.",
            text::thousands(n as u64),
            if n == 1 { "is" } else { "are" }
        ));
    }
}

/// The work as redis-cli commands where it is one entry, else in words.
pub(in crate::ops) fn commands(making: &PlanContext<'_>, work: &[Work]) -> Vec<String> {
    let entries: usize = work.iter().map(Work::len).sum();
    if entries != 1 {
        return work.iter().map(in_words).collect();
    }
    let Some(work) = work.first() else {
        return Vec::new();
    };
    if work.bytes(0) > LONGEST {
        return vec![in_words(work)];
    }
    let lines = of_one(making, work);
    let long: usize = lines.iter().flatten().map(Vec::len).sum();
    if long > LONGEST {
        return vec![in_words(work)];
    }
    let commands = lines.iter().map(|args| {
        let args: Vec<&[u8]> = args.iter().map(Vec::as_slice).collect();
        format!("'{}'", redis_cli::command(&args))
    });
    let commands: Vec<String> = commands.collect();
    let program = redis_cli::program(&making.store.whereabouts());
    vec![format!(
        "printf '%s\\n' MULTI {} EXEC | {program}",
        commands.join(" ")
    )]
}

fn in_words(work: &Work) -> String {
    let bytes: usize = (0..work.len()).map(|i| work.bytes(i)).sum();
    format!(
        "{}: {} by exact bytes and score ({}), {SCRIPTS}",
        work.phase(),
        text::counted(work.len() as u64, "entry", "entries"),
        text::bytes(bytes as u64)
    )
}

const SCRIPTS: &str = "in scripts of some hundred, each all or nothing";

/// A change of the queue as a whole, command by command; the scripts do the same.
pub(super) fn of_whole(plan: &Plan) -> Vec<String> {
    let keys = plan.queue.keys();
    let shown = |key: &Option<Vec<u8>>| text::printable_bytes(key.as_deref().unwrap_or_default());
    let (order, aside) = (shown(&keys.order), shown(&keys.aside));
    let [timeouts, target] = [&keys.timeouts, &keys.target].map(|key| text::printable_bytes(key));
    let n = text::thousands(plan.planned);
    let what = match plan.change {
        Change::Transfer => {
            let push = String::from_utf8_lossy(push(&plan.queue));
            let order = keys
                .order
                .map_or_else(String::new, |_| format!(", LREM {order} 1"));
            let due = text::counted(plan.planned, "due entry", "due entries");
            format!("moves {due}, one by one: {push} {target}{order}, ZREM {timeouts}")
        }
        Change::Realign => format!("sorts {n}: LSET {order} for each two that change places"),
        Change::RestoreOrder => {
            format!("moves {n}: RPOP {aside}, and LPUSH {order} of what ZSCORE {timeouts} knows")
        }
        Change::Drift => format!(
            "repairs {n}: RPUSH {order} of what only timeouts holds, LREM {order} of what only the \
             order list holds"
        ),
        _ => return Vec::new(),
    };
    vec![format!("{what}; {SCRIPTS}")]
}

/// The commands for the only entry.
fn of_one(making: &PlanContext<'_>, work: &Work) -> Vec<CommandWords> {
    let queue = making.queue;
    let keys = queue.keys();
    let (timeouts, target) = (&keys.timeouts, &keys.target);
    let mut lines = Vec::new();
    // Out of the order list, or at its tail, where there is one.
    let order = |lines: &mut Vec<CommandWords>, args: &dyn Fn(&[u8]) -> CommandWords| {
        lines.extend(keys.order.as_deref().map(args));
    };
    let zadd = |score: f64, member: &[u8]| add(timeouts, score, member);
    match work {
        Work::Delete(all) | Work::Deliver(all) => {
            let member = &all[0].member;
            if let (Work::Deliver(_), Ok(entry)) = (work, queue.unwrap(member)) {
                lines.push(line(&[push(queue), target, entry.payload]));
            }
            order(&mut lines, &|list| line(&[b"LREM", list, b"1", member]));
            lines.push(line(&[b"ZREM", timeouts, member]));
        }
        Work::Quarantine(_) | Work::Restore(_) => lines = of_quarantine(queue, work),
        Work::Requeue(all) => lines.push(zadd(all[0].1, &all[0].0.member)),
        Work::Edit(all) => {
            let (ChosenEntry { member, score }, new) = &all[0];
            lines.push(zadd(*score, new));
            order(&mut lines, &|l| {
                line(&[b"LINSERT", l, b"BEFORE", member, new])
            });
            order(&mut lines, &|l| line(&[b"LREM", l, b"1", member]));
            lines.push(line(&[b"ZREM", timeouts, member]));
        }
        Work::PutBack(all) => {
            let (ChosenEntry { member, score }, place) = &all[0];
            lines.push(zadd(*score, member));
            order(&mut lines, &|list| stand(list, place, member));
        }
        Work::TakeBack(..) | Work::Discard(..) | Work::PutElements(..) | Work::PutAmong(_) => {
            lines = of_element(queue, work);
        }
        Work::Repair(deed) => lines = deed.commands(queue),
        Work::WaitAgain(all) => lines.push(zadd(all[0].score, &all[0].member)),
        Work::DeliverStrays(all) => {
            let payload = queue.unwrap(&all[0]).map_or(&[][..], |entry| entry.payload);
            lines.push(line(&[b"RPUSH", &queue.keys().target, payload]));
            order(&mut lines, &|list| line(&[b"LREM", list, b"0", &all[0]]));
        }
        Work::DropStrays(all) => order(&mut lines, &|list| line(&[b"LREM", list, b"0", &all[0]])),
        Work::OrderList(all) => order(&mut lines, &|list| match &all[0] {
            (member, true) => line(&[b"RPUSH", list, member]),
            (member, false) => line(&[b"LREM", list, b"-1", member]),
        }),
        Work::Offer(all) => {
            lines.push(zadd(queue.score(all[0].0), &all[0].1));
            order(&mut lines, &|list| line(&[b"RPUSH", list, &all[0].1]));
        }
    }
    lines
}

fn add(timeouts: &[u8], score: f64, member: &[u8]) -> CommandWords {
    line(&[b"ZADD", timeouts, score.to_string().as_bytes(), member])
}

/// The command that puts a member into that place of the order list.
fn stand(list: &[u8], place: &ListPlace, member: &[u8]) -> CommandWords {
    match place {
        ListPlace::Behind(one) | ListPlace::BehindNth(one, _) => {
            line(&[b"LINSERT", list, b"AFTER", one, member])
        }
        ListPlace::Head => line(&[b"LPUSH", list, member]),
        ListPlace::Tail => line(&[b"RPUSH", list, member]),
    }
}

/// The commands for the only entry, when it goes into quarantine or comes out of it.
fn of_quarantine(queue: &Queue, work: &Work) -> Vec<CommandWords> {
    let keys = queue.keys();
    let order = keys.order.iter();
    match work {
        Work::Quarantine(all) => {
            let ChosenEntry { member, score } = &all[0];
            let mut lines = vec![add(&keys.quarantine, *score, member)];
            lines.extend(order.map(|list| line(&[b"LREM", list, b"0", member])));
            lines.push(line(&[b"ZREM", &keys.timeouts, member]));
            lines
        }
        Work::Restore(all) => {
            let (ChosenEntry { member, score }, place) = &all[0];
            let mut lines = vec![add(&keys.timeouts, *score, member)];
            let place = order.zip(place);
            lines.extend(place.map(|(list, place)| stand(list, place, member)));
            lines.push(line(&[b"ZREM", &keys.quarantine, member]));
            lines
        }
        _ => Vec::new(),
    }
}

/// The commands for the only entry, when it was delivered.
fn of_element(queue: &Queue, work: &Work) -> Vec<CommandWords> {
    let keys = queue.keys();
    let target = keys.target.as_slice();
    match work {
        Work::TakeBack(all, _, end) => {
            let TakeBack {
                element,
                member,
                score,
            } = &all[0];
            let mut lines = vec![add(&keys.timeouts, *score, member)];
            lines.extend(keys.order.map(|list| line(&[b"RPUSH", &list, member])));
            // What goes to the head of the order list came to target last.
            let end = match end {
                End::Head => End::Tail,
                End::Tail => End::Head,
            };
            lines.push(line(&[b"LREM", target, side(queue, end), element]));
            lines
        }
        Work::Discard(all, end) => {
            vec![line(&[b"LREM", target, side(queue, *end), &all[0]])]
        }
        Work::PutElements(all, end) => {
            let to = match end {
                End::Head => back(queue),
                End::Tail => push(queue),
            };
            vec![line(&[to, target, &all[0]])]
        }
        Work::PutAmong(all) => {
            let (element, place) = &all[0];
            let where_to = if queue.comes_at_head() {
                &b"BEFORE"[..]
            } else {
                b"AFTER"
            };
            vec![match place {
                ListPlace::Behind(one) | ListPlace::BehindNth(one, _) => {
                    line(&[b"LINSERT", target, where_to, one, element])
                }
                ListPlace::Head => line(&[back(queue), target, element]),
                ListPlace::Tail => line(&[push(queue), target, element]),
            }]
        }
        _ => Vec::new(),
    }
}

/// The end of target from which LREM takes a single element.
fn side(queue: &Queue, end: End) -> &'static [u8] {
    match (end, queue.comes_at_head()) {
        (End::Head, false) | (End::Tail, true) => b"1",
        (End::Head, true) | (End::Tail, false) => b"-1",
    }
}

/// The command that puts something back into target, where the next consumer takes it.
pub(super) fn back(queue: &Queue) -> &'static [u8] {
    if queue.comes_at_head() {
        b"RPUSH"
    } else {
        b"LPUSH"
    }
}

/// The command that delivers something into target.
fn push(queue: &Queue) -> &'static [u8] {
    if queue.comes_at_head() {
        b"LPUSH"
    } else {
        b"RPUSH"
    }
}
