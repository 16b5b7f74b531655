//! Entries are delivered, and nobody takes them.
//!
//! Who takes leaves no trace but what is missing at the front of target. Nothing taken for `t`
//! while `n` wait: at that pace the last of them waits for `n·t` more. So a few have to stand for
//! half a minute; where very many wait, a few seconds tell as much, unless whoever takes them does
//! so in batches or has just been restarted. It ends when one was seen to be taken, or nothing stands
//! there any more: a server that was away for a while, or samples that do not tell, show neither.

use super::flow::{self, TakenCount};
use super::id::NOTHING_CONSUMED as ID;
use super::watch::{APART_MS, BEYOND_HAND_OVER, LIES_MS, StandingTarget};
use super::{Finding, OpenQuestion, QueueFacts, RuleVerdict, Severity, Step, clients, recovery};
use crate::queue::{Known, Pulse, text};

/// Nothing taken for so long is a note, in ms.
const WHILE_MS: i64 = 10_000;
/// Nothing taken for so long is a warning, in ms.
const LONG_MS: i64 = 30_000;
/// It is one sooner where the last one waits so much longer at that pace, in ms.
const MUCH_MS: i64 = 1_800_000;
/// The number of waiting elements, and the time in ms without one taken, from which on it is
/// critical. The design has a warning at most, since nothing is lost; but then all work has
/// stopped, and no busy consumer or restart explains it.
const DEAD: u64 = 1_000;
const DEAD_MS: i64 = 60_000;
/// But not before this, in ms: a consumer that restarts is back within five seconds.
const SOON_MS: i64 = 7_000;

/// Where [`SOON_MS`] is enough, two samples that are apart have told by then, in ms.
const SAMPLED_MS: i64 = 10_000;

/// Looks at the length of target in all pulses that are kept, at its front in the samples, and at
/// the clients.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(pulse) = seen.pulse else {
        return RuleVerdict::Silent;
    };
    let Some(standing) = seen.watch.standing_target() else {
        return RuleVerdict::Fine;
    };
    if let Known::Unknown(why) = &pulse.target {
        return RuleVerdict::Blind(why.to_string());
    }
    let ms = pulse.at.since(standing.since);
    let old = is_old(&standing, ms);
    let soon = old && is_long(&standing, ms);
    if standing.grown == 0 && !soon {
        return RuleVerdict::Fine;
    }
    let alone = soon && nobody_else(seen, pulse, ms);
    let enough = if alone || old { SOON_MS } else { WHILE_MS };
    match flow::taken(seen, standing.sampled()) {
        TakenCount::Exactly(0, apart) if apart >= APART_MS && ms >= enough => {
            // Where nothing comes either, it may be somebody's store.
            let long = standing.grown > 0 && (ms >= LONG_MS || alone);
            RuleVerdict::Found(finding(seen, &standing, ms, long))
        }
        TakenCount::Exactly(1.., _) | TakenCount::AtLeast(..) => RuleVerdict::Fine,
        // Samples that do not tell are no evidence that any was taken since they did.
        _ if standing.untaken && ms >= enough => {
            let long = standing.grown > 0 && ms >= LONG_MS;
            RuleVerdict::Found(finding(seen, &standing, ms, long))
        }
        _ if alone && ms < SOON_MS => RuleVerdict::Found(suspicion(seen, &standing, SOON_MS - ms)),
        // Two samples that are apart may tell it sooner: a countdown never goes up.
        _ if ms < LONG_MS && (ms >= LIES_MS || standing.length >= BEYOND_HAND_OVER) => {
            let seen = text::counted(standing.length, "waits", "wait");
            let (seen, asks) = (format!("{seen} in target"), "whether any is taken");
            let known_in_ms = if old {
                (SAMPLED_MS - ms).max(1)
            } else {
                LONG_MS - ms
            };
            RuleVerdict::Early(OpenQuestion::new(seen, asks, Some(known_in_ms)))
        }
        _ => RuleVerdict::Fine,
    }
}

/// Tells whether they were there before the first look (of what was seen to come, it is known for how
/// long it stands), and are not what gathers within half a minute: a consumer may take in batches.
fn is_old(standing: &StandingTarget, ms: i64) -> bool {
    let length = i64::try_from(standing.length).unwrap_or(i64::MAX);
    let grown = i64::try_from(standing.grown).unwrap_or(i64::MAX);
    let gathers_ms = length.saturating_mul(ms) / grown.max(1);
    standing.before && gathers_ms >= LONG_MS
}

/// Tells whether so many wait that a few seconds are enough: nothing taken for [`SOON_MS`] makes the
/// last of them wait for long.
fn is_long(standing: &StandingTarget, ms: i64) -> bool {
    let length = i64::try_from(standing.length).unwrap_or(i64::MAX);
    length.saturating_mul(SOON_MS.max(ms)) >= MUCH_MS
}

/// No client can be seen that may be a slow consumer of this queue: one whose last command has
/// taken from a list within half a minute, before those that wait were first seen to stand. Whoever
/// has taken from a list since then took from another one, and whoever is blocked waits for another
/// one.
fn nobody_else(seen: &QueueFacts, pulse: &Pulse, ms: i64) -> bool {
    let Some((all, look)) = clients::seen(seen).zip(seen.server.last()) else {
        return false;
    };
    let watched_ms = ms - pulse.at.since(look.at);
    let mut took = all.took(seen.server.db);
    !took.any(|client| {
        let idle_ms = i64::try_from(client.idle_s).unwrap_or(i64::MAX / 1_000) * 1_000;
        // Idle times are told in whole seconds.
        idle_ms < LONG_MS && idle_ms + 1_000 > watched_ms
    })
}

