//! Entries are delivered, and nobody takes them.
//!
//! Who takes leaves no trace but what is missing at the front of target. Nothing taken for `t` while
//! `n` wait: at that pace the last of them waits for `n·t` more. So a few have to stand for half a
//! minute; where very many wait, a few seconds tell as much, unless whoever takes them does so in
//! batches or has just been restarted.

use super::flow::{self, Taken};
use super::watch::{APART_MS, LIES_MS, MANY, Standing};
use super::{Finding, Open, Seen, Severity, Step, Verdict, clients};
use crate::queue::{Pulse, text};

pub(super) const ID: &str = "nothing-consumed";

/// Nothing taken for so long is a note, in ms.
const WHILE_MS: i64 = 10_000;
/// And for so long a warning, in ms.
const LONG_MS: i64 = 30_000;
/// It is one sooner where the last one waits so much longer at that pace, in ms.
const MUCH_MS: i64 = 1_800_000;
/// Where at least so many wait, nothing taken for so long, in ms, is critical. The design has a warning
/// at most, since nothing is lost; but then whatever should be done has stopped, and a busy consumer or
/// one that restarts is no explanation any more.
const DEAD: u64 = 1_000;
const DEAD_MS: i64 = 60_000;
/// But not before this, in ms: a consumer that restarts is back within five seconds.
const SOON_MS: i64 = 7_000;

/// Looks at the length of target in all pulses that are kept, at its front in the samples, and at the
/// clients.
pub(super) fn look(seen: &Seen) -> Verdict {
    let Some(pulse) = seen.pulse else {
        return Verdict::Silent;
    };
    let Some(standing) = seen.watch.standing_target() else {
        return Verdict::Fine;
    };
    let ms = pulse.at.since(standing.since);
    let soon = is_heap(&standing, ms);
    if standing.grown == 0 && !soon {
        return Verdict::Fine;
    }
    let enough = if soon && nobody_else(seen, pulse, ms) {
        SOON_MS
    } else {
        WHILE_MS
    };
    match flow::taken(seen, standing.sampled()) {
        Taken::Exactly(0, apart) if apart >= APART_MS && ms >= enough => {
            // Where nothing comes either, it may be somebody's store.
            let long = standing.grown > 0 && (ms >= LONG_MS || enough == SOON_MS);
            Verdict::Found(finding(seen, &standing, ms, long))
        }
        Taken::Exactly(1.., _) | Taken::AtLeast(..) => Verdict::Fine,
        _ if soon && ms < SOON_MS && enough == SOON_MS => {
            Verdict::Found(suspicion(seen, &standing, SOON_MS - ms))
        }
        // Two samples that are apart tell it then, else half a minute.
        _ if ms < LONG_MS && (ms >= LIES_MS || standing.length >= MANY) => {
            let known_ms = if ms < WHILE_MS { WHILE_MS } else { LONG_MS } - ms;
            let seen = text::counted(standing.length, "waits", "wait");
            let (seen, asks) = (format!("{seen} in target"), "whether any is taken");
            Verdict::Early(Open::new(seen, asks, Some(known_ms)))
        }
        _ => Verdict::Fine,
    }
}

/// So many wait that a few seconds tell: they were there before the first look (of what was seen to
/// come, it is known for how long it stands), they are not what gathers within half a minute (a
/// consumer may take in batches), and nothing taken for [`SOON_MS`] makes the last of them wait for
/// long.
fn is_heap(standing: &Standing, ms: i64) -> bool {
    let length = i64::try_from(standing.length).unwrap_or(i64::MAX);
    let grown = i64::try_from(standing.grown).unwrap_or(i64::MAX);
    let gathers_ms = length.saturating_mul(ms) / grown.max(1);
    let last_ms = length.saturating_mul(SOON_MS.max(ms));
    standing.before && gathers_ms >= LONG_MS && last_ms >= MUCH_MS
}

