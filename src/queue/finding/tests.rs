//! The parts that the tests of the rules share, and tests of all rules together.

use super::*;
use crate::clock::EpochMillis;
use crate::queue::frame::{self, Form};
use crate::queue::look::{Clients, Info, Scripts};
use crate::queue::{Due, Frames, JudgedMember, Known, ServerLook};

/// The server's time of the first pulse.
pub(crate) const START: EpochMillis = EpochMillis::new(1_700_000_000_000);

/// A pulse at `ms` after the start: so many entries, the oldest late by that, so many clients.
pub(crate) fn pulse(ms: i64, waiting: u64, late_ms: Option<i64>, clients: u64) -> Pulse {
    let at = START.plus(ms);
    let oldest_late = late_ms.map(|late| at.plus(-late));
    Pulse {
        at,
        waiting: Known::Is(waiting),
        late: Known::Is(u64::from(late_ms.is_some())),
        head: oldest_late.map(Due::At),
        oldest_late,
        next: None,
        order: Known::Is(waiting),
        target: Known::Is(0),
        transfer_clients: Known::Is(clients),
        first: None,
        told: None,
        beside_bytes: 0,
        page: None,
        server_us: 0,
        took_ms: 0,
    }
}

/// A survey that saw nothing but so many members set aside.
pub(crate) fn survey(aside: Option<u64>) -> Survey {
    Survey {
        at: START,
        zoom: None,
        scale: None,
        no_time: 0,
        micros: [0; 2],
        bars: Vec::new(),
        beyond: 0,
        late: [0; 4],
        handing_over: 0,
        classes: [0; 7],
        keys: Vec::new(),
        aside,
        quarantined: Some(0),
        held: Some(crate::queue::HeldCount::default()),
        frames: None,
        server_us: 0,
    }
}

/// Returns the diagnosis of the rules after these pulses and that survey.
pub(crate) fn after(queue: &Queue, pulses: &[Pulse], survey: Option<&Survey>) -> Diagnosis {
    let mut watch = Watch::default();
    for pulse in pulses {
        watch.saw(pulse);
    }
    if let Some(survey) = survey {
        watch.surveyed(survey);
    }
    let server = ServerWatch::default();
    diagnose(queue, (pulses.last(), survey), &mut watch, &server)
}

/// A frame of that form, due so many ms after the start (none: an element of the order list).
pub(crate) fn framed(form: Form, id: u8, due_ms: Option<i64>) -> JudgedMember {
    let member = frame::encode(form, [id, 1, 2, 3, 4, 5, 6, 0x43], b"hello");
    judged(&member, due_ms)
}

/// The same of any member.
pub(crate) fn judged(member: &[u8], due_ms: Option<i64>) -> JudgedMember {
    let queue = Queue::redisson("q");
    let score = due_ms.map(|ms| queue.score(START.plus(ms)));
    JudgedMember::new(&queue, member, score, 8)
}

/// A sample taken at the start.
pub(crate) fn sample(next_due: Vec<JudgedMember>, newest: Vec<JudgedMember>) -> Frames {
    Frames {
        at: START,
        next_due,
        newest,
        far: Vec::new(),
        front: Vec::new(),
        tail: Vec::new(),
        depth: Known::None,
        twin: None,
        largest: 30,
        asked: 100,
        server_us: 0,
    }
}

/// A look at a server that remembers these transfers (older, newer era), where so many scripts have
/// failed; so many ms after the start.
pub(crate) fn server_look(ms: i64, transfer: [bool; 2], failed: u64) -> ServerLook {
    let mut info = Info::default();
    info.read(&format!(
        "total_error_replies:{failed}\nmaxmemory_policy:noeviction\ncmdstat_eval:calls=9,failed_calls={failed}\n"
    ));
    ServerLook {
        at: START.plus(ms),
        info: Known::Is(info.into()),
        clients: Known::Is(Clients::default().into()),
        scripts: Known::Is(Scripts {
            transfer,
            offer: transfer,
        }),
        server_us: 0,
        nodes: Vec::new(),
        views: Vec::new(),
        sentinels: Vec::new(),
    }
}

/// A look at a server that says this of itself; so many ms after the start.
pub(crate) fn info_look(ms: i64, text: &str) -> ServerLook {
    let mut info = Info::default();
    info.read(text);
    ServerLook {
        info: Known::Is(info.into()),
        ..server_look(ms, [false; 2], 0)
    }
}

