//! When it is said that nobody takes, and how bad that is.

use super::super::tests::{START, Scene, pulse, sample, server_look};
use super::*;
use crate::queue::finding::Diagnosis;
use crate::queue::frames::{DeliveredElement, Frames};
use crate::queue::look::{Client, Clients, worker_name};
use crate::queue::{Change, Known};
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
    frames.front = vec![DeliveredElement::new(
        &Queue::redisson("q"),
        first.as_bytes(),
    )];
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
        found.sentence().contains("no client waits"),
        "{}",
        found.sentence()
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
fn what_we_delete_from_target_is_not_taken_by_a_consumer() {
    let stands = || scene(5..=35, ["a", "a"]);
    let shorter = |scene: Scene| {
        let scene = scene.pulse(at(36_000, 12)).pulse(at(37_000, 13));
        scene.sample(fronted(36_500, "b"))
    };
    let mut ours = stands();
    let before = ours.found(ID).unwrap();
    for change in [Change::Repack, Change::Delete] {
        ours.watch.changed_by_us(change, START.plus(35_500));
    }
    let after = shorter(ours).found(ID).unwrap();
    assert_eq!(
        (after.severity, after.since),
        (before.severity, before.since)
    );
    assert_eq!(after.figure, Some(13));
    // The same without a change of ours, or with one that takes nothing: somebody took them.
    assert!(shorter(stands()).found(ID).is_none());
    let mut beside = stands();
    beside.watch.changing = true;
    beside
        .watch
        .changed_by_us(Change::Repack, START.plus(35_500));
    assert!(shorter(beside).found(ID).is_none());
}

fn looked_at(ms: i64, listed: Vec<Client>) -> ServerLook {
    let clients = Clients {
        total: u64::try_from(listed.len()).unwrap(),
        listed,
        ..Clients::default()
    };
    ServerLook {
        clients: Known::Is(clients.into()),
        ..server_look(ms, [false, true], 0)
    }
}

fn named(name: &str, idle_s: u64, blocked_on_list: bool) -> Client {
    Client {
        addr: format!("10.0.0.{}:5", idle_s % 256),
        name: name.to_owned(),
        command: "blpop".to_owned(),
        idle_s,
        age_s: 600,
        blocked_on_list,
        ..Client::default()
    }
}

#[test]
fn only_clients_that_may_have_to_do_with_the_queue_are_named() {
    let mut other: Vec<Client> = (0..30).map(|n| named("shop-1", n, true)).collect();
    // It took from another list while nothing was taken here; the other one may hang.
    other.extend([named("mail-1", 3, false), named("app", 312, false)]);
    let look = looked_at(35_000, other);
    let found = scene(5..=35, ["a", "a"]).look(look).found(ID).unwrap();
    let expected = [
        "30 clients wait for an element of other lists",
        "10.0.0.56:5 (app), db 0, connected for 10:00: took from a list last, by BLPOP, 5:12 ago",
        "target grew by 30 meanwhile, and its next element is still the same",
    ];
    assert_eq!(found.evidence.words, expected);
    let who = "no client waits for one of it";
    assert!(found.sentence().contains(who), "{}", found.sentence());
}

#[test]
fn clients_that_are_called_like_the_queue_are_told_not_to_wait_for_its_elements() {
    let invoices: Queue = "{invoices}".parse().unwrap();
    let told = |listed: Vec<Client>| {
        let mut scene = scene(5..=35, ["a", "a"]);
        scene.server.looked(looked_at(0, listed));
        clients::namesakes_that_take(&QueueFacts {
            queue: &invoices,
            pulse: None,
            survey: None,
            watch: &scene.watch,
            server: &scene.server,
        })
    };
    let listens = |name: &str| Client {
        channels: 1,
        command: "ping".to_owned(),
        ..named(name, 8, false)
    };
    let idle = vec![listens("invoices-1"), listens("cards-1")];
    let alone = "invoices-1 listens to 1 channel, but no connection of it waits for an element of \
                 any list";
    assert_eq!(told(idle), [alone]);
    let busy = vec![listens("invoices-1"), named("invoices-1", 1, true)];
    let elsewhere = "invoices-1 listens to 1 channel, but its connections that wait for elements \
                     wait for those of other lists";
    assert_eq!(told(busy), [elsewhere]);
}

