//! Target, and who takes from it.

use delayscope::queue::Era;

use super::Case;
use crate::at;
use crate::life::{Consumer, Subscriber};
use crate::patient::Patient;

pub(super) async fn elements_with_their_frames(seed: u64) -> Case {
    let mut patient = Patient::new(seed).await;
    patient.with(Subscriber::new(&patient.server, &patient.queue));
    let target = patient.queue.keys().target;
    for n in 0..=patient.random(300) {
        let era = Era::BOTH[usize::try_from(n % 2).unwrap()];
        let member = patient.member(era, &format!("copied {n}"));
        patient
            .server
            .cmd_bytes(&[b"RPUSH", &target, b"plain", &member]);
    }
    Case::of(patient)
}

/// A client that delivers so many each second.
async fn delivering(seed: u64, each_ms: u64) -> Patient {
    let mut patient = Patient::new(seed).await;
    patient.with(patient.client(Era::Newer, 0));
    patient.with(patient.offering(each_ms, |_| 100));
    patient
}

/// Nobody, or somebody who waits for another list; at the last seed with so many in target that a
/// few seconds tell.
pub(super) async fn consumers_that_hang(seed: u64) -> Case {
    let mut patient = delivering(seed, [300, 900, 40][at(seed)]).await;
    if seed == 20 {
        let other = delayscope::queue::Queue::redisson("another");
        patient.with(Consumer::start(&patient.server, &other));
    }
    if seed == 300 {
        patient.heap(3_000);
    }
    let case = Case::outside(patient, |patient| {
        patient.with(Consumer::start(&patient.server, &patient.queue));
    });
    case.within(if seed == 300 { 8_000 } else { 36_000 })
}

/// What waits takes them longer than ten minutes.
pub(super) async fn consumers_that_are_too_slow(seed: u64) -> Case {
    let (rest, backlog) = [(300, 4_000), (150, 9_000), (900, 1_200)][at(seed)];
    let mut patient = delivering(seed, 50).await;
    patient.heap(backlog);
    patient.with(Consumer::resting(&patient.server, &patient.queue, rest));
    let case = Case::outside(patient, |patient| {
        for _ in 0..3 {
            patient.with(Consumer::start(&patient.server, &patient.queue));
        }
    });
    case.within(36_000)
}
