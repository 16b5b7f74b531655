//! Nobody is subscribed to the queue's channel, so nobody transfers what falls due.

use super::evidence::command;
use super::id::NO_TRANSFER_CLIENT as ID;
use super::{
    Act, Advice, Finding, OpenQuestion, QueueFacts, RuleVerdict, Severity, Step, heads,
    score_range, slow_transfer,
};
use crate::clock::EpochMillis;
use crate::queue::change::ChangeRequest;
use crate::queue::node::{Follower, followers};
use crate::queue::{Known, Pulse, redis_cli, text};

/// Two pulses this far apart must have seen nobody, in ms: a client that reconnects is no finding.
const TWO_LOOKS_MS: i64 = 1_000;
/// Nobody there for this long is a warning, in ms.
const LONG_MS: i64 = 30_000;
/// Later than this is critical, in ms.
const LATE_MS: i64 = 10_000;
/// The entry that a poller should take heads timeouts for so long, in ms of answered pulses.
const STANDS_MS: i64 = 3_000;
/// No poller rests longer than this, in ms.
const POLLED_MS: i64 = 60_000;

/// The most replicas that are told how to be asked.
const MOST_REPLICAS: usize = 3;

/// Looks at who was subscribed in the last pulses.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(pulse) = seen.pulse else {
        return RuleVerdict::Silent;
    };
    match &pulse.transfer_clients {
        Known::None => return polled(seen, pulse),
        Known::Unknown(why) => return RuleVerdict::Blind(why.to_string()),
        Known::Is(_) => {}
    }
    let waiting = pulse.waiting.get().unwrap_or(0);
    let (Some((first, last)), 1..) = (seen.watch.unattended, waiting) else {
        return RuleVerdict::Fine;
    };
    let alone_ms = last.since(first);
    let late_ms = oldest_late(seen, pulse).map_or(0, |due| pulse.at.since(due));
    if alone_ms < TWO_LOOKS_MS {
        return early(pulse, alone_ms, late_ms);
    }
    if let Some(why) = at_its_master(seen, late_ms) {
        return RuleVerdict::Blind(why.to_owned());
    }
    RuleVerdict::Found(finding(seen, pulse, first, (alone_ms, late_ms)))
}

/// Nobody was there in one look: where much is late already, that is nothing to be calm about.
fn early(pulse: &Pulse, alone_ms: i64, late_ms: i64) -> RuleVerdict {
    if late_ms <= LATE_MS {
        return RuleVerdict::Fine;
    }
    let late = text::thousands(pulse.late.get().unwrap_or(0));
    let seen = format!("{late} late and no client listens");
    let asks = "whether a client is reconnecting";
    RuleVerdict::Early(OpenQuestion::new(seen, asks, Some(TWO_LOOKS_MS - alone_ms)))
}

/// Judges a queue from which a poller transfers: nobody tells whether it is there, but what is due
/// stays when it is not.
fn polled(seen: &QueueFacts, pulse: &Pulse) -> RuleVerdict {
    let keys = seen.queue.keys();
    let Some((stood_ms, late_ms)) = seen.watch.standing().filter(|_| keys.channel.is_none()) else {
        return RuleVerdict::Silent;
    };
    // Of seconds for milliseconds nobody can tell whether they are late.
    let unsure = is_replica(seen) || score_range::oldest_in_seconds(seen, pulse).is_some();
    if stood_ms < STANDS_MS || late_ms <= LATE_MS || unsure {
        return RuleVerdict::Fine;
    }
    let late = pulse.late.get().unwrap_or(0);
    let (count, oldest) = (text::thousands(late), text::age(late_ms));
    let severity = if late_ms > POLLED_MS {
        Severity::Critical
    } else {
        Severity::Warning
    };
    let details = format!("{count} late, oldest {oldest}.");
    let finding = Finding::new(ID, severity, "No poller runs for this queue.")
        .details(details)
        .of(late)
        .number("late", late)
        .number("late_ms", late_ms)
        .number("stands_ms", stood_ms)
        .words(format!(
            "the same entry is the first of timeouts for {} of watching",
            text::age(stood_ms)
        ))
        .check_about("ZRANGE", &keys.timeouts, &["0", "0", "WITHSCORES"]);
    RuleVerdict::Found(finding.repair(
        Step::Worker,
        Advice::of("Start the poller, or the worker here").by(Act::Worker, "."),
    ))
}

