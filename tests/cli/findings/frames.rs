//! Frames that clients cannot unpack, and members that are none.

use delayscope::queue::change::ChangeRequest;
use delayscope::queue::finding::Step;
use delayscope::queue::{Era, Form, Severity};

use crate::findings::life::Timerless;
use crate::findings::patient::{Patient, first};
use crate::findings::program::repair;
use crate::findings::{at, at_all_seeds};
use crate::support::{Value, wait_for};

#[tokio::test]
async fn a_poison_entry_at_the_head_is_named_with_what_stops() {
    at_all_seeds(async |seed| {
        let era = [Era::Newer, Era::Older, Era::Newer][at(seed)];
        let mut patient = Patient::new(seed).await;
        let _client = patient.client(era, 0);
        patient.offer(era.other(), -200, "poison");
        for i in 0..5 {
            patient.offer(era, -100 + i, "good");
        }
        let found = patient.until_first("poison").await;
        assert_eq!(found.severity, Severity::Critical, "{found:?}");
        assert!(found.sentence().contains("block"), "{}", found.sentence());
        assert!(
            found.sentence().contains(era.other().releases()),
            "{}",
            found.sentence()
        );
        let step = Step::Change(ChangeRequest::Repack(Some(era.form(8))));
        assert_eq!(found.repair.step, step);
    })
    .await;
}

#[tokio::test]
async fn good_entries_before_a_poison_one_are_told_to_be_delivered_again_and_again() {
    at_all_seeds(async |seed| {
        let mut patient = Patient::new(seed).await;
        let before = 1 + patient.random(3);
        for i in 0..before {
            patient.offer(Era::Newer, -500, &format!("good {i}"));
        }
        let _poison = patient.offer(Era::Older, -300, "poison");
        for _ in 0..20 {
            patient.offer(Era::Newer, 60_000, "later");
        }
        let _client = patient.client(Era::Newer, 0);
        let said = patient
            .until("copies", |said| {
                let found = said.findings.first();
                found.is_some_and(|found| {
                    found.id == "poison" && found.evidence.figures["copies_seen"].as_u64() > Some(0)
                })
            })
            .await;
        let found = &said.findings[0];
        assert_eq!(found.evidence.figures["due_before"], before, "{found:?}");
        assert!(
            found.sentence().contains("again every 5 s"),
            "{}",
            found.sentence()
        );
        // What stands still has been explained.
        assert!(said.findings.iter().all(|found| found.id != "stuck-client"));
    })
    .await;
}

#[tokio::test]
async fn a_poison_entry_that_is_not_due_yet_is_a_warning_and_gone_once_it_is_out() {
    at_all_seeds(async |seed| {
        let mut patient = Patient::new(seed).await;
        let _client = patient.client(Era::Newer, 0);
        let poison = patient.offer(Era::Older, 60_000, "poison");
        for i in 0..20 {
            patient.offer(Era::Newer, 50_000 + i * 1_000, "good");
        }
        let found = patient.until_first("poison").await;
        assert_eq!((found.severity, found.figure), (Severity::Warning, Some(1)));
        let step = Step::Change(ChangeRequest::Repack(Some(Form::ByteId)));
        assert_eq!(found.repair.step, step);
        let keys = patient.queue.keys();
        patient
            .server
            .cmd_bytes(&[b"ZREM", &keys.timeouts, &poison]);
        patient
            .server
            .cmd_bytes(&[b"LREM", &keys.order.unwrap(), b"1", &poison]);
        patient
            .until("the poison to be gone", |said| first(said).is_none())
            .await;
    })
    .await;
}

#[tokio::test]
async fn an_old_frame_that_new_clients_can_unpack_is_no_poison() {
    let mut patient = Patient::new(1).await;
    let _client = patient.client(Era::Newer, 0);
    // Its first byte is a 7.
    let id = f64::from_bits(0x43d0_1122_3344_5507);
    let member = crate::support::double_frame(id, b"lucky");
    let due = patient.server.now().plus(60_000).get().to_string();
    patient.server.put(&patient.queue.clone(), &member, &due);
    patient.offer(Era::Newer, 50_000, "good");
    let said = patient.until("a full sample", |said| said.fine > 5).await;
    assert!(
        said.findings.iter().all(|found| found.id != "poison"),
        "{said:?}"
    );
}

#[tokio::test]
async fn both_forms_in_one_queue_are_a_warning_although_nobody_is_there_to_choke() {
    at_all_seeds(async |seed| {
        let mut patient = Patient::new(seed).await;
        for i in 0..10 {
            let due = i64::try_from(patient.random(600_000)).unwrap() + 60_000;
            let era = Era::BOTH[i % 2];
            patient.offer(era, due, "half and half");
        }
        let found = patient.until_first("mixed-frames").await;
        assert_eq!(found.severity, Severity::Warning);
        assert_eq!(found.evidence.figures["older_newest"], 5);
        assert_eq!(found.evidence.figures["newer_next_due"], 5);
    })
    .await;
}

#[tokio::test]
async fn clients_of_both_eras_are_named_as_a_mixed_fleet() {
    at_all_seeds(async |seed| {
        let mut patient = Patient::new(seed).await;
        let _clients = Era::BOTH.map(|era| patient.client(era, 0));
        for i in 0..10 {
            let due = i64::try_from(patient.random(50)).unwrap();
            let era = Era::BOTH[i % 2];
            patient.offer(era, due, &format!("{i}"));
        }
        let found = patient.until_first("mixed-fleet").await;
        assert_eq!(found.severity, Severity::Critical);
        for era in Era::BOTH {
            assert!(
                found.sentence().contains(era.releases()),
                "{}",
                found.sentence()
            );
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_no_frame_is_named_and_can_be_taken_out() {
    at_all_seeds(async |seed| {
        let due = [-500, 60_000, -500][at(seed)];
        let mut patient = Patient::new(seed).await;
        let _client = patient.client(Era::Newer, 0);
        patient.offer(Era::Newer, 50_000, "good");
        let score = patient.server.now().plus(due).get().to_string();
        let queue = patient.queue.clone();
        patient.server.put(&queue, b"{\"order\":1}", &score);
        let found = patient.until_first("foreign-member").await;
        let wanted = if due < 0 {
            Severity::Critical
        } else {
            Severity::Warning
        };
        assert_eq!(found.severity, wanted);
        let Step::Entry(ChangeRequest::Quarantine, entry) = found.repair.step else {
            panic!("{found:?}")
        };
        assert_eq!(entry.member, b"{\"order\":1}");
    })
    .await;
}

#[tokio::test]
async fn clients_that_sleep_after_an_error_are_woken_by_what_mends_it() {
    for to in ["--repack --form byte-id", "--quarantine"] {
        let mut patient = Patient::new(1).await;
        // It looks only when something is published, as one that waits for five seconds.
        let _client = Timerless::start(&patient.server, &patient.queue);
        patient.offer(Era::Newer, -100, "good");
        if to == "--quarantine" {
            let score = patient.server.now().plus(-200).get().to_string();
            let queue = patient.queue.clone();
            patient.server.put(&queue, b"no frame", &score);
        } else {
            patient.offer(Era::Older, -200, "of the other era");
        }
        let name = String::from_utf8(patient.queue.spec()).unwrap();
        let url = patient.server.url();
        repair(
            &patient,
            &format!("delayscope -u {url} repair '{name}' {to}"),
        )
        .await;
        let keys = patient.queue.keys();
        wait_for("what is due to be transferred", || {
            patient.server.cmd_bytes(&[b"ZCARD", &keys.timeouts]) == Value::Int(0)
        });
    }
}