/// A server that has been looked at once, and said this of itself.
pub(crate) fn looked(text: &str) -> ServerWatch {
    let mut server = ServerWatch::default();
    server.looked(info_look(0, text));
    server
}

/// The reads of a queue named `q`, step by step.
#[derive(Clone, Default)]
pub(crate) struct Scene {
    pub(crate) watch: Watch,
    pub(crate) server: ServerWatch,
    pulse: Option<Pulse>,
    survey: Option<Survey>,
}

impl Scene {
    pub(crate) fn pulse(mut self, pulse: Pulse) -> Self {
        self.watch.saw(&pulse);
        self.pulse = Some(pulse);
        self
    }

    pub(crate) fn sample(mut self, frames: Frames) -> Self {
        let mut survey = survey(None);
        survey.frames = Some(Box::new(frames));
        self.watch.surveyed(&survey);
        self.survey = Some(survey);
        self
    }

    pub(crate) fn survey(mut self, survey: Survey) -> Self {
        self.watch.surveyed(&survey);
        self.survey = Some(survey);
        self
    }

    pub(crate) fn look(mut self, look: ServerLook) -> Self {
        self.server.looked(look);
        self
    }

    pub(crate) fn all(&mut self) -> Diagnosis {
        let read = (self.pulse.as_ref(), self.survey.as_ref());
        let queue = Queue::redisson("q");
        diagnose(&queue, read, &mut self.watch, &self.server)
    }

    /// Returns the verdict of one rule.
    pub(crate) fn verdict(&self, id: &str) -> RuleVerdict {
        let rule = Rule::named(id).unwrap();
        (rule.look)(&QueueFacts {
            queue: &Queue::redisson("q"),
            pulse: self.pulse.as_ref(),
            survey: self.survey.as_ref(),
            watch: &self.watch,
            server: &self.server,
        })
    }

    /// Returns the finding of one rule, if there is one.
    pub(crate) fn found(&self, id: &str) -> Option<Finding> {
        match self.verdict(id) {
            RuleVerdict::Found(finding) => Some(finding),
            _ => None,
        }
    }
}

#[test]
fn a_healthy_queue_is_proven_to_be_so() {
    let good = |due| framed(Form::ByteId, 9, due);
    let mut scene = Scene::default()
        .pulse(pulse(0, 5, None, 2))
        .pulse(pulse(2_000, 5, None, 2))
        .sample(sample(vec![good(Some(60_000))], vec![good(None)]))
        .look(server_look(0, [false, true], 0))
        .look(server_look(10_000, [false, true], 0));
    scene.server.skew_ms = Some(0);
    let said = scene.all();
    assert_eq!((said.findings, said.blind), (Vec::new(), Vec::new()));
    // One is for screens with a worker of their own, three for servers that are not alone.
    assert_eq!(said.fine, RULES.len() - 4);
}

#[test]
fn before_the_first_pulse_nothing_is_said() {
    let said = after(&Queue::redisson("q"), &[], None);
    assert_eq!(said, Diagnosis::default());
}

#[test]
fn the_worst_finding_comes_first() {
    let mut last = pulse(40_000, 5, None, 0);
    last.order = Known::Unknown("WRONGTYPE Operation against a key".into());
    let said = after(&Queue::redisson("q"), &[pulse(0, 5, None, 0), last], None);
    let ids: Vec<_> = said.findings.iter().map(|f| f.id).collect();
    assert_eq!(ids, ["wrong-type", "no-transfer-client"]);
}

#[test]
fn what_keeps_every_repair_from_being_made_comes_before_what_is_to_be_repaired() {
    let mut taken = pulse(0, 5, None, 1);
    taken.target = Known::Unknown("WRONGTYPE Operation against a key".into());
    let full = "used_memory:2000\r\nmaxmemory:1000\r\nmaxmemory_policy:noeviction\r\n";
    let mut scene = Scene::default().pulse(taken).look(info_look(0, full));
    let ids: Vec<_> = scene.all().findings.iter().map(|f| f.id).collect();
    assert_eq!(ids, ["refused-writes", "wrong-type"]);
}

#[test]
fn of_two_entries_that_break_transfers_the_one_due_first_is_told_first() {
    let poison = |ms| framed(Form::DoubleId, 1, Some(ms));
    let foreign = |ms| judged(b"no frame", Some(ms));
    let told = |next: Vec<JudgedMember>| {
        let newest: Vec<_> = (3..9).map(|id| framed(Form::ByteId, id, None)).collect();
        let mut seen = pulse(0, 2, Some(9_000), 1);
        seen.first = next.first().cloned();
        let mut scene = Scene::default()
            .pulse(seen)
            .sample(sample(next, newest))
            .look(server_look(0, [false, true], 0));
        scene
            .all()
            .findings
            .into_iter()
            .next()
            .map(|found| found.id)
    };
    let (early, late) = (-9_000, -5_000);
    assert_eq!(told(vec![poison(early), foreign(late)]), Some("poison"));
    assert_eq!(
        told(vec![foreign(early), poison(late)]),
        Some("foreign-member")
    );
}

