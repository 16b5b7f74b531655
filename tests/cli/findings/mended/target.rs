//! Target, and who takes from it.

use delayscope::queue::{ConsumerTag, Era, Holder};

use super::Case;
use crate::findings::at;
use crate::findings::life::{Consumer, Subscriber};
use crate::findings::patient::Patient;

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

/// One of ours, killed with a message in its hands: its lease is gone, or ran out beside one that
/// lives, or the server moved a message for it that it never heard of.
pub(super) async fn a_consumer_that_died(seed: u64) -> Case {
    let mut patient = Patient::new(seed).await;
    patient.with(Subscriber::new(&patient.server, &patient.queue));
    let (keys, now) = (patient.queue.keys().hold, patient.server.now());
    if seed == 300 {
        patient
            .server
            .cmd_bytes(&[b"RPUSH", &keys.intake, b"moved for nobody"]);
        return Case::of(patient).within(4_000);
    }
    let mut hold = |turn: u64, lease_ms: Option<i64>| {
        let consumer = ConsumerTag {
            host: "app 1".to_owned(),
            pid: 4_711,
            number: patient.random(u64::MAX),
        };
        let at = now.plus(-60_000);
        let field = Holder { consumer, at, turn }.field();
        let element = format!("taken {turn}");
        let server = &patient.server;
        server.cmd_bytes(&[b"HSET", &keys.held, &field, element.as_bytes()]);
        if let Some(ms) = lease_ms {
            let end = now.plus(ms).get().to_string();
            server.cmd_bytes(&[b"ZADD", &keys.leases, end.as_bytes(), &field]);
        }
    };
    if seed == 1 {
        hold(0, None);
    } else {
        hold(0, Some(-5_000));
        hold(1, Some(3_600_000));
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
