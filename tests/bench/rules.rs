//! What the rules add to watching a queue: samples of its members and looks at the server, beside
//! the pulses and surveys of the same time. What one of them costs is measured; how many there are
//! is asked of the rules, for ten minutes of a queue.
//!
//! `cargo bench --bench rules`. Times are the server's own, on this machine.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a benchmark that fails shall say where; no figure here has more than 52 bits"
)]

mod common;
#[expect(dead_code, reason = "each program uses a part of it")]
#[path = "../support/mod.rs"]
mod support;

use common::{Limit, head, row, spread};
use delayscope::clock::instant;
use delayscope::ops::refresh::{frames, pulse, survey};
use delayscope::queue::finding::{self, Watch};
use delayscope::queue::look::LookAsk;
use delayscope::queue::{
    Frames, FramesAsk, Known, PageAsk, Pulse, Queue, ServerLook, ServerWatch, Severity, Survey,
    Zoom,
};
use delayscope::store::{Access, Store, read};
use support::{PATIENCE, Server};

const ROUNDS: usize = 200;

#[tokio::main]
async fn main() {
    if !common::asked_for() {
        return;
    }
    for entries in [1_000, 100_000, 1_000_000] {
        queue_of(entries).await;
    }
}

async fn queue_of(entries: u64) {
    let server = Server::start();
    let queue = Queue::redisson("orders");
    let step = i64::try_from(26 * 3_600_000 / entries).unwrap();
    server.fill(&queue, entries, server.now().plus(-3_600_000), step);
    for _ in 0..100 {
        server.cmd(&["RPUSH", "orders", "delivered"]);
    }
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let page = Some(PageAsk {
        first: 0,
        count: 40,
    });
    let ask = FramesAsk::of(30, 8, entries >= 5_000);
    let mut sums = [0_u64; 5];
    let mut own = Vec::new();
    let mut watch = Watch::default();
    let mut last = None;
    for _ in 0..ROUNDS {
        let seen = pulse(&store, &queue, page).await.unwrap();
        let mut surveyed = survey(&store, &queue, Some(Zoom::default()), None)
            .await
            .unwrap();
        let sample = frames(&store, &queue, ask).await.unwrap();
        let brief = read::look(&store, LookAsk::Brief).await.unwrap();
        let look = read::look(&store, LookAsk::Whole).await.unwrap();
        let read = [seen.server_us, surveyed.server_us, sample.server_us];
        let costs = read.into_iter().chain([brief.server_us, look.server_us]);
        for (sum, us) in sums.iter_mut().zip(costs) {
            *sum += us;
        }
        surveyed.frames = Some(Box::new(sample));
        let mut around = ServerWatch::default();
        around.looked(look.clone());
        watch.surveyed(&surveyed);
        let began = instant();
        watch.saw(&seen);
        let said = finding::diagnose(&queue, (Some(&seen), Some(&surveyed)), &mut watch, &around);
        own.push(instant().saturating_duration_since(began).as_secs_f64() * 1e6);
        assert!(said.fine > 5);
        last = Some(Seen {
            pulse: seen,
            survey: surveyed,
            look,
        });
    }
    told(entries, &queue, sums, &last.unwrap());
    head("all rules, µs of our own", &["p50", "p99", "max"]);
    row("one queue", &spread(&mut own), Limit::Most(0, 1_000.0));
}

/// What was read of the queue and its server; the survey with a sample.
struct Seen {
    pulse: Pulse,
    survey: Survey,
    look: ServerLook,
}

/// A queue of which something is read each second.
#[derive(Clone, Copy)]
struct State {
    what: &'static str,
    /// Its entries come and go: it is surveyed each second.
    changes: bool,
    /// It has a transfer client, and nothing is late.
    well: bool,
}

const STATES: [State; 4] = [
    State {
        what: "it changes",
        changes: true,
        well: true,
    },
    State {
        what: "it rests",
        changes: false,
        well: true,
    },
    State {
        what: "it changes and nobody transfers",
        changes: true,
        well: false,
    },
    State {
        what: "it rests and nobody transfers",
        changes: false,
        well: false,
    },
];

/// How many pulses, surveys, samples, brief and whole looks there are in ten minutes of such a
/// queue, which the screen shows alone on its server.
fn asked(queue: &Queue, seen: &Seen, state: State) -> [u64; 5] {
    const SECONDS: i64 = 600;
    let (mut watch, mut around) = (Watch::default(), ServerWatch::default());
    let [mut surveys, mut samples, mut briefs, mut wholes] = [0; 4];
    let mut surveyed_at = None;
    for second in 0..SECONDS {
        let at = seen.pulse.at.plus(second * 1_000);
        let mut pulse = seen.pulse.clone();
        pulse.at = at;
        if state.well {
            pulse.transfer_clients = Known::Is(1);
            (pulse.late, pulse.oldest_late, pulse.first) = (Known::Is(0), None, None);
        }
        if state.changes {
            let count = Known::Is(pulse.waiting.get().unwrap() + second.unsigned_abs());
            (pulse.waiting, pulse.order) = (count.clone(), count);
        }
        watch.saw(&pulse);
        let mut survey = seen.survey.clone();
        let frames = survey.frames.take();
        let again = surveyed_at.is_none_or(|last| second - last >= 10);
        if again || state.changes || watch.presses_for_sample(8) {
            (surveyed_at, survey.at) = (Some(second), at);
            surveys += 1;
            if watch.wants_sample(8).is_some() {
                samples += 1;
                let frames = frames.map(|frames| Frames { at, ..*frames });
                survey.frames = frames.map(Box::new);
            }
            watch.surveyed(&survey);
        }
        let age = around.last().map(|last| at.since(last.at));
        let pressing = watch.presses_for_look();
        if age.is_none_or(|age| age >= around.rests(pressing)) {
            match around.asks(pressing) {
                LookAsk::Brief => briefs += 1,
                LookAsk::Whole => wholes += 1,
            }
            let look = seen.look.clone();
            around.looked(ServerLook { at, ..look });
        }
        let read = (Some(&pulse), Some(&survey));
        let said = finding::diagnose(queue, read, &mut watch, &around);
        let wrong = said.findings.iter().map(|found| found.severity).max();
        let well = wrong < Some(Severity::Warning);
        assert!(well == state.well || well && second < 40, "{said:?}");
    }
    [SECONDS.unsigned_abs(), surveys, samples, briefs, wholes]
}

/// Prints the tables of a queue: sums over all rounds, in µs of the server.
fn told(entries: u64, queue: &Queue, sums: [u64; 5], seen: &Seen) {
    let means = sums.map(|sum| sum as f64 / ROUNDS as f64);
    head(&format!("{entries} entries, µs of the server"), &["mean"]);
    let names = [
        "a pulse",
        "a survey",
        "a sample",
        "a brief look",
        "a whole look",
    ];
    for (name, mean) in names.into_iter().zip(means) {
        row(name, &[mean], Limit::None);
    }
    let columns = ["%", "surveys", "samples", "brief", "whole"];
    head("what samples and looks add in ten minutes", &columns);
    for state in STATES {
        let counts = asked(queue, seen, state).map(|count| count as f64);
        let [pulses, surveys, samples, briefs, wholes] =
            [0, 1, 2, 3, 4].map(|i| counts[i] * means[i]);
        let added = 100.0 * (samples + briefs + wholes) / (pulses + surveys);
        let figures = [added, counts[1], counts[2], counts[3], counts[4]];
        row(
            &format!("while {}", state.what),
            &figures,
            Limit::Most(0, 10.0),
        );
    }
}