#[test]
fn what_follows_from_a_finding_stands_right_behind_it() {
    let found = |id, severity, follows| Finding {
        follows,
        ..Finding::new(id, severity, "That.")
    };
    let (critical, warning, note) = (Severity::Critical, Severity::Warning, Severity::Note);
    let mut all = vec![
        found(id::DRIFT, note, Some(id::POISON)),
        found(id::MIXED_FRAMES, note, Some(id::POISON)),
        found(id::TTL, warning, None),
        found(id::STUCK_CLIENT, note, Some(id::SLOW_TRANSFER)),
        found(id::POISON, critical, None),
    ];
    causes::order(&mut all);
    let ids: Vec<_> = all.iter().map(|found| found.id).collect();
    // Slow transfers are those of another queue.
    let expected = [
        id::POISON,
        id::DRIFT,
        id::MIXED_FRAMES,
        id::TTL,
        id::STUCK_CLIENT,
    ];
    assert_eq!(ids, expected);
}

#[test]
fn clients_that_sleep_for_an_overflowed_entry_are_no_second_cause() {
    let stuck = |score: f64| {
        let pulses = (0..6).map(|n| Pulse {
            head: Some(Due::OutOfRange(score)),
            first: Some(framed(Form::ByteId, 1, Some(-9_000))),
            ..pulse(n * 1_000, 3, Some(9_000 + n * 1_000), 1)
        });
        let found = pulses.fold(Scene::default(), Scene::pulse).all().findings;
        let stuck = found.iter().find(|found| found.id == id::STUCK_CLIENT);
        stuck.map(|stuck| (stuck.follows, stuck.severity))
    };
    let below = (Some(id::SCORE_RANGE), Severity::Note);
    assert_eq!(stuck(-9_223_372_036_854_775_808.0), Some(below));
    // It makes clients busy, not sleepy.
    assert_eq!(stuck(-5.0), Some((None, Severity::Critical)));
}

#[test]
fn nobody_is_told_to_wake_clients_before_the_first_sample_shows_why_they_fail() {
    let said = |awaits_sample| {
        let pulses = (0..8).map(|n| Pulse {
            first: Some(framed(Form::ByteId, 1, Some(-9_000))),
            ..pulse(n * 1_000, 3, Some(9_000 + n * 1_000), 1)
        });
        let mut scene = pulses.fold(Scene::default(), Scene::pulse);
        scene.watch.awaits_sample = awaits_sample;
        let said = scene.all();
        let found = said
            .findings
            .iter()
            .any(|found| found.id == id::STUCK_CLIENT);
        let early = said.early.into_iter();
        let mut early = early.filter(|(rule, _)| *rule == id::STUCK_CLIENT);
        (found, early.next().map(|(_, open)| open.words()))
    };
    assert_eq!(said(false), (true, None));
    let words = "1 late, and nobody transfers; checking why";
    assert_eq!(said(true), (false, Some(words.to_owned())));
}

#[test]
fn a_server_that_was_away_for_a_while_is_no_sign_that_anything_is_over() {
    let alone = |mut scene: Scene, from: i64, to: i64, clients| {
        let mut gone = 0;
        for second in from..=to {
            scene = scene.pulse(pulse(second * 1_000, 5, Some(second * 1_000), clients));
            gone = scene.all().gone.len();
        }
        (scene, gone)
    };
    let (mut scene, _) = alone(Scene::default(), 0, 40, 0);
    scene.watch.interrupted();
    // It takes two pulses to know that nobody is there.
    let (mut scene, gone) = alone(scene, 55, 55, 0);
    let told: Vec<_> = scene.all().findings.iter().map(|found| found.id).collect();
    assert_eq!((told, gone), (vec![id::NO_TRANSFER_CLIENT], 0));
    // Somebody is, and that is seen for long enough.
    let (_, gone) = alone(scene.clone(), 56, 64, 1);
    assert_eq!(gone, 0);
    let (_, gone) = alone(scene, 56, 66, 1);
    assert_eq!(gone, 1);
}
