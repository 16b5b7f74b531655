//! What shows over time: clients that do not transfer, lists that disagree, clocks that are off.

use std::io::Write;
use std::os::unix::net::UnixStream;

use delayscope::ops::doctor::{Examination, recall};
use delayscope::ops::journal::{Journal, JournalHead, ServerId};
use delayscope::queue::change::ChangeRequest;
use delayscope::queue::finding::Step;
use delayscope::queue::{Change, Era, Finding, Queue, Severity, Tally};

use crate::findings::life::Subscriber;
use crate::findings::patient::{Patient, first, offerer};
use crate::findings::program::{self, Doctor};
use crate::findings::{at, at_all_seeds};
use crate::support::Value;

/// A queue whose only subscriber has slept for ten seconds.
async fn asleep(seed: u64) -> (Patient, Subscriber) {
    let mut patient = Patient::new(seed).await;
    let subscriber = Subscriber::new(&patient.server, &patient.queue);
    for i in 0..3 {
        patient.offer(Era::Newer, -10_000 + i, "late");
    }
    (patient, subscriber)
}

async fn a_client_that_sleeps(seed: u64) {
    let (mut patient, _subscriber) = asleep(seed).await;
    let found = patient.until_first("stuck-client").await;
    assert_eq!(
        (found.severity, found.figure),
        (Severity::Critical, Some(3))
    );
    assert_eq!(found.repair.step, Step::Change(ChangeRequest::Kick));
    // Somebody transfers: it moves, and this has gone; so soon that it is no news.
    let _client = patient.client(Era::Newer, 0);
    patient
        .until("the head to move", |said| first(said).is_none())
        .await;
}

#[tokio::test]
async fn a_client_that_is_subscribed_and_does_not_transfer_is_named() {
    at_all_seeds(a_client_that_sleeps).await;
}

/// Writes down that the queue was kicked just now.
async fn kicked(patient: &Patient, journal: &Journal) {
    let kick = JournalHead {
        change: Change::Kick,
        queue: patient.queue.spec(),
        server: ServerId::told(&patient.store).await,
        planned: 0,
        bound: None,
        undoes: None,
        bytes: 0,
    };
    let record = journal.begin(kick).await.unwrap();
    record.end(Tally::default()).await.unwrap();
}

#[tokio::test]
async fn a_kick_is_recalled_of_its_queue_on_its_server_only() {
    let (patient, _subscriber) = asleep(1).await;
    let (elsewhere, _other) = asleep(1).await;
    let journal = Journal::at(patient.home(), 30);
    kicked(&patient, &journal).await;
    let queues = ["another", "orders"].map(Queue::redisson);
    let queues = queues.into_iter().chain([patient.queue.clone()]);
    let mut all: Vec<_> = queues.map(Examination::new).collect();
    let now = patient.server.now();
    recall(&mut all, &journal, &elsewhere.store, now).await;
    let recalled = |all: &mut [Examination]| -> Vec<_> {
        all.iter_mut()
            .map(|one| one.watch().kicked_before)
            .collect()
    };
    assert_eq!(recalled(&mut all), [None; 3]);
    recall(&mut all, &journal, &patient.store, now).await;
    let recalled = recalled(&mut all);
    assert_eq!(recalled[..2], [None; 2]);
    let ago = now.since(recalled[2].unwrap());
    assert!((0..20_000).contains(&ago), "{ago}");
}

#[tokio::test]
async fn doctor_does_not_say_kick_again_when_one_has_just_not_helped() {
    let (mut patient, _subscriber) = asleep(0).await;
    patient.offer(Era::Newer, -60_000, "late");
    let journal = Journal::at(&patient.home().join("delayscope"), 30);
    kicked(&patient, &journal).await;
    let said = Doctor::until_first(&patient, "stuck-client", 3_500).await;
    assert!(
        said.sentence.contains("Waking them has not helped"),
        "{}",
        said.sentence
    );
    let command = said.command.unwrap();
    assert!(command.contains(" worker "), "{command}");
}

#[tokio::test]
async fn subscribers_of_another_database_are_seen_through() {
    let mut patient = Patient::new(1).await;
    let _subscriber = Subscriber::in_db(&patient.server, &patient.queue, 3);
    patient.offer(Era::Newer, -10_000, "late");
    let found = patient.until_first("stuck-client").await;
    assert!(found.headline.contains("another database"), "{found:?}");
    assert_eq!(found.repair.step, Step::Worker);
}

#[tokio::test]
async fn a_server_that_is_paused_is_told_from_clients_that_sleep() {
    let (mut patient, _subscriber) = asleep(2).await;
    patient.server.cmd(&["CLIENT", "PAUSE", "60000", "WRITE"]);
    // A transfer, which is not answered.
    let mut waits = UnixStream::connect(patient.server.socket()).unwrap();
    waits.write_all(b"EVAL \"return 1\" 0\r\n").unwrap();
    let said = patient
        .until("the pause", |said| {
            let of_pause = |found: &Finding| found.headline.contains("is paused");
            said.findings.first().is_some_and(of_pause)
        })
        .await;
    let found = &said.findings[0];
    assert_eq!(
        (found.id, &found.repair.step),
        ("stuck-client", &Step::Outside)
    );
}