#[test]
fn a_worker_of_another_screen_is_no_application() {
    let channel = Queue::redisson("q").keys().channel.unwrap();
    let worker = Client {
        channels: 1,
        ..named(&worker_name(&channel), 8, false)
    };
    let told = |listed: Vec<Client>| {
        let found = scene(5..=35, ["a", "a"]).look(looked_at(35_000, listed));
        found.found(ID).unwrap().repair.sentence.to_string()
    };
    let start = "Start the application: none of its clients runs. Nothing is lost.";
    assert_eq!(told(vec![worker]), start);
    let app = Client {
        channels: 1,
        ..named("orders-7f", 8, false)
    };
    assert!(told(vec![app]).starts_with("Restart the program that takes from list q"));
}

#[test]
fn of_the_clients_that_are_called_like_the_queue_those_that_only_take_are_told_first() {
    let invoices: Queue = "invoices".parse().unwrap();
    let told = |names: &[&str]| {
        let mut scene = scene(5..=35, ["a", "a"]);
        let listens = Client {
            channels: 1,
            command: "ping".to_owned(),
            ..named("invoices-producer", 8, false)
        };
        let names = names.iter().map(|name| (0, (*name).to_owned()));
        let clients = Clients {
            listed: vec![listens],
            names: names.collect(),
            ..Clients::default()
        };
        scene.server.looked(ServerLook {
            clients: Known::Is(clients.into()),
            ..server_look(0, [false, true], 0)
        });
        let facts = QueueFacts {
            queue: &invoices,
            pulse: Some(&at(35_000, 40)),
            survey: None,
            watch: &scene.watch,
            server: &scene.server,
        };
        (what_helps(&facts), clients::namesakes_that_take(&facts))
    };
    let all = ["invoices-producer", "invoices-consumer", "shop-1"];
    let (helps, who) = told(&all);
    let restart = "Restart invoices-consumer if it takes from list invoices:";
    assert!(helps.starts_with(restart), "{helps}");
    let hangs = "invoices-consumer may be who takes its elements, and no connection of it waits \
                 for an element of any list";
    assert_eq!(who[0], hangs);
    assert_eq!(who.len(), 2);
    let (helps, _) = told(&all[..1]);
    let restart = "Restart invoices-producer if it takes from list invoices:";
    assert!(helps.starts_with(restart), "{helps}");
}

/// Returns the verdict `ms` after the first look at a target of so many, to which one is added each
/// `each_ms`; a client took from a list so long before the first look (in s) and not since.
fn heap(length: u64, each_ms: i64, ms: i64, took: Option<u64>) -> RuleVerdict {
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
            ..Clients::default()
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

fn severity(verdict: &RuleVerdict) -> Option<(Severity, bool)> {
    match verdict {
        RuleVerdict::Found(found) => Some((found.severity, found.open.is_some())),
        _ => None,
    }
}

#[test]
fn where_thousands_wait_and_nobody_is_there_it_is_suspected_at_once_and_known_in_seven_seconds() {
    let (note, warning) = (Severity::Note, Severity::Warning);
    for ms in [1_000, 6_000] {
        let said = heap(3_000, 100, ms, None);
        assert_eq!(severity(&said), Some((note, true)), "{ms}");
    }
    assert_eq!(
        severity(&heap(3_000, 100, 7_000, None)),
        Some((warning, false))
    );
    let dead = [
        heap(3_000, 100, 59_000, None),
        heap(3_000, 100, 60_000, None),
    ];
    let [warned, dead] = dead.map(|said| severity(&said));
    assert_eq!(
        (warned, dead),
        (Some((warning, false)), Some((Severity::Critical, false)))
    );
    let few = scene((5..).take(62), ["a", "a"]).found(ID).unwrap();
    assert_eq!(few.severity, warning);
    // The last of these waits for less than half an hour if one is taken each seven seconds.
    assert_eq!(severity(&heap(200, 100, 7_000, None)), None);
    // What stood there before, and does not gather in half a minute, is worth a note.
    for took in [None, Some(3), Some(31)] {
        let said = heap(150, 200, 7_000, took);
        assert_eq!(severity(&said), Some((note, false)), "{took:?}");
    }
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
    assert_eq!([said(1_000, Some(3)), said(6_000, Some(3))], [None, None]);
    for ms in [7_000, 10_000] {
        assert_eq!(said(ms, Some(3)), Some((note, false)), "{ms}");
    }
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
        ..Clients::default()
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
        let RuleVerdict::Early(open) = early.verdict(ID) else {
            panic!("{:?}", early.verdict(ID));
        };
        let words = open.words();
        assert!(words.contains("wait in target; checking"), "{words}");
    }
    // Two samples that are apart tell it, for now as a note.
    let found = seen(10, 9_000).found(ID).unwrap();
    assert_eq!(found.severity, Severity::Note);
    assert!(
        found.details.contains("the 0:10 watched"),
        "{}",
        found.sentence()
    );
}

