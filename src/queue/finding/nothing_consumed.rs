//! Entries are delivered, and nobody takes them.

use super::flow::{self, Taken};
use super::watch::{APART_MS, Standing};
use super::{Finding, Seen, Severity, Step, Verdict};
use crate::queue::{Known, text};

pub(super) const ID: &str = "nothing-consumed";

/// Nothing taken for so long is a note, in ms.
const WHILE_MS: i64 = 10_000;
/// And for so long a warning, in ms.
const LONG_MS: i64 = 30_000;

/// A few elements that have stood in target for less are a hand-over, in ms.
const LIES_MS: i64 = 3_000;
/// So many are none.
const MANY: u64 = 100;

/// Looks at the length of target in all pulses that are kept, and at its front in the samples.
pub(super) fn look(seen: &Seen) -> Verdict {
    let Some(pulse) = seen.pulse else {
        return Verdict::Silent;
    };
    let Some(standing) = seen.watch.standing_target() else {
        return Verdict::Fine;
    };
    let ms = pulse.at.since(standing.since);
    match flow::taken(seen, standing.since) {
        Taken::Exactly(0, apart) if apart >= APART_MS && ms >= WHILE_MS => {
            Verdict::Found(finding(seen, &standing, ms))
        }
        Taken::Exactly(1.., _) | Taken::AtLeast(..) => Verdict::Fine,
        // Two samples that are apart tell it then, else half a minute.
        _ if ms < LONG_MS && (ms >= LIES_MS || standing.length >= MANY) => {
            let known_ms = if ms < WHILE_MS { WHILE_MS } else { LONG_MS } - ms;
            Verdict::Early(format!(
                "{} in target: known in {} s whether any is taken",
                text::counted(standing.length, "waits", "wait"),
                (known_ms + 999) / 1_000
            ))
        }
        _ => Verdict::Fine,
    }
}

fn finding(seen: &Seen, standing: &Standing, ms: i64) -> Finding {
    let (who, blocked) = consumers(seen);
    let elements = text::counted(standing.length, "element waits", "elements wait");
    let since = text::countdown(ms);
    let severity = if ms < LONG_MS {
        Severity::Note
    } else {
        Severity::Warning
    };
    let mut finding = Finding::new(
        ID,
        severity,
        format!("{elements} in target and nothing was taken for {since}: {who}."),
    );
    finding = finding
        .of(standing.length)
        .since(standing.since)
        .number("target", standing.length)
        .number("grown", standing.grown)
        .number("nothing_taken_ms", ms)
        .number("blocked_clients", blocked)
        .words(format!(
            "target grew by {} meanwhile, and its next element is still the same",
            text::thousands(standing.grown)
        ));
    for line in last_takers(seen) {
        finding = finding.words(line);
    }
    finding
        .check(&["LLEN"], &seen.queue.keys().target)
        .check(&["CLIENT"], b"LIST")
        .repair(
            Step::Outside,
            "Start its consumers again: one that hangs on a dead connection looks alive to itself.",
        )
}

/// Whether any client waits for an element of a list, and how many do.
fn consumers(seen: &Seen) -> (String, Option<u64>) {
    let clients = seen.server.last().map(|look| &look.clients);
    let Some(Known::Is(clients)) = clients else {
        return (
            "whether a consumer is there cannot be seen".to_owned(),
            None,
        );
    };
    let blocked = clients.blocked_on_lists(seen.server.db).count();
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

/// The clients whose last command took from some list, and which do nothing now: one of them may be
/// the consumer that hangs.
fn last_takers(seen: &Seen) -> Vec<String> {
    /// So many are named.
    const FEW: usize = 3;
    let look = seen.server.last();
    let Some(clients) = look.and_then(|look| look.clients.get_ref()) else {
        return Vec::new();
    };
    let mut took: Vec<_> = clients.took(seen.server.db).collect();
    took.sort_by_key(|client| std::cmp::Reverse(client.idle_s));
    let line = |client: &&crate::queue::look::Client| {
        let name = match client.name.as_str() {
            "" => String::new(),
            name => format!(" ({})", text::printable(name)),
        };
        let ago = text::countdown(i64::try_from(client.idle_s).unwrap_or(0) * 1_000);
        let (addr, command) = (&client.addr, client.command.to_uppercase());
        format!("{addr}{name} took from a list last, by {command}, {ago} ago")
    };
    took.iter().take(FEW).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, pulse, sample, server_look};
    use super::*;
    use crate::queue::frames::{Delivered, Frames};
    use crate::queue::look::{Client, Clients};
    use crate::queue::{Pulse, Queue};

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
        let named = "10.0.0.2:5 (app) took from a list last, by BLPOP, 5:12 ago";
        assert!(
            words.contains(named) && !words.contains("10.0.0.1"),
            "{words}"
        );
        let who = "no client waits for it (1 is blocked on other lists)";
        assert!(found.sentence.contains(who), "{}", found.sentence);
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
        for early in [seen(9, 8_000), seen(12, 7_000)] {
            let Verdict::Early(words) = early.verdict(ID) else {
                panic!("{:?}", early.verdict(ID));
            };
            assert!(words.contains("wait in target: known in"), "{words}");
        }
        // Two samples that are apart tell it, for now as a note.
        let found = seen(10, 8_000).found(ID).unwrap();
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
