//! Keys, names and scores.

use delayscope::queue::{Era, Queue};

use super::Case;
use crate::findings::at;
use crate::findings::life::Subscriber;
use crate::findings::patient::Patient;

/// A queue with somebody who listens and some entries that are not due.
async fn quiet(seed: u64) -> Patient {
    let mut patient = Patient::new(seed).await;
    patient.with(Subscriber::new(&patient.server, &patient.queue));
    for n in 0..9 {
        patient.offer(Era::Newer, 60_000 + n, &format!("later {n}"));
    }
    patient
}

pub(super) async fn a_key_of_another_type(seed: u64) -> Case {
    let patient = quiet(seed).await;
    let keys = patient.queue.keys();
    let order = keys.order.unwrap();
    let key = [&keys.target, &order, &keys.timeouts][at(seed)].clone();
    let server = &patient.server;
    if key != keys.target {
        // It was there before the queue was.
        server.cmd_bytes(&[b"DEL", &order, &keys.timeouts]);
    }
    server.cmd_bytes(&[b"SET", &key, b"a string"]);
    Case::of(patient)
}

/// Below zero, in seconds (nobody is there, or they would be delivered), beyond all.
pub(super) async fn scores_that_are_no_due_time(seed: u64) -> Case {
    let mut patient = quiet(seed).await;
    let in_seconds = (patient.server.now().get() / 1_000 + 3_600).to_string();
    let score = ["-5", in_seconds.as_str(), "1e18"][at(seed)];
    let member = patient.member(Era::Newer, "when?");
    patient.server.put(&patient.queue, &member, score);
    match seed {
        20 => patient.without_all(),
        // What becomes due is transferred.
        1 => {
            let client = patient.client(Era::Newer, 0);
            patient.with(client);
        }
        _ => {}
    }
    Case::of(patient)
}

pub(super) async fn a_burst_far_down(seed: u64) -> Case {
    let count = [30_000_u64, 50_000, 80_000][at(seed)];
    let mut patient = Patient::new(seed).await;
    patient.with(Subscriber::new(&patient.server, &patient.queue));
    let hour = patient.server.now().plus(3_600_000);
    let due = |n: u64| hour.plus(i64::try_from((count - n) / 100).unwrap());
    patient.server.fill_with(&patient.queue, count, due);
    Case::of(patient)
}

/// Some are missing in the order list, in timeouts; the whole order list is missing.
pub(super) async fn lists_that_disagree(seed: u64) -> Case {
    let mut patient = quiet(seed).await;
    let keys = patient.queue.keys();
    let order = keys.order.unwrap();
    let more: Vec<_> = (0..3)
        .map(|n| patient.offer(Era::Newer, 70_000 + n, "half lost"))
        .collect();
    for member in &more {
        match seed {
            1 => patient.server.cmd_bytes(&[b"LREM", &order, b"1", member]),
            20 => patient.server.cmd_bytes(&[b"ZREM", &keys.timeouts, member]),
            _ => patient.server.cmd_bytes(&[b"DEL", &order]),
        };
    }
    Case::of(patient).within(2_500)
}

pub(super) async fn an_order_list_aside(seed: u64) -> Case {
    let patient = quiet(seed).await;
    let keys = patient.queue.keys();
    let aside = [
        b"RENAME",
        keys.order.unwrap().as_slice(),
        &keys.aside.unwrap(),
    ]
    .map(<[u8]>::to_vec);
    let aside: Vec<&[u8]> = aside.iter().map(Vec::as_slice).collect();
    patient.server.cmd_bytes(&aside);
    // Whoever says no more than `doctor` is not told that all is well while nobody can know it.
    Case::of(patient).by_itself()
}

pub(super) async fn an_expiry(seed: u64) -> Case {
    let patient = quiet(seed).await;
    let keys = patient.queue.keys();
    let order = keys.order.unwrap();
    let keys = [
        vec![&keys.timeouts],
        vec![&order],
        vec![&keys.timeouts, &order],
    ];
    for key in &keys[at(seed)] {
        patient.server.cmd_bytes(&[b"EXPIRE", key, b"3600"]);
    }
    Case::of(patient)
}

/// Somebody has to say when it shall be due, or that nobody needs it.
pub(super) async fn an_entry_for_the_next_century(seed: u64) -> Case {
    let mut patient = quiet(seed).await;
    let years = [60, 100, 500][at(seed)];
    let member = patient.offer(Era::Newer, years * 31_556_952_000, "when?");
    Case::outside(patient, move |patient| {
        let keys = patient.queue.keys();
        let order = keys.order.unwrap();
        patient
            .server
            .cmd_bytes(&[b"ZREM", &keys.timeouts, &member]);
        patient.server.cmd_bytes(&[b"LREM", &order, b"1", &member]);
    })
}

/// A name without braces is what everybody agrees on.
pub(super) async fn odd_braces(seed: u64) -> Case {
    let odd = Queue::redisson(["a{b", "x}", "q{}"][at(seed)]);
    let mut patient = Patient::of(crate::support::Server::start(), odd, seed).await;
    patient.with(Subscriber::new(&patient.server, &patient.queue));
    patient.offer(Era::Newer, 60_000, "later");
    Case::outside(patient, |patient| {
        let old = patient.queue.keys();
        patient.queue = Queue::redisson("renamed");
        let new = patient.queue.keys();
        patient.with(Subscriber::new(&patient.server, &patient.queue));
        for [old, new] in [
            [old.timeouts, new.timeouts],
            [old.order.unwrap(), new.order.unwrap()],
        ] {
            patient.server.cmd_bytes(&[b"RENAME", &old, &new]);
        }
    })
}

pub(super) async fn two_names_for_the_same_keys(seed: u64) -> Case {
    let (name, twin) = [("orders", "{orders}"), ("{mail}", "mail"), ("a b", "{a b}")][at(seed)];
    let server = crate::support::Server::start();
    let mut patient = Patient::of(server, Queue::redisson(name), seed).await;
    patient.with(Subscriber::new(&patient.server, &patient.queue));
    patient.offer(Era::Newer, 60_000, "later");
    patient.server.cmd(&["RPUSH", twin, "of the other one"]);
    Case::outside(patient, move |patient| {
        patient.server.cmd(&["RENAME", twin, "another name"]);
    })
}