#[test]
fn where_something_is_taken_or_nothing_comes_all_is_well() {
    let well = |lengths: Vec<u64>, next| scene(lengths.into_iter(), next).verdict(ID);
    assert_eq!(well((5..=45).collect(), ["a", "b"]), RuleVerdict::Fine);
    assert_eq!(well(vec![5; 40], ["a", "a"]), RuleVerdict::Fine);
    assert_eq!(well(vec![0; 40], ["a", "a"]), RuleVerdict::Fine);
    let shrank = (5..=30).chain([29]).collect();
    assert_eq!(well(shrank, ["a", "a"]), RuleVerdict::Fine);
}

/// Target grows by one each second from `from` on, up to `to` (in s), and is sampled each 10 s with
/// this next element; all rules are asked at each pulse.
fn grows(mut scene: Scene, from: i64, to: i64, next: &str) -> (Scene, Vec<Diagnosis>) {
    let mut said = Vec::new();
    for second in from..=to {
        scene = scene.pulse(at(second * 1_000, 5 + second.unsigned_abs()));
        if second % 10 == 0 {
            scene = scene.sample(fronted(second * 1_000, next));
        }
        said.push(scene.all());
    }
    (scene, said)
}

fn told(said: &Diagnosis) -> Option<&Finding> {
    said.findings.iter().find(|found| found.id == ID)
}

#[test]
fn a_server_that_was_away_is_no_sign_that_anything_was_taken() {
    let (mut scene, _) = grows(Scene::default(), 0, 400, "a");
    scene.watch.interrupted();
    let (scene, said) = grows(scene, 416, 440, "a");
    for (second, said) in (416..).zip(&said) {
        let found = told(said).unwrap_or_else(|| panic!("cleared at {second}: {said:?}"));
        assert_eq!(found.severity, Severity::Warning, "{second}");
        let span = text::age(second * 1_000);
        assert!(
            found.details.contains(&format!("in the {span} watched")),
            "{}",
            found.details
        );
        assert_eq!(found.since, Some(START), "one clock for both");
    }
    // Now one was taken: only the sample tells.
    let (_, said) = grows(scene, 441, 450, "b");
    let last = said.last().unwrap();
    assert_eq!((told(last), last.gone.len()), (None, 1));
}

#[test]
fn what_was_taken_while_the_server_was_away_is_seen_by_the_length() {
    let (mut scene, _) = grows(Scene::default(), 0, 60, "a");
    assert!(told(&scene.all()).is_some());
    scene.watch.interrupted();
    scene = scene.pulse(at(75_000, 9));
    assert_eq!(scene.verdict(ID), RuleVerdict::Fine);
}

#[test]
fn a_pulse_that_could_not_read_target_and_samples_that_do_not_tell_end_nothing() {
    let (scene, _) = grows(Scene::default(), 0, 60, "a");
    let unread = Pulse {
        target: Known::None,
        ..pulse(61_000, 5, None, 1)
    };
    assert!(scene.clone().pulse(unread).found(ID).is_some());
    let mut alike = fronted(61_000, "a");
    alike.front.push(alike.front[0]);
    let mut next = alike.clone();
    next.at = START.plus(71_000);
    let scene = scene.sample(alike).sample(next).pulse(at(72_000, 77));
    let found = scene.found(ID).unwrap();
    assert!(
        found.details.contains("the 1:12 watched"),
        "{}",
        found.details
    );
}

#[test]
fn the_time_in_which_nothing_was_taken_begins_with_the_last_element_that_was() {
    let (scene, _) = grows(Scene::default(), 0, 29, "a");
    let (scene, said) = grows(scene, 30, 30, "b");
    assert_eq!(told(&said[0]), None);
    let (_, said) = grows(scene, 31, 80, "b");
    let found = told(said.last().unwrap()).unwrap();
    assert!(
        found.details.contains("the 0:50 watched"),
        "{}",
        found.details
    );
    let words = found.evidence.words.join("\n");
    assert!(words.contains("target grew by 50 meanwhile"), "{words}");
}