/// No client can be seen that may be a slow consumer of this queue: one whose last command has taken
/// from a list within half a minute, before those that wait were first seen to stand. Whoever has taken
/// from a list since then took from another one, and whoever is blocked waits for another one.
fn nobody_else(seen: &Seen, pulse: &Pulse, ms: i64) -> bool {
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

/// What is said before it is known: that so many wait, and nobody is there.
fn suspicion(seen: &Seen, standing: &Standing, known_in_ms: i64) -> Finding {
    let elements = text::counted(standing.length, "element waits", "elements wait");
    let open = Open::new(
        format!("{elements} in target and no client waits for one"),
        "whether a busy consumer takes them",
        Some(known_in_ms),
    );
    let sentence = format!("{}.", open.words());
    let mut found = evidence(seen, Finding::new(ID, Severity::Note, sentence), standing);
    found.open = Some(open.into());
    found
}

fn finding(seen: &Seen, standing: &Standing, ms: i64, long: bool) -> Finding {
    let (who, _) = consumers(seen);
    let elements = text::counted(standing.length, "element waits", "elements wait");
    let since = text::countdown(ms);
    let severity = match long {
        true if ms >= DEAD_MS && standing.length >= DEAD => Severity::Critical,
        true => Severity::Warning,
        false => Severity::Note,
    };
    let sentence =
        format!("{elements} in target and nothing was taken for {since} of watching: {who}.");
    evidence(seen, Finding::new(ID, severity, sentence), standing)
        .number("nothing_taken_ms", ms)
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

/// With what shows it, and what mends it.
fn evidence(seen: &Seen, finding: Finding, standing: &Standing) -> Finding {
    let (_, blocked) = consumers(seen);
    let target = &seen.queue.keys().target;
    finding
        .of(standing.length)
        .number("target", standing.length)
        .number("grown", standing.grown)
        .number("blocked_clients", blocked)
        .all_words(clients::last_takers(seen))
        .all_words(clients::blocked_on_others(seen))
        .check(&["LLEN"], target)
        .check(&["CLIENT"], b"LIST")
        .repair(
            Step::Outside,
            format!(
                "Nothing is lost, and no key here mends it: restart the program that takes from list \
                 {}; one that hangs on a dead connection looks alive to itself.",
                text::printable_bytes(target)
            ),
        )
}

/// Whether any client waits for an element of a list, and how many do.
fn consumers(seen: &Seen) -> (String, Option<u64>) {
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
        // One that waited for this list would have taken what is there.
        n => format!(
            "no client waits for it ({} on other lists)",
            text::counted(n, "is blocked", "are blocked")
        ),
    };
    (words, Some(blocked))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, pulse, sample, server_look};
    use super::*;
    use crate::queue::Known;
    use crate::queue::frames::{Delivered, Frames};
    use crate::queue::look::{Client, Clients};
    use crate::queue::{Pulse, Queue, ServerLook};

    fn at(ms: i64, target: u64) -> Pulse {
        Pulse {
            target: Known::Is(target),
            ..pulse(ms, 5, None, 1)
        }
    }

    fn fronted(ms: i64, first: &str) -> Frames {
        let mut frames = sample(Vec::new(), Vec::new());
        frames.at = START.plus(ms);
        frames.front = vec![Delivered::new(&Queue::redisson("q"), first.as_bytes())];
        frames
    }

    /// Pulses of these lengths, a second apart; samples at 0 and 25 s, with these next elements.
    fn scene(lengths: impl Iterator<Item = u64>, next: [&str; 2]) -> Scene {
        let mut scene = Scene::default();
        for (second, length) in (0..).zip(lengths) {
            scene = scene.pulse(at(second * 1_000, length));
        }
        scene
            .sample(fronted(0, next[0]))
            .sample(fronted(25_000, next[1]))
            .look(server_look(0, [false, true], 0))
    }

    #[test]
    fn what_stands_in_target_for_half_a_minute_and_grows_is_a_warning() {
        let found = scene(5..=35, ["a", "a"]).found(ID).unwrap();
        assert_eq!(
            (found.severity, found.figure),
            (Severity::Warning, Some(35))
        );
        assert!(
            found.sentence.contains("no client waits"),
            "{}",
            found.sentence
        );
        // It came at once and stays.
        let burst = [0].into_iter().chain([100; 31]);
        assert!(
            scene(burst, ["a", "a"]).found(ID).is_none(),
            "sampled before it came"
        );
        let mut burst = scene([0].into_iter().chain([100; 32]), ["a", "a"]);
        burst = burst.sample(fronted(31_000, "a"));
        assert!(burst.found(ID).is_some());
    }

    #[test]
    fn clients_that_took_from_a_list_last_are_named() {
        let client = |id: u64, idle_s, blocked_on_list| Client {
            addr: format!("10.0.0.{id}:5"),
            name: ["", "app"][usize::from(id > 1)].to_owned(),
            command: "blpop".to_owned(),
            idle_s,
            age_s: 600,
            blocked_on_list,
            ..Client::default()
        };
        let mut look = server_look(0, [false, true], 0);
        let clients = Clients {
            total: 3,
            listed: vec![client(1, 5, true), client(2, 312, false)],
        };
        look.clients = Known::Is(clients.into());
        let found = scene(5..=35, ["a", "a"]).look(look).found(ID).unwrap();
        let words = found.evidence.words.join("\n");
        for named in [
            "10.0.0.2:5 (app), db 0, connected for 10:00: took from a list last, by BLPOP, 5:12 ago",
            "10.0.0.1:5, db 0, connected for 10:00: waits for an element of some list, in BLPOP for 5 s",
        ] {
            assert!(words.contains(named), "{words}");
        }
        // Of lists that this one is none of: last, lest they pass for culprits.
        let others = words.find("these wait for other lists").unwrap();
        assert!(
            words.find("10.0.0.2:5").unwrap() < others
                && others < words.find("10.0.0.1:5").unwrap()
        );
        let who = "no client waits for it (1 is blocked on other lists)";
        assert!(found.sentence.contains(who), "{}", found.sentence);
    }

    /// What is said `ms` after the first look of a target of so many, to which one is added each
    /// `each_ms`; a client took from a list so long before the first look (in s) and not since.
    fn heap(length: u64, each_ms: i64, ms: i64, took: Option<u64>) -> Verdict {
        let mut scene = Scene::default();
        for beat in (0..=ms).step_by(1_000) {
            let come = (beat / each_ms).unsigned_abs();
            scene = scene.pulse(at(beat, length + come));
        }
        let took = |later: u64| took.map(|idle_s| client(idle_s + later));
        let look = |ms: i64, client: Option<Client>| ServerLook {
            clients: Known::Is(std::sync::Arc::new(Clients {
                total: 1,
                listed: client.into_iter().collect(),
            })),
            ..server_look(ms, [false, true], 0)
        };
        for sampled in [-500, 500, 6_500] {
            if sampled <= ms {
                scene = scene.sample(fronted(sampled, "a"));
            }
        }
        scene = scene.look(look(0, took(0)));
        if ms >= 10_000 {
            scene = scene.look(look(10_000, took(10)));
        }
        scene.verdict(ID)
    }

    fn client(idle_s: u64) -> Client {
        Client {
            command: "lpop".to_owned(),
            idle_s,
            ..Client::default()
        }
    }

    fn severity(verdict: &Verdict) -> Option<(Severity, bool)> {
        match verdict {
            Verdict::Found(found) => Some((found.severity, found.open.is_some())),
            _ => None,
        }
    }

    #[test]
    fn where_thousands_wait_and_nobody_is_there_it_is_suspected_at_once_and_known_in_seven_seconds()
    {
        let (note, warning) = (Severity::Note, Severity::Warning);
        for ms in [1_000, 6_000] {
            let said = heap(3_000, 100, ms, None);
            assert_eq!(severity(&said), Some((note, true)), "{ms}");
        }
        assert_eq!(
            severity(&heap(3_000, 100, 7_000, None)),
            Some((warning, false))
        );
        // The last of these waits for less than half an hour if one is taken each seven seconds.
        assert_eq!(severity(&heap(200, 100, 7_000, None)), None);
        // Nothing comes either.
        assert_eq!(
            severity(&heap(3_000, 60_000, 40_000, None)),
            Some((note, false))
        );
        assert_eq!(severity(&heap(90, 60_000, 40_000, None)), None);
        // They gather in less than half a minute: a consumer may take them in batches.
        assert_eq!(severity(&heap(1_000, 10, 9_000, None)), None);
        assert_eq!(
            severity(&heap(1_000, 10, 10_000, None)),
            Some((note, false))
        );
    }

    #[test]
    fn a_client_that_took_from_a_list_of_late_may_be_a_slow_consumer_until_it_takes_from_another() {
        let said = |ms, took| severity(&heap(3_000, 100, ms, took));
        let (note, warning) = (Severity::Note, Severity::Warning);
        assert_eq!([said(1_000, Some(3)), said(7_000, Some(3))], [None, None]);
        assert_eq!(said(10_000, Some(3)), Some((note, false)));
        // It is silent for longer than any consumer needs for one.
        assert_eq!(said(7_000, Some(31)), Some((warning, false)));
        let mut scene = Scene::default();
        for beat in 0..=10 {
            scene = scene.pulse(at(beat * 1_000, 3_000 + beat.unsigned_abs()));
        }
        let mut look = server_look(10_000, [false, true], 0);
        look.clients = Known::Is(std::sync::Arc::new(Clients {
            total: 1,
            listed: vec![client(2)],
        }));
        scene = scene.sample(fronted(0, "a")).sample(fronted(6_500, "a"));
        assert_eq!(
            scene.clone().look(look).found(ID).unwrap().severity,
            warning
        );
        // Whoever cannot see the clients waits for longer.
        assert_eq!(scene.found(ID).unwrap().severity, note);
    }

    #[test]
    fn before_that_it_says_for_how_long_it_has_watched() {
        let seen = |seconds, sampled_ms| {
            let mut scene = Scene::default();
            for second in 0..=seconds {
                scene = scene.pulse(at(second * 1_000, 5 + second.unsigned_abs()));
            }
            scene
                .sample(fronted(3_000, "a"))
                .sample(fronted(sampled_ms, "a"))
        };
        for early in [seen(9, 9_000), seen(12, 7_000)] {
            let Verdict::Early(open) = early.verdict(ID) else {
                panic!("{:?}", early.verdict(ID));
            };
            let words = open.words();
            assert!(words.contains("wait in target: known in"), "{words}");
        }
        // Two samples that are apart tell it, for now as a note.
        let found = seen(10, 9_000).found(ID).unwrap();
        assert_eq!(found.severity, Severity::Note);
        assert!(found.sentence.contains("for 0:10"), "{}", found.sentence);
    }

    #[test]
    fn where_something_is_taken_or_nothing_comes_all_is_well() {
        let well = |lengths: Vec<u64>, next| scene(lengths.into_iter(), next).verdict(ID);
        assert_eq!(well((5..=45).collect(), ["a", "b"]), Verdict::Fine);
        assert_eq!(well(vec![5; 40], ["a", "a"]), Verdict::Fine);
        assert_eq!(well(vec![0; 40], ["a", "a"]), Verdict::Fine);
        let shrank = (5..=30).chain([29]).collect();
        assert_eq!(well(shrank, ["a", "a"]), Verdict::Fine);
    }
}