#[tokio::test]
async fn lists_that_disagree_are_drift_on_the_side_that_has_more() {
    at_all_seeds(async |seed| {
        let mut patient = Patient::new(seed).await;
        let _client = patient.client(Era::Newer, 0);
        let keys = patient.queue.keys();
        let some: Vec<Vec<u8>> = (0..9)
            .map(|i| patient.offer(Era::Newer, 60_000 + i, "well"))
            .collect();
        let (timeouts, order) = (&keys.timeouts, keys.order.as_ref().unwrap());
        let lost = 1 + usize::try_from(patient.random(3)).unwrap();
        for member in &some[..lost] {
            patient.server.cmd_bytes(&[b"LREM", order, b"1", member]);
        }
        let found = patient.until_first("drift").await;
        assert_eq!(found.figure, Some(lost as u64));
        assert!(
            found.details.contains("more than the order list"),
            "{found:?}"
        );
        for member in &some[..lost] {
            patient.server.cmd_bytes(&[b"RPUSH", order, member]);
        }
        patient
            .until("the end of the drift", |said| first(said).is_none())
            .await;
        patient.server.cmd_bytes(&[b"DEL", timeouts]);
        // Whoever has watched all along would take its next survey in ten seconds.
        patient.examination = Examination::new(patient.queue.clone());
        let found = patient.until_first("drift").await;
        assert!(found.details.contains("last copy"), "{found:?}");
        assert_eq!(found.repair.step, Step::WaitAgain);
    })
    .await;
}

#[tokio::test]
async fn where_timeouts_is_gone_the_command_that_is_printed_keeps_every_entry() {
    let mut patient = Patient::new(2).await;
    let _client = patient.client(Era::Newer, 0);
    let entries: Vec<Vec<u8>> = (0..3)
        .map(|i| patient.offer(Era::Newer, 5_000_000, &format!("order {i}")))
        .collect();
    let keys = patient.queue.keys();
    patient.server.cmd_bytes(&[b"DEL", &keys.timeouts]);
    let said = Doctor::until_first(&patient, "drift", 1_100).await;
    program::repair(&patient, &said.command.unwrap()).await;
    for member in &entries {
        let score = patient
            .server
            .cmd_bytes(&[b"ZSCORE", &keys.timeouts, member]);
        assert_ne!(score, Value::Nil);
    }
    let order = keys.order.unwrap();
    let order = patient.server.cmd_bytes(&[b"LLEN", &order]);
    assert_eq!(order, Value::Int(3), "not there twice");
    Doctor::until_well(&patient, "drift").await;
}

#[tokio::test]
async fn a_burst_far_down_the_order_list_is_told_before_it_falls_due() {
    at_all_seeds(async |seed| {
        let count = [20_000_u64, 60_000, 100_000][at(seed)];
        let mut patient = Patient::new(seed).await;
        let _client = patient.client(Era::Newer, 0);
        let hour = patient.server.now().plus(3_600_000);
        let count_ms = i64::try_from(count).unwrap();
        // The last offered are due first, a hundred of them at once.
        let due = |n: u64| hour.plus(count_ms - i64::try_from(n / 100).unwrap());
        patient.server.fill_with(&patient.queue, count, due);
        let said = patient
            .until("slow-transfer", |said| {
                said.findings
                    .iter()
                    .any(|found| found.id == "slow-transfer")
            })
            .await;
        let found = &said.findings[0];
        assert_eq!(found.id, "slow-transfer");
        let block_ms = found.evidence.figures["block_ms"].as_u64().unwrap();
        let really = count * 100 * 12 / 1_000_000;
        assert!(
            (really / 3..=really * 3).contains(&block_ms),
            "{block_ms} of {really}"
        );
        assert_eq!(
            found.repair.step,
            Step::Change(ChangeRequest::Realign(None))
        );
    })
    .await;
}

async fn a_clock_that_is_off(seed: u64, ahead_ms: i64) {
    let mut patient = Patient::new(seed).await;
    let _client = patient.client(Era::Newer, ahead_ms);
    let mut offers = offerer(&patient);
    let begin = patient.server.now();
    for n in 0..40 {
        let due = begin.plus(2_000 + i64::try_from(n).unwrap() * 300);
        offers.offer(due, n, b"tick").unwrap();
    }
    let said = patient
        .until("the clock", |said| {
            said.findings.iter().any(|found| found.id == "clock-skew")
        })
        .await;
    let found = &said.findings[0];
    assert_eq!(
        (found.id, found.severity),
        ("clock-skew", Severity::Warning)
    );
    let told = found.evidence.figures["client_ahead_ms"].as_i64().unwrap();
    assert!((told - ahead_ms).abs() < 300, "{told} of {ahead_ms}");
}

#[tokio::test]
async fn a_client_whose_clock_is_off_is_seen_by_when_entries_leave() {
    let ahead = [1_500, -1_500, 3_000];
    at_all_seeds(async |seed| a_clock_that_is_off(seed, ahead[at(seed)]).await).await;
}

#[tokio::test]
async fn thousands_that_nobody_takes_are_a_warning_without_being_asked_to_look_for_long() {
    let patient = Patient::new(1).await;
    patient.heap(3_000);
    let _client = patient.client(Era::Newer, 0);
    let _offers = patient.offering(100, |_| 100);
    let begun = delayscope::clock::instant();
    let said = Doctor::looks_by_itself(&patient).await;
    assert_eq!(
        (said.rule.as_deref(), said.severity.as_deref()),
        (Some("nothing-consumed"), Some("warning")),
        "{}",
        said.sentence
    );
    // By far not the half minute that a few would take.
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}
