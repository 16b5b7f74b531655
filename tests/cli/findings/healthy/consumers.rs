//! Consumers, and the pollers of the plain layout.

use std::time::Duration;

use delayscope::queue::{Era, Queue};

use super::stage::time;
use crate::findings::life::{Consumer, Each, poller};
use crate::findings::patient::{Patient, offerer};
use crate::findings::program::Watching;
use crate::support::Server;

/// Bursts that it is behind with for some seconds, and quiet in between.
pub(super) async fn one_slower_than_bursts(span: u64) {
    let mut patient = Patient::new(1).await;
    let _client = patient.client(Era::Newer, 0);
    let _consumer = Consumer::resting(&patient.server, &patient.queue, 20);
    let (mut offers, mut clock) = (offerer(&patient), patient.server.connection());
    let _bursts = Each::ms(10_000, move |burst| {
        let due = time(&mut clock).plus(500);
        for n in 0..250 {
            let text = format!("burst {burst}, {n}");
            offers
                .offer(due, burst * 1_000 + n, text.as_bytes())
                .unwrap();
        }
    });
    patient.stays_well(span).await;
}

pub(super) async fn several_that_block(span: u64) {
    let mut patient = Patient::new(2).await;
    let _client = patient.client(Era::Newer, 0);
    let _consumers = [(); 5].map(|()| Consumer::start(&patient.server, &patient.queue));
    let _offers = patient.offering(900, |_| 400);
    patient.stays_well(span).await;
}

/// Each ten seconds it takes all there is.
fn takes_in_batches(patient: &Patient) -> Each {
    let (mut connection, target) = (patient.server.connection(), patient.queue.keys().target);
    Each::paced(move |_| {
        let mut all = redis::pipe();
        all.atomic().cmd("LRANGE").arg(&target).arg(0).arg(-1);
        all.cmd("DEL").arg(&target);
        all.exec(&mut connection).unwrap();
        Duration::from_secs(10)
    })
}

pub(super) async fn one_that_takes_in_batches(span: u64) {
    let mut patient = Patient::new(3).await;
    let _client = patient.client(Era::Newer, 0);
    let _offers = patient.offering(100, |_| 400);
    let _consumer = takes_in_batches(&patient);
    patient.stays_well(span).await;
}

/// So many each second that the batches are of thousands; the first look falls into a pause.
pub(super) async fn one_that_takes_in_large_batches(span: u64) {
    let mut patient = Patient::new(4).await;
    let _client = patient.client(Era::Newer, 0);
    let (mut connection, target) = (patient.server.connection(), patient.queue.keys().target);
    let _delivered = Each::ms(100, move |n| {
        let mut push = redis::cmd("RPUSH");
        push.arg(&target);
        for i in 0..40 {
            push.arg(format!("element {n}.{i}"));
        }
        push.exec(&mut connection).unwrap();
    });
    let _consumer = takes_in_batches(&patient);
    tokio::time::sleep(Duration::from_secs(1)).await;
    patient.stays_well(span).await;
}

/// Two seconds for each, and always some fifty wait.
pub(super) async fn a_slow_one(span: u64) {
    let mut patient = Patient::new(5).await;
    let _client = patient.client(Era::Newer, 0);
    patient.heap(50);
    let _consumer = Consumer::resting(&patient.server, &patient.queue, 2_000);
    let _offers = patient.offering(2_000, |_| 400);
    patient.stays_well(span).await;
}

/// The only consumer restarts just when thousands have been delivered: it is back within five
/// seconds.
pub(super) async fn the_only_one_restarts_behind_a_burst(span: u64) {
    let mut patient = Patient::new(6).await;
    let _client = patient.client(Era::Newer, 0);
    patient.heap(3_000);
    let _offers = patient.offering(300, |_| 400);
    let watching = Watching::start(&patient.server, Some(&patient.queue), None, span);
    patient.well_for(4_500).await;
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    patient.well_for(span - 4_500).await;
    watching.was_well().await;
}

/// One after the other is away for some seconds, while they work off what has gathered.
pub(super) async fn a_rolling_restart(span: u64) {
    let mut patient = Patient::new(7).await;
    let _client = patient.client(Era::Newer, 0);
    patient.heap(4_000);
    let _offers = patient.offering(50, |_| 400);
    let mut there = [(); 3].map(|()| Some(Consumer::resting(&patient.server, &patient.queue, 15)));
    let watching = Watching::start(&patient.server, Some(&patient.queue), None, span);
    for one in &mut there {
        *one = None;
        patient.well_for(3_000).await;
        *one = Some(Consumer::resting(&patient.server, &patient.queue, 15));
        patient.well_for(2_000).await;
    }
    patient.well_for(span.saturating_sub(15_000)).await;
    watching.was_well().await;
}

pub(super) async fn a_poller_that_counts_seconds(span: u64) {
    plain(span, "zset-list:delay_queue,ready_queue,s,left").await;
}

pub(super) async fn a_poller_that_counts_milliseconds(span: u64) {
    plain(span, "zset-list:delay_queue,ready_queue,ms,left").await;
}

/// A poller that looks once a second; a second on average passes until it has seen what is due.
async fn plain(span: u64, spec: &str) {
    let queue: Queue = spec.parse().unwrap();
    let mut patient = Patient::of(Server::start(), queue.clone(), 1).await;
    let _poller = poller(&patient.server, &queue, 1_000);
    let _consumer = Consumer::start(&patient.server, &queue);
    let (mut connection, timeouts) = (patient.server.connection(), queue.keys().timeouts);
    let _offers = Each::ms(400, move |n| {
        let due = time(&mut connection).plus(2_500);
        let mut offer = redis::cmd("ZADD");
        offer.arg(&timeouts).arg(queue.score(due).floor());
        offer
            .arg(format!("message {n}"))
            .exec(&mut connection)
            .unwrap();
    });
    patient.stays_well(span).await;
}
