//! Transfer clients that come and go.

use std::time::Duration;

use delayscope::queue::Era;

use crate::findings::life::{Consumer, Each, Running, Subscriber};
use crate::findings::patient::Patient;
use crate::findings::program::{Running as Program, Watching};
use crate::support::{Value, wait_for};

pub(super) async fn one_of_two_restarts(span: u64) {
    let mut patient = Patient::new(3).await;
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let _client = patient.client(Era::Newer, 0);
    let other = patient.client(Era::Newer, 0);
    let _offers = patient.offering(100, |_| 200);
    let watching = Watching::start(&patient.server, Some(&patient.queue), None, span);
    patient.well_for(span / 2).await;
    drop(other);
    patient.well_for(span / 4).await;
    let _other = patient.client(Era::Newer, 0);
    patient.well_for(span / 4).await;
    watching.was_well().await;
}

/// It is away for nearly five seconds, twice.
pub(super) async fn the_only_one_restarts_within_5_s(span: u64) {
    let mut patient = Patient::new(4).await;
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let _offers = patient.offering(100, |_| 1_000);
    let watching = Watching::start(&patient.server, Some(&patient.queue), None, span);
    let away = (span / 4).min(4_800);
    for _ in 0..2 {
        let client = patient.client(Era::Newer, 0);
        patient.well_for(span / 2 - away).await;
        drop(client);
        patient.well_for(away).await;
    }
    let _client = patient.client(Era::Newer, 0);
    watching.was_well().await;
}

pub(super) async fn ticks_of_100_ms(span: u64) {
    let mut patient = Patient::new(5).await;
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let _client = Running::start(&patient.server, &patient.queue, (Era::Older, 0), 100);
    let watching = Watching::start(&patient.server, Some(&patient.queue), None, span);
    for n in 0..span / 400 {
        patient.offer(Era::Older, 1_000 + i64::from(n % 2 == 0) * 37, "tick");
        patient.well_for(400).await;
    }
    watching.was_well().await;
}

/// All old entries have been worked off by the old client before the first new one is offered.
pub(super) async fn an_upgrade_that_went_well(span: u64) {
    let mut patient = Patient::new(6).await;
    let watching = Watching::start(&patient.server, Some(&patient.queue), None, span);
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let old = patient.client(Era::Older, 0);
    for n in 0..20 {
        patient.offer(Era::Older, n * 20, "before");
    }
    patient.well_for(span / 3).await;
    let timeouts = patient.queue.keys().timeouts;
    wait_for("the old entries to be gone", || {
        patient.server.cmd_bytes(&[b"ZCARD", &timeouts]) == Value::Int(0)
    });
    drop(old);
    patient.well_for(500).await;
    let _new = patient.client(Era::Newer, 0);
    let _offers = patient.offering(50, |_| 300);
    patient.well_for(span / 2).await;
    watching.was_well().await;
}

/// Its connection for messages is lost every few seconds and comes back within two; its timer goes
/// on meanwhile.
pub(super) async fn a_subscription_that_reconnects(span: u64) {
    let mut patient = Patient::new(7).await;
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let client = Running::start(&patient.server, &patient.queue, (Era::Newer, 0), 20);
    let _timer = client.unsubscribed();
    let _offers = patient.offering(50, |_| 700);
    let (socket, queue) = (patient.server.socket(), patient.queue.clone());
    let mut there: Option<Subscriber> = None;
    let _reconnects = Each::paced(move |turn| {
        there = there.is_none().then(|| Subscriber::at(&socket, &queue, 0));
        Duration::from_millis(if there.is_some() {
            3_000
        } else {
            500 + turn * 97 % 1_500
        })
    });
    patient.stays_well(span).await;
}

pub(super) async fn the_stand_in_worker(span: u64) {
    let mut patient = Patient::new(8).await;
    let spec = String::from_utf8(patient.queue.spec()).unwrap();
    let _worker = Program::start(&patient.server, &["worker", &spec, "--yes", "--json"]);
    let _consumer = Program::start(&patient.server, &["consume", &spec, "--yes", "--json"]);
    let channel = patient.queue.keys().channel.unwrap();
    wait_for("the worker to listen", || {
        let listening = patient.server.cmd_bytes(&[b"PUBSUB", b"NUMSUB", &channel]);
        listening == Value::Array(vec![Value::BulkString(channel.clone()), Value::Int(1)])
    });
    let _offers = patient.offering(30, |n| i64::from(n % 7 == 0) * 2_000 + 100);
    patient.stays_well(span).await;
}
