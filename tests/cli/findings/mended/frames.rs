//! Frames that clients cannot unpack.

use delayscope::queue::Era;

use super::Case;
use crate::findings::at;
use crate::findings::patient::Patient;

/// Ahead of all others, amid those that are due, or not due yet.
pub(super) async fn a_frame_of_the_other_era(seed: u64) -> Case {
    let era = [Era::Newer, Era::Older, Era::Newer][at(seed)];
    let due = [-900, -300, 30_000][at(seed)];
    let mut patient = Patient::new(seed).await;
    patient.offer(era.other(), due, "poison");
    for n in 0..20 {
        patient.offer(era, due - 5 + n, &format!("good {n}"));
    }
    patient.with(patient.client(era, 0));
    Case::of(patient)
}

pub(super) async fn a_member_without_frame(seed: u64) -> Case {
    let era = [Era::Newer, Era::Newer, Era::Older][at(seed)];
    let due = [-500, 60_000, -500][at(seed)];
    let mut patient = Patient::new(seed).await;
    patient.with(patient.client(era, 0));
    patient.offer(era, 50_000, "good");
    let text = [&b"{\"order\":1}"[..], b"x", b"\0\xff no frame at all"][at(seed)];
    let score = patient.server.now().plus(due).get().to_string();
    patient.server.put(&patient.queue, text, &score);
    Case::of(patient)
}

/// By somebody else, from anywhere: due by now, soon, or in an hour.
pub(super) async fn entries_set_aside(seed: u64) -> Case {
    let due = [-500, 60_000, 3_600_000][at(seed)];
    let mut patient = Patient::new(seed).await;
    patient.with(patient.client(Era::Newer, 0));
    let (queue, score) = (patient.queue.clone(), patient.server.now().plus(due).get());
    for n in 0..=seed {
        let member = patient.member(Era::Newer, &format!("kept {n}"));
        let score = score.to_string();
        let words = [
            b"ZADD",
            &queue.keys().quarantine[..],
            score.as_bytes(),
            &member,
        ];
        patient.server.cmd_bytes(&words);
    }
    patient.offer(Era::Newer, 50_000, "good");
    Case::of(patient)
}

pub(super) async fn both_forms(seed: u64) -> Case {
    let mut patient = Patient::new(seed).await;
    for n in 0..5 {
        for era in Era::BOTH {
            patient.offer(era, 4_000 + n, "half and half");
        }
    }
    Case::of(patient)
}

/// Each gets into the way of the other at once; one of them is stopped.
pub(super) async fn clients_of_both_eras(seed: u64) -> Case {
    let mut patient = Patient::new(seed).await;
    for n in 0..10 {
        let due = i64::try_from(patient.random(50)).unwrap();
        patient.offer(Era::BOTH[n % 2], due, &format!("order {n}"));
    }
    let [older, newer] = Era::BOTH.map(|era| patient.client(era, 0));
    let (stay, go) = if seed == 1 {
        (newer, older)
    } else {
        (older, newer)
    };
    patient.with(stay);
    Case {
        outside: Some(Box::new(|_| drop(go))),
        ..Case::of(patient).within(4_000)
    }
}