/// Suspects, before it is known, that so many wait and nobody is there.
fn suspicion(seen: &QueueFacts, standing: &StandingTarget, known_in_ms: i64) -> Finding {
    let elements = text::counted(standing.length, "element waits", "elements wait");
    let open = OpenQuestion::new(
        format!("{elements} in target and no client waits for one"),
        "whether a busy consumer takes them",
        Some(known_in_ms),
    );
    let suspected = Finding::new(ID, Severity::Note, "Perhaps nobody takes from target.")
        .details(format!("{}.", open.words()));
    let mut found = evidence(seen, suspected, standing);
    found.open = Some(open.into());
    found
}

fn finding(seen: &QueueFacts, standing: &StandingTarget, ms: i64, long: bool) -> Finding {
    let (who, _) = consumers(seen);
    let elements = text::counted(standing.length, "element waits", "elements wait");
    let since = text::age(ms);
    let severity = match long {
        true if ms >= DEAD_MS && standing.length >= DEAD => Severity::Critical,
        true => Severity::Warning,
        false => Severity::Note,
    };
    let found = Finding::new(ID, severity, "Nobody takes what is delivered.").details(format!(
        "{elements} in target, and nothing was taken in the {since} watched: {who}."
    ));
    let mut found = evidence(seen, found, standing);
    if severity == Severity::Note && standing.grown > 0 {
        found.worsens_in_ms = Some(LONG_MS - ms).filter(|left| *left > 0);
    }
    found
        .number("nothing_taken_ms", ms)
        .all_words(brought_by_us(seen, standing))
        .words(match standing.grown {
            0 => "nothing has come meanwhile either, and its next element is still the same"
                .to_owned(),
            n => format!(
                "target grew by {} meanwhile, and its next element is still the same",
                text::thousands(n)
            ),
        })
        .since(standing.since)
}

/// Says that what has come is of a change of ours.
fn brought_by_us(seen: &QueueFacts, standing: &StandingTarget) -> Vec<String> {
    let at = seen.pulse.map(|pulse| pulse.at);
    let ours = at.and_then(|at| {
        let stood_ms = at.since(standing.since);
        recovery::we_delivered(seen.watch, at, stood_ms + 1)
    });
    let words = ours.map(|(ours, _)| format!("target has grown by {ours}"));
    words.into_iter().collect()
}

/// Adds what shows it, and what mends it.
fn evidence(seen: &QueueFacts, finding: Finding, standing: &StandingTarget) -> Finding {
    let (_, blocked) = consumers(seen);
    let target = &seen.queue.keys().target;
    let looked = seen.server.last().map(|look| look.at);
    let silent_ms = looked.map_or(0, |at| at.since(standing.since));
    finding
        .of(standing.length)
        .number("target", standing.length)
        .number("grown", standing.grown)
        .number("blocked_clients", blocked)
        .all_words(elsewhere(blocked))
        .all_words(clients::namesakes_that_take(seen))
        .all_words(clients::last_takers(seen, silent_ms))
        .check(&["LLEN"], target)
        .check(&["CLIENT"], b"LIST")
        .repair(Step::Outside, what_helps(seen))
}

/// Says how many wait for an element of another list: one that waited for this one would have taken
/// what is there.
fn elsewhere(blocked: Option<u64>) -> Vec<String> {
    let blocked = blocked.filter(|n| *n > 0);
    let words = blocked.map(|n| {
        let waits = text::counted(n, "client waits", "clients wait");
        format!("{waits} for an element of other lists")
    });
    words.into_iter().collect()
}

/// Says which program has to be started, or started anew, as far as that can be known.
fn what_helps(seen: &QueueFacts) -> String {
    let list = text::printable_bytes(&seen.queue.keys().target);
    let subscribed = seen.pulse.and_then(|pulse| pulse.transfer_clients.get());
    // Workers of other screens are no application either.
    let channel = seen.queue.keys().channel;
    let workers = clients::seen(seen).zip(channel.as_deref());
    let workers = workers.map_or(0, |(all, channel)| all.stand_ins(channel));
    let workers = workers.max(seen.watch.own_workers);
    let nobody = subscribed.is_some_and(|clients| clients <= workers);
    let only_take = clients::takers_by_name(seen);
    if nobody && only_take.is_empty() && seen.queue.keys().channel.is_some() {
        return "Start the application: none of its clients runs. Nothing is lost.".to_owned();
    }
    // Who transfers need not be who takes: a program that does nothing else comes first.
    let restart = match (only_take.as_slice(), clients::namesakes(seen).as_slice()) {
        ([one], _) | ([], [one]) => format!("Restart {one} if it takes from list {list}"),
        // Which of several, or whether any of them takes, nobody knows.
        ([], _) => format!("Restart the program that takes from list {list}"),
        (names, _) => format!(
            "Restart {}, whichever takes from list {list}",
            names.join(" or ")
        ),
    };
    format!("{restart}: it may not see that its connection is dead. Nothing is lost.")
}

/// Tells whether any client waits for an element of a list, and how many do.
fn consumers(seen: &QueueFacts) -> (String, Option<u64>) {
    let Some(all) = clients::seen(seen) else {
        return (
            "whether a consumer is there cannot be seen".to_owned(),
            None,
        );
    };
    let blocked = all.blocked_on_lists(seen.server.db).count();
    let blocked = u64::try_from(blocked).unwrap_or(u64::MAX);
    let words = match blocked {
        0 => "no client waits for an element of any list".to_owned(),
        _ => "no client waits for one of it".to_owned(),
    };
    (words, Some(blocked))
}

#[cfg(test)]
mod tests;