/// The due time of the oldest late entry, leaving out those that have seconds for milliseconds,
/// whose lateness says nothing.
fn oldest_late(seen: &QueueFacts, pulse: &Pulse) -> Option<EpochMillis> {
    if score_range::oldest_in_seconds(seen, pulse).is_none() {
        return pulse.oldest_late;
    }
    let next = heads::next_due(seen);
    let due = next.iter().filter_map(|one| one.due_at());
    let in_millis = |due: &EpochMillis| seen.queue.meant_in_seconds(*due, pulse.at).is_none();
    due.filter(in_millis).min().filter(|due| *due <= pulse.at)
}

fn is_replica(seen: &QueueFacts) -> bool {
    seen.server.info().and_then(|info| info.text("role")) == Some("slave")
}

/// Says why nobody can be seen here, on a replica where what is due leaves, or which has lost its
/// master.
fn at_its_master(seen: &QueueFacts, late_ms: i64) -> Option<&'static str> {
    let info = seen.server.info().filter(|_| is_replica(seen))?;
    if info.text("master_link_status") == Some("down") {
        return Some("this is a replica that has lost its master: what it shows may be old");
    }
    (late_ms <= LATE_MS).then_some("this is a replica: clients subscribe at its master")
}

fn finding(
    seen: &QueueFacts,
    pulse: &Pulse,
    first: EpochMillis,
    (alone_ms, late_ms): (i64, i64),
) -> Finding {
    let waiting = pulse.waiting.get().unwrap_or(0);
    let in_seconds = score_range::oldest_in_seconds(seen, pulse).is_some();
    let replicas = unasked(seen);
    let severity = match () {
        () if late_ms > LATE_MS => Severity::Critical,
        // The worse trouble comes first: whoever transfers them would deliver them at once.
        () if in_seconds => Severity::Note,
        // As long as nothing is late, clients may be subscribed there.
        () if !replicas.is_empty() => Severity::Note,
        () if alone_ms >= LONG_MS => Severity::Warning,
        () => Severity::Note,
    };
    let headline = if replicas.is_empty() {
        "No Redisson client runs for this queue."
    } else {
        "No Redisson client listens here; replicas were not asked."
    };
    let count = |n: u64, what: &str| format!("{} {what}", text::thousands(n));
    let what = match pulse.late.get() {
        Some(late @ 1..) if late_ms > LATE_MS => {
            let oldest = text::age(late_ms);
            format!("{}, oldest {oldest}", count(late, "late"))
        }
        _ => count(waiting, "waiting"),
    };
    let channel = seen.queue.keys().channel.unwrap_or_default();
    // Nobody has transferred that one since it fell due, though nobody may have watched.
    let late_since = pulse.oldest_late.filter(|_| late_ms > LATE_MS);
    let watched = text::age(alone_ms);
    let finding = Finding::new(ID, severity, headline)
        .details(format!("{what}. No subscriber in the {watched} watched."))
        .of(pulse.late.get().unwrap_or(0))
        .since(late_since.map_or(first, |late| late.min(first)))
        .number("unattended_ms", alone_ms)
        .number("waiting", waiting)
        .number("late", pulse.late.get())
        .check(&["PUBSUB", "NUMSUB"], &channel);
    let (step, words) = mended(seen, pulse);
    with_unasked(finding, &replicas, &channel).repair(step, words)
}

/// The replicas, which are not asked: a client that is told to subscribes at one of them, and transfers
/// all the same.
fn unasked(seen: &QueueFacts) -> Vec<Follower> {
    let info = seen.server.info().filter(|_| !is_replica(seen));
    info.map_or_else(Vec::new, followers)
}

/// The finding with lines that ask these replicas.
fn with_unasked(mut finding: Finding, replicas: &[Follower], channel: &[u8]) -> Finding {
    if replicas.is_empty() {
        return finding;
    }
    let count = replicas.len() as u64;
    let those = text::counted(count, "replica was", "replicas were");
    finding = finding.words(format!(
        "{those} not asked: clients with subscriptionMode SLAVE subscribe there"
    ));
    let line = command(&["PUBSUB", "NUMSUB"], channel);
    for replica in replicas.iter().take(MOST_REPLICAS) {
        let line = redis_cli::at_node(&line, &replica.address);
        finding.evidence.commands.push(line);
    }
    finding
}

