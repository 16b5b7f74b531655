//! What the rules add to watching a queue: a sample of its members and a look at the server each
//! ten seconds, beside the pulses and surveys of that time.
//!
//! `cargo bench --bench rules`. Times are the server's own, on this machine.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a benchmark that fails shall say where; no figure here has more than 52 bits"
)]

mod common;
#[path = "../support/mod.rs"]
mod support;

use common::{Limit, head, row, spread};
use delayscope::clock::instant;
use delayscope::ops::refresh::{frames, pulse, survey};
use delayscope::queue::finding::{self, Watch};
use delayscope::queue::{FramesAsk, PageAsk, Queue, ServerWatch, Zoom};
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
    let [mut pulses, mut surveys, mut samples, mut looks] = [0_u64; 4];
    let mut watch = Watch::default();
    let mut own = Vec::new();
    for _ in 0..ROUNDS {
        let seen = pulse(&store, &queue, page).await.unwrap();
        let mut surveyed = survey(&store, &queue, Some(Zoom::default()), None)
            .await
            .unwrap();
        let sample = frames(&store, &queue, ask).await.unwrap();
        let look = read::look(&store).await.unwrap();
        pulses += seen.server_us;
        surveys += surveyed.server_us;
        samples += sample.server_us;
        looks += look.server_us;
        surveyed.frames = Some(Box::new(sample));
        let mut around = ServerWatch::default();
        around.looked(look);
        watch.surveyed(&surveyed);
        let began = instant();
        watch.saw(&seen);
        let said = finding::diagnose(&queue, (Some(&seen), Some(&surveyed)), &mut watch, &around);
        own.push(instant().saturating_duration_since(began).as_secs_f64() * 1e6);
        assert!(said.fine > 5);
    }
    told(entries, [pulses, surveys, samples, looks], &mut own);
}

/// Prints the tables of a queue: sums over all rounds, in µs of the server, and our own times.
fn told(entries: u64, [pulses, surveys, samples, looks]: [u64; 4], own: &mut [f64]) {
    let mean = |sum: u64| sum as f64 / ROUNDS as f64;
    let (pulse, survey, sample, look) = (mean(pulses), mean(surveys), mean(samples), mean(looks));
    head(&format!("{entries} entries, µs of the server"), &["mean"]);
    row("a pulse", &[pulse], Limit::None);
    row("a survey", &[survey], Limit::None);
    row("a sample", &[sample], Limit::None);
    row("a look at the server", &[look], Limit::None);
    let tenth = Limit::Most(0, 10.0);
    let busy = 10.0 * (pulse + survey);
    row(
        "what a sample and a look add while it changes, %",
        &[100.0 * (sample + look) / busy],
        tenth,
    );
    let idle = 10.0 * pulse + survey;
    row(
        "what samples add while it rests, %",
        &[100.0 * sample / idle],
        tenth,
    );
    // However many queues there are, one look serves them.
    row(
        "what a sample and a look add while it rests, %",
        &[100.0 * (sample + look) / idle],
        Limit::None,
    );
    head("all rules, µs of our own", &["p50", "p99", "max"]);
    row("one queue", &spread(own), Limit::Most(0, 1_000.0));
}
