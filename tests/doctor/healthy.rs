//! Queues that are well: no word of warning. Longer ones are played by the `long` scenes, with
//! `LONG=1`.

use delayscope::queue::Era;

use crate::patient::{Consumer, Patient, offerer};
use crate::support::{Value, wait_for};

/// How long each is watched, in ms: half a minute with `LONG=1`.
fn watched_ms() -> u64 {
    if std::env::var_os("LONG").is_some() {
        30_000
    } else {
        2_500
    }
}

async fn a_steady_stream() {
    let mut patient = Patient::new(1).await;
    let _client = patient.client(Era::Newer, 0);
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let mut offers = offerer(&patient);
    let begin = patient.server.now();
    for n in 0..watched_ms() / 20 {
        let due = begin.plus(500 + i64::try_from(n * 20).unwrap());
        offers.offer(due, n, b"tick").unwrap();
    }
    patient.well_for(watched_ms()).await;
}

async fn a_burst_in_due_order_worked_off() {
    let mut patient = Patient::new(2).await;
    let _clients = [0, 0].map(|ahead| patient.client(Era::Newer, ahead));
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let due = patient.server.now().plus(1_000);
    patient.server.fill_with(&patient.queue, 20_000, |n| {
        due.plus(i64::try_from(n / 1_000).unwrap())
    });
    patient.well_for(watched_ms()).await;
}

async fn one_of_two_clients_restarts() {
    let mut patient = Patient::new(3).await;
    let _client = patient.client(Era::Newer, 0);
    let other = patient.client(Era::Newer, 0);
    for i in 0..40 {
        patient.offer(Era::Newer, i * 100, "tick");
    }
    patient.well_for(watched_ms() / 2).await;
    drop(other);
    patient.well_for(watched_ms() / 4).await;
    let _other = patient.client(Era::Newer, 0);
    patient.well_for(watched_ms() / 4).await;
}

async fn an_upgrade_that_went_well() {
    let mut patient = Patient::new(4).await;
    for i in 0..20 {
        patient.offer(Era::Older, i * 10, "before");
    }
    let old = patient.client(Era::Older, 0);
    let timeouts = patient.queue.keys().timeouts;
    wait_for("the old entries to be gone", || {
        patient.server.cmd_bytes(&[b"ZCARD", &timeouts]) == Value::Int(0)
    });
    drop(old);
    let _new = patient.client(Era::Newer, 0);
    for i in 0..20 {
        patient.offer(Era::Newer, 500 + i * 100, "after");
    }
    patient.well_for(watched_ms()).await;
}

async fn an_idle_queue() {
    let mut patient = Patient::new(5).await;
    let _client = patient.client(Era::Newer, 0);
    patient.well_for(watched_ms()).await;
}

async fn entries_are_cancelled_before_they_fall_due() {
    let mut patient = Patient::new(6).await;
    let _client = patient.client(Era::Newer, 0);
    let mut offers = offerer(&patient);
    let begin = patient.server.now();
    for n in 0..60 {
        let payload = n.to_string();
        offers
            .offer(begin.plus(60_000), n, payload.as_bytes())
            .unwrap();
    }
    for n in 0..60_u64 {
        let payload = n.to_string();
        assert!(offers.remove(payload.as_bytes()).unwrap());
        patient.well_for(watched_ms() / 60).await;
    }
}

#[tokio::test]
async fn healthy_queues_are_left_in_peace() {
    tokio::join!(
        a_steady_stream(),
        a_burst_in_due_order_worked_off(),
        one_of_two_clients_restarts(),
        an_upgrade_that_went_well(),
        an_idle_queue(),
        entries_are_cancelled_before_they_fall_due(),
    );
}