/// The step to be done first, and the advice.
fn mended(seen: &QueueFacts, pulse: &Pulse) -> (Step, Advice) {
    if is_replica(seen) {
        let words = "This server is a replica: check its master, and start the application there.";
        return (Step::Outside, words.into());
    }
    if score_range::negative(seen, pulse).is_some() {
        let words = Advice::of("First correct the due times below zero")
            .by(
                Act::Repair,
                ", else clients fail as soon as they start. Then start the application, or the \
                 worker here",
            )
            .by(Act::Worker, ".");
        return (Step::Change(ChangeRequest::Score), words);
    }
    if score_range::oldest_in_seconds(seen, pulse).is_some() {
        let words = Advice::of("First convert the due times from seconds to milliseconds")
            .by(
                Act::Repair,
                ", else all are delivered at once. Then start the application, or the worker here",
            )
            .by(Act::Worker, ".");
        return (Step::Change(ChangeRequest::Unit), words);
    }
    if slow_transfer::wants_a_hand(seen) {
        let words = Advice::of("First transfer what is due from here")
            .by(
                Act::Repair,
                ", which is fast. Then start the application, or the worker here",
            )
            .by(Act::Worker, ".");
        return (Step::Change(ChangeRequest::Transfer), words);
    }
    let words = Advice::of("Start the application, or the worker here").by(Act::Worker, ".");
    (Step::Worker, words)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, after, framed, info_look, pulse, sample};
    use super::*;
    use crate::queue::{Due, Form, Queue};

    fn severity(pulses: &[Pulse]) -> Option<Severity> {
        let said = after(&Queue::redisson("q"), pulses, None);
        said.findings.first().map(|f| f.severity)
    }

    #[test]
    fn it_takes_two_looks_a_second_apart_and_something_that_waits() {
        assert_eq!(severity(&[pulse(0, 5, Some(60_000), 0)]), None);
        let soon = [pulse(0, 5, None, 0), pulse(999, 5, None, 0)];
        assert_eq!(severity(&soon), None);
        let later = [pulse(0, 5, None, 0), pulse(1_000, 5, None, 0)];
        assert_eq!(severity(&later), Some(Severity::Note));
        let empty = [pulse(0, 0, None, 0), pulse(1_000, 0, None, 0)];
        assert_eq!(severity(&empty), None);
    }

    #[test]
    fn what_is_late_in_the_first_look_already_is_not_passed_over() {
        let early = |late_ms| {
            let scene = Scene::default().pulse(pulse(0, 5, Some(late_ms), 0));
            matches!(scene.verdict(ID), RuleVerdict::Early(_))
        };
        assert!(early(10_001) && !early(10_000));
    }

    #[test]
    fn it_gets_worse_after_half_a_minute_and_when_something_is_late() {
        let long = [pulse(0, 5, None, 0), pulse(30_000, 5, None, 0)];
        assert_eq!(severity(&long), Some(Severity::Warning));
        let hardly = [pulse(0, 5, None, 0), pulse(3_000, 5, Some(10_000), 0)];
        assert_eq!(severity(&hardly), Some(Severity::Note));
        let late = [pulse(0, 5, None, 0), pulse(3_000, 5, Some(10_001), 0)];
        assert_eq!(severity(&late), Some(Severity::Critical));
    }

    #[test]
    fn what_has_seconds_for_milliseconds_is_not_late() {
        let in_seconds = |ms: i64| {
            let mut seen = pulse(ms, 2, None, 0);
            let due = EpochMillis::new(1_700_000_060);
            seen.oldest_late = Some(due);
            seen.first = Some(framed(Form::ByteId, 9, Some(due.since(START))));
            seen
        };
        let scene = Scene::default()
            .pulse(in_seconds(0))
            .pulse(in_seconds(30_000));
        let found = scene.found(ID).unwrap();
        assert_eq!(found.severity, Severity::Note);
        assert_eq!(found.repair.step, Step::Change(ChangeRequest::Unit));
        // But the others are.
        let seconds = in_seconds(0).first.unwrap();
        let late = vec![seconds, framed(Form::ByteId, 1, Some(0))];
        let scene = scene
            .sample(sample(late, Vec::new()))
            .pulse(in_seconds(30_000));
        assert_eq!(scene.found(ID).unwrap().severity, Severity::Critical);
    }

    #[test]
    fn what_makes_clients_fail_as_soon_as_they_start_is_mended_before_one_is_started() {
        let step = |head| {
            let below = |ms| {
                let mut seen = pulse(ms, 5, Some(60_000), 0);
                seen.head = Some(head);
                seen
            };
            let scene = Scene::default().pulse(below(0)).pulse(below(3_000));
            scene.found(ID).unwrap().repair.step
        };
        let (negative, due) = (Due::OutOfRange(-5.0), Due::At(START));
        assert_eq!(step(negative), Step::Change(ChangeRequest::Score));
        assert_eq!(step(due), Step::Worker);
    }

    #[test]
    fn where_a_poller_transfers_what_is_due_and_stays_tells_that_there_is_none() {
        let queue: Queue = "zset-list:timeouts,target,ms".parse().unwrap();
        let said = |stood: i64, late: i64| {
            let pulses = [0, stood].map(|at| {
                let mut seen = pulse(at, 1, Some(late - stood + at), 0);
                seen.transfer_clients = Known::None;
                seen.first = Some(framed(Form::ByteId, 1, Some(stood - late)));
                seen
            });
            let said = after(&queue, &pulses, None);
            said.findings
                .first()
                .map(|found| (found.id, found.severity))
        };
        assert_eq!(said(3_000, 10_000), None);
        assert_eq!(said(2_999, 60_000), None);
        assert_eq!(said(3_000, 10_001), Some((ID, Severity::Warning)));
        assert_eq!(said(3_000, 60_001), Some((ID, Severity::Critical)));
    }

    #[test]
    fn on_a_replica_nobody_has_to_be_there_while_entries_leave_in_time() {
        let verdict = |late_ms, info| {
            let pulses = Scene::default().pulse(pulse(0, 5, None, 0));
            let pulses = pulses.pulse(pulse(30_000, 5, late_ms, 0));
            pulses.look(info_look(0, info)).verdict(ID)
        };
        let follows = "role:slave\r\nmaster_link_status:up\r\n";
        assert!(matches!(verdict(None, follows), RuleVerdict::Blind(_)));
        let RuleVerdict::Found(late) = verdict(Some(10_001), follows) else {
            panic!("nothing found");
        };
        assert_eq!(
            (late.severity, late.repair.step),
            (Severity::Critical, Step::Outside)
        );
        let alone = "role:slave\r\nmaster_link_status:down\r\n";
        assert!(matches!(
            verdict(Some(60_000), alone),
            RuleVerdict::Blind(_)
        ));
    }

    #[test]
    fn replicas_at_which_clients_may_be_subscribed_are_told_with_a_line_that_asks_them() {
        let found = |info| {
            let pulses = Scene::default().pulse(pulse(0, 5, None, 0));
            let pulses = pulses.pulse(pulse(30_000, 5, None, 0));
            pulses.look(info_look(0, info)).found(ID).unwrap().evidence
        };
        let with = found(
            "role:master\r\nconnected_slaves:1\r\n\
             slave0:ip=10.0.0.8,port=7001,state=online,offset=1,lag=0\r\n",
        );
        let words = "1 replica was not asked: clients with subscriptionMode SLAVE subscribe there";
        assert!(with.words.iter().any(|line| line == words), "{with:?}");
        let line = with.commands.last().unwrap();
        assert!(line.starts_with("redis-cli -h 10.0.0.8 -p 7001 PUBSUB NUMSUB "));
        let without = found("role:master\r\nconnected_slaves:0\r\n");
        assert_eq!((without.commands.len(), with.commands.len()), (1, 2));
    }

    #[test]
    fn where_replicas_were_not_asked_it_claims_no_more_than_is_seen() {
        let found = |late_ms, info| {
            let pulses = Scene::default().pulse(pulse(0, 5, late_ms, 0));
            let pulses = pulses.pulse(pulse(30_000, 5, late_ms, 0));
            let found = pulses.look(info_look(0, info)).found(ID).unwrap();
            (found.severity, found.headline)
        };
        let alone = "role:master\r\nconnected_slaves:0\r\n";
        let with = "role:master\r\nconnected_slaves:1\r\n\
                    slave0:ip=10.0.0.8,port=7001,state=online,offset=1,lag=0\r\n";
        let (severity, headline) = found(None, with);
        assert_eq!(severity, Severity::Note);
        assert_eq!(
            headline,
            "No Redisson client listens here; replicas were not asked."
        );
        // What is late is late, whoever listens where.
        assert_eq!(found(Some(40_000), with).0, Severity::Critical);
        let (severity, headline) = found(None, alone);
        assert_eq!(severity, Severity::Warning);
        assert_eq!(headline, "No Redisson client runs for this queue.");
    }

    #[test]
    fn a_client_that_shows_up_ends_it() {
        let back = [
            pulse(0, 5, None, 0),
            pulse(2_000, 5, None, 1),
            pulse(4_000, 5, None, 0),
        ];
        assert_eq!(severity(&back), None);
    }

    #[test]
    fn where_subscribers_cannot_be_counted_it_says_that_it_cannot_look() {
        let mut refused = pulse(0, 5, None, 0);
        refused.transfer_clients = Known::Unknown("NOPERM".into());
        let said = after(&Queue::redisson("q"), &[refused.clone()], None);
        assert_eq!(said.findings, []);
        assert!(said.blind.contains(&(ID, "NOPERM".to_owned())));
        refused.transfer_clients = Known::None;
        assert_eq!(after(&Queue::redisson("q"), &[refused], None).blind, []);
    }
}
