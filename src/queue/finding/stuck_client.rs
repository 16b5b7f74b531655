//! Somebody is subscribed, but the head of timeouts does not move.

mod why;

use self::why::{StuckReason, why};
use super::id::STUCK_CLIENT as ID;
use super::{
    Finding, OpenQuestion, QueueFacts, RuleVerdict, Severity, clients, clock_skew, recovery,
    score_range,
};
use crate::queue::{Known, Pulse, text};

/// The cause where nothing else tells one.
pub(super) const LOST_TIMER: &str = "most likely a client has lost its timer: known up to Redisson \
                                     3.45.0 (seldom), and up to 3.21.1 after several offers at once";

/// The same entry heads timeouts for so long, in ms of answered pulses.
const STANDS_MS: i64 = 3_000;
/// The same entry is late by more than this, in ms: a client that failed once tries again after 5
/// s.
const LATE_MS: i64 = 6_000;

/// Looks at how long the same entry has headed timeouts.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(pulse) = seen.pulse else {
        return RuleVerdict::Silent;
    };
    let clients = match &pulse.transfer_clients {
        Known::None => return RuleVerdict::Silent,
        Known::Unknown(why) => Err(why),
        Known::Is(0) => return RuleVerdict::Fine,
        Known::Is(clients) => Ok(*clients),
    };
    // What has seconds for milliseconds is not late, and a kick would deliver all of it at once.
    let in_seconds = score_range::oldest_in_seconds(seen, pulse).is_some();
    let stands = |(stood_ms, late_ms): &(i64, i64)| {
        *stood_ms >= STANDS_MS && *late_ms > LATE_MS && !in_seconds
    };
    // Where clocks are behind, each entry stands for a while, and leaves.
    let stays = |(_, late_ms): &(i64, i64)| !clock_skew::leaves_soon(seen, *late_ms);
    let standing = seen.watch.standing().filter(stands).filter(stays);
    let Some((stood_ms, late_ms)) = standing else {
        return match clients {
            Ok(_) => RuleVerdict::Fine,
            Err(why) => RuleVerdict::Blind(why.to_string()),
        };
    };
    if let Some(left_ms) = recovery::left_ms(seen.watch, pulse.at) {
        let late = text::thousands(pulse.late.get().unwrap_or(0));
        let seen = format!("{late} late, and the cause has just gone");
        return RuleVerdict::Early(OpenQuestion::new(seen, "whether they go on", Some(left_ms)));
    }
    let clients = clients.ok();
    RuleVerdict::Found(finding(seen, pulse, (clients, stood_ms, late_ms)))
}

/// Says how many are subscribed, and how many of them are ours.
fn who(seen: &QueueFacts, clients: Option<u64>) -> String {
    let Some(clients) = clients else {
        return "who listens cannot be seen".to_owned();
    };
    let channel = seen.queue.keys().channel.unwrap_or_default();
    let ours = clients::seen(seen).map_or(0, |all| all.stand_ins(&channel));
    let who = text::counted(clients, "client listens", "clients listen");
    match ours.min(clients) {
        0 => who,
        ours => {
            let workers = text::counted(ours, "worker", "workers");
            format!("{who}, {workers} of delayscope among them")
        }
    }
}

fn finding(
    seen: &QueueFacts,
    pulse: &Pulse,
    (clients, stood_ms, late_ms): (Option<u64>, i64, i64),
) -> Finding {
    let late = pulse.late.get().unwrap_or(0);
    let oldest = text::age(late_ms);
    let who = who(seen, clients);
    let seen_here = format!("{} late, oldest {oldest}; {who}.", text::thousands(late));
    let why = match clients {
        Some(_) => why(seen, stood_ms),
        None => StuckReason::Unseen,
    };
    let (headline, more) = why.words();
    let (step, repair) = why.repair();
    let keys = seen.queue.keys();
    let mut finding = Finding::new(ID, Severity::Critical, headline)
        .details(format!("{seen_here}{more}"))
        .of(late)
        .number("late", late)
        .number("late_ms", late_ms)
        .number("stands_ms", stood_ms)
        .number("transfer_clients", clients)
        .words(format!(
            "the same entry is the first of timeouts for {} of watching",
            text::age(stood_ms)
        ));
    if let Some(ms) = why.kicked_ms(seen) {
        finding = finding
            .number("kicked_ms_ago", ms)
            .words(format!("the clients were woken {} ago", text::age(ms)));
    }
    if matches!(
        why,
        StuckReason::Untold | StuckReason::Again | StuckReason::Anew
    ) {
        finding = finding.words(LOST_TIMER);
    }
    if let StuckReason::Fails(count, span) = why {
        let words = text::counted(count, "script has", "scripts have");
        finding = finding
            .number("failed_scripts", count)
            .words(format!("{words} failed in {}", text::age(span)));
    }
    finding = finding.all_words(clients::subscribers(seen));
    if let Some(still) = seen.watch.still {
        finding = finding
            .number("head", still.id.to_string())
            .since(still.due);
    }
    finding
        .check_about("ZRANGE", &keys.timeouts, &["0", "0", "WITHSCORES"])
        .check(&["PUBSUB", "NUMSUB"], &keys.channel.unwrap_or_default())
        .repair(step, repair)
}

#[cfg(test)]
mod tests;
