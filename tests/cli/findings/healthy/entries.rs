//! Entries of all kinds.

use delayscope::queue::Era;

use super::stage::ms;
use crate::findings::life::{Consumer, Each};
use crate::findings::patient::{Patient, offerer};

pub(super) async fn a_steady_stream(span: u64) {
    let mut patient = Patient::new(1).await;
    let _client = patient.client(Era::Newer, 0);
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let _offers = patient.offering(20, |_| 500);
    patient.stays_well(span).await;
}

/// A hundred thousand within a second, in due order, worked off and consumed as fast.
pub(super) async fn a_burst_in_due_order(span: u64) {
    let mut patient = Patient::new(2).await;
    let count = span.min(20_000) * 5;
    let due = patient.server.now().plus(1_500);
    let step = count / 1_000;
    let at = |n: u64| due.plus(ms(n / step));
    patient.server.fill_with(&patient.queue, count, at);
    let _clients = [0, 0].map(|ahead| patient.client(Era::Newer, ahead));
    let _consumers = [(); 3].map(|()| Consumer::start(&patient.server, &patient.queue));
    patient.stays_well(span).await;
}

pub(super) async fn an_idle_queue(span: u64) {
    let mut patient = Patient::new(3).await;
    let _client = patient.client(Era::Newer, 0);
    patient.stays_well(span).await;
}

pub(super) async fn far_future_only(span: u64) {
    let mut patient = Patient::new(4).await;
    let _client = patient.client(Era::Newer, 0);
    for n in 0..50 {
        // From a day to thirty years.
        patient.offer(Era::Newer, 86_400_000 * (1 + n * n * 4), "far");
    }
    patient.stays_well(span).await;
}

pub(super) async fn due_at_once(span: u64) {
    let mut patient = Patient::new(5).await;
    let _client = patient.client(Era::Newer, 0);
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let _offers = patient.offering(15, |_| 0);
    patient.stays_well(span).await;
}

/// Some short, some long, none in due order.
pub(super) async fn delays_of_all_lengths(span: u64) {
    let mut patient = Patient::new(6).await;
    let _client = patient.client(Era::Newer, 0);
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let _offers = patient.offering(10, |n| ms(n * 7_919 % 60_000));
    patient.stays_well(span).await;
}

pub(super) async fn large_payloads(span: u64) {
    let mut patient = Patient::new(7).await;
    let _client = patient.client(Era::Newer, 0);
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let text = |n: u64| format!("{n} {}", "large ".repeat(50_000));
    let _offers = patient.offering_texts(250, |_| 3_000, text);
    patient.stays_well(span).await;
}

/// A queue of which now and then nothing is left, not even a key.
pub(super) async fn created_and_gone_again_and_again(span: u64) {
    let mut patient = Patient::new(8).await;
    let _client = patient.client(Era::Newer, 0);
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let _offers = patient.offering(700, |_| 300);
    patient.stays_well(span).await;
}

/// Orders that are paid in time: nearly nothing ever falls due.
pub(super) async fn entries_that_are_cancelled(span: u64) {
    let mut patient = Patient::new(9).await;
    let _client = patient.client(Era::Newer, 0);
    let _offers = patient.offering(50, |_| 60_000);
    let mut owner = offerer(&patient);
    let _owner = Each::ms(50, move |n| {
        let text = format!("order {n}");
        while !owner.remove(text.as_bytes()).unwrap() {}
    });
    patient.stays_well(span).await;
}

/// A year's entries, offered first and a hundred in each tick of a client's timer; those that are
/// due soon stand behind them all.
pub(super) async fn a_stream_behind_a_far_heap(span: u64) {
    let mut patient = Patient::new(10).await;
    let year = patient.server.now().plus(31_536_000_000);
    patient.server.fill(&patient.queue, 300_000, year, 1);
    let _client = patient.client(Era::Newer, 0);
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let _offers = patient.offering(100, |_| 1_500);
    patient.stays_well(span).await;
}

/// What fell due while nobody was there, a thousand in each millisecond.
pub(super) async fn a_backlog_that_is_worked_off(span: u64) {
    let mut patient = Patient::new(11).await;
    let late = patient.server.now().plus(-5_000);
    let at = |n: u64| late.plus(ms(n / 1_000));
    patient.server.fill_with(&patient.queue, 200_000, at);
    let _client = patient.client(Era::Newer, 0);
    let _consumers = [(); 3].map(|()| Consumer::start(&patient.server, &patient.queue));
    patient.stays_well(span).await;
}
