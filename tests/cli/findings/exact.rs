//! The look at all entries: what no sample sees is told with its number and its names, what comes
//! and goes beside it is never called drift, and it leaves nothing behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use delayscope::clock::instant;
use delayscope::ops::doctor::{ExaminationEvent, examine};
use delayscope::queue::change::ChangeRequest;
use delayscope::queue::finding::{Diagnosis, Step};
use delayscope::queue::{Era, Exact, Finding, Severity};
use futures_util::StreamExt as _;

use crate::findings::at_all_seeds;
use crate::findings::life::Subscriber;
use crate::findings::patient::{Patient, offerer};
use crate::support::{PATIENCE, Server, Value, until};

impl Patient {
    /// Looks at all entries, again if the server did not answer in time.
    async fn examined(&self) -> Exact {
        let end = instant() + PATIENCE;
        loop {
            let mut told = examine(&self.store, &self.queue, 8);
            let why = loop {
                match told.next().await.expect("it ended without a word") {
                    Ok(ExaminationEvent::Done(exact)) => return *exact,
                    Ok(ExaminationEvent::Progress { .. }) => {}
                    Err(why) => break why,
                }
            };
            assert!(instant() < end, "{why}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// What the rules say once all entries have been looked at.
    async fn said_of_all(&mut self) -> Diagnosis {
        self.round().await;
        let exact = self.examined().await;
        self.examination.watch().examined(exact);
        self.round().await
    }

    /// So many entries that are due in an hour, as many as no sample brings.
    fn fill(&self, count: u64) {
        let first = self.server.now().plus(3_600_000);
        self.server.fill(&self.queue, count, first, 1);
    }

    /// Takes an element out of the order list, or a member out of timeouts.
    fn tear(&self, member: &[u8], from_order: bool) {
        let keys = self.queue.keys();
        if from_order {
            let order = keys.order.unwrap();
            self.server.cmd_bytes(&[b"LREM", &order, b"1", member]);
        } else {
            self.server.cmd_bytes(&[b"ZREM", &keys.timeouts, member]);
        }
    }
}

fn found<'a>(said: &'a Diagnosis, id: &str) -> &'a Finding {
    let of = |found: &&Finding| found.id == id;
    let found = said.findings.iter().find(of);
    found.unwrap_or_else(|| panic!("no {id}: {said:#?}"))
}

fn names(finding: &Finding, id: &str) -> bool {
    finding.evidence.words.iter().any(|line| line.contains(id))
}

#[tokio::test]
async fn what_differs_by_members_although_the_numbers_agree_is_told_with_both_sides() {
    at_all_seeds(async |seed| {
        let mut patient = Patient::new(seed).await;
        let _client = Subscriber::new(&patient.server, &patient.queue);
        patient.fill(3_000);
        let mut both = [Vec::new(), Vec::new()];
        let count = 1 + patient.random(3);
        for i in 0..count * 2 {
            let member = patient.offer(Era::Newer, 5_000_000, &format!("torn {i}"));
            patient.tear(&member, i % 2 == 0);
            both[usize::from(i % 2 == 1)].push(patient.queue.id(&member).to_string());
        }
        let twice = patient.offer(Era::Newer, 5_000_000, "twice");
        let [order, timeouts] = [
            patient.queue.keys().order.unwrap(),
            patient.queue.keys().timeouts,
        ];
        let said = patient.said_of_all().await;
        let drift = found(&said, "drift");
        let figures = &drift.evidence.figures;
        assert_eq!(figures["not_in_order"], count, "{drift:#?}");
        assert_eq!(figures["only_in_order"], count, "{drift:#?}");
        assert_eq!(figures["exact"], true);
        assert_eq!(drift.repair.step, Step::WaitAgain);
        assert!(
            both.iter().flatten().all(|id| names(drift, id)),
            "{drift:#?}"
        );
        patient.server.cmd_bytes(&[b"RPUSH", &order, &twice]);
        let said = patient.said_of_all().await;
        assert_eq!(found(&said, "drift").evidence.figures["too_often"], 1);
        // Mended by hand: a look at all of them says so.
        for key in [&order, &timeouts] {
            patient.server.cmd_bytes(&[b"DEL", key]);
        }
        patient.fill(10);
        let said = patient.said_of_all().await;
        assert!(
            said.findings.iter().all(|one| one.id != "drift"),
            "{said:#?}"
        );
    })
    .await;
}

#[tokio::test]
async fn odd_entries_behind_the_next_hundred_are_counted_and_named() {
    at_all_seeds(async |seed| {
        let mut patient = Patient::new(seed).await;
        let _client = patient.client(Era::Newer, 0);
        patient.fill(400);
        let old = patient.offer(Era::Older, 4_000_000, "of another era");
        let queue = patient.queue.clone();
        let late = patient.server.now().plus(5_000_000).get().to_string();
        patient.server.put(&queue, b"{\"no\":\"frame\"}", &late);
        // The newest are good ones: no end of any list shows it.
        for i in 0..120 {
            patient.offer(Era::Newer, 6_000_000, &format!("newest {i}"));
        }
        let before = patient.until("a full sample", |said| said.fine > 5).await;
        assert!(
            before
                .findings
                .iter()
                .all(|one| one.severity == Severity::Note)
        );
        let said = patient.said_of_all().await;
        let poison = found(&said, "poison");
        assert_eq!(
            (poison.severity, poison.figure),
            (Severity::Warning, Some(1))
        );
        assert_eq!(poison.evidence.figures["entry"], queue.id(&old).to_string());
        let foreign = found(&said, "foreign-member");
        assert_eq!(foreign.evidence.figures["foreign_of_all"], 1);
        assert!(
            matches!(&foreign.repair.step, Step::Entry(_, entry) if entry.member.starts_with(b"{"))
        );
        let mixed = found(&said, "mixed-frames");
        assert_eq!(mixed.evidence.figures["older"], 1);
        assert_eq!(mixed.evidence.figures["newer"], 520);
        for member in [&old[..], b"{\"no\":\"frame\"}"] {
            patient.tear(member, true);
            patient.tear(member, false);
        }
        let said = patient.said_of_all().await;
        assert_eq!(said.findings, []);
    })
    .await;
}

#[tokio::test]
async fn frames_in_the_middle_of_target_and_bad_scores_are_counted() {
    let mut patient = Patient::new(20).await;
    let _client = Subscriber::new(&patient.server, &patient.queue);
    patient.fill(10);
    let target = patient.queue.keys().target;
    for i in 0..200 {
        let element = match i {
            90 | 91 => patient.member(Era::Newer, "framed"),
            _ => format!("good {i}").into_bytes(),
        };
        patient.server.cmd_bytes(&[b"RPUSH", &target, &element]);
    }
    for i in 0..130 {
        let member = patient.member(Era::Newer, &format!("negative {i}"));
        patient
            .server
            .put(&patient.queue.clone(), &member, &format!("-{}", i + 1));
    }
    let said = patient.said_of_all().await;
    let framed = found(&said, "framed-target");
    assert_eq!(
        (framed.figure, &framed.evidence.figures["first_place"]),
        (Some(2), &90.into())
    );
    let negative = found(&said, "score-range");
    assert_eq!(negative.figure, Some(130));
    assert_eq!(negative.repair.step, Step::Change(ChangeRequest::Score));
}

#[tokio::test]
async fn where_the_next_due_ones_stand_is_found_beyond_the_first_thousand() {
    let mut patient = Patient::new(1).await;
    let _client = Subscriber::new(&patient.server, &patient.queue);
    let now = patient.server.now();
    // The last offered fall due first.
    let due = |i: u64| now.plus(60_000_000 - i64::try_from(i).unwrap());
    patient.server.fill_with(&patient.queue, 12_000, due);
    patient.round().await;
    let exact = patient.examined().await;
    let places: Vec<u64> = exact.places.iter().map(|(_, place)| *place).collect();
    assert_eq!(places, (11_900..12_000).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_comes_or_goes_meanwhile_is_called_drift() {
    let patient = Patient::new(1).await;
    let now = patient.server.now();
    let long = std::env::var_os("LONG").is_some();
    let (count, times) = if long { (100_000, 20) } else { (12_000, 4) };
    patient.server.fill_with(&patient.queue, count, |i| {
        now.plus(-i64::try_from(i).unwrap())
    });
    let _clients = [patient.client(Era::Newer, 0), patient.client(Era::Newer, 0)];
    let stop = Arc::new(AtomicBool::new(false));
    let (stopped, mut offers, server) =
        (Arc::clone(&stop), offerer(&patient), patient.server.now());
    let offering = std::thread::spawn(move || {
        // Due at once: each of them passes through both while they are read.
        for id in 1_000_000.. {
            if stopped.load(Ordering::Relaxed) {
                return id - 1_000_000;
            }
            offers.offer(server, id, b"passing").unwrap();
        }
        0
    });
    for _ in 0..times {
        let exact = patient.examined().await;
        let drift = exact.drift.unwrap();
        assert!(drift.is_none() && !drift.at_least, "{drift:?}");
    }
    stop.store(true, Ordering::Relaxed);
    let offered = offering.join().unwrap();
    assert!(offered > 100, "{offered} offered");
    let left = patient.server.int(&[
        "ZCARD",
        str::from_utf8(&patient.queue.keys().timeouts).unwrap(),
    ]);
    assert!(
        left < i64::try_from(count + offered).unwrap(),
        "nothing left"
    );
}

#[tokio::test]
async fn a_look_that_is_given_up_reads_no_further_and_leaves_nothing_behind() {
    let server = Server::start_with(&["--enable-debug-command", "local"]);
    let patient = Patient::on(server, 1).await;
    patient.fill(30_000);
    let digest = || patient.server.cmd(&["DEBUG", "DIGEST"]);
    let before = digest();
    let mut told = examine(&patient.store, &patient.queue, 8);
    assert!(matches!(
        told.next().await,
        Some(Ok(ExaminationEvent::Progress { of: 60_000, .. }))
    ));
    drop(told);
    let reads = || {
        let Value::BulkString(info) = patient.server.cmd(&["INFO", "commandstats"]) else {
            panic!("no words")
        };
        let info = String::from_utf8(info).unwrap();
        let calls = |name: &str| {
            let line = info.lines().find(|line| line.starts_with(name))?;
            let calls = line.split_once("calls=")?.1.split(',').next()?;
            calls.parse::<u64>().ok()
        };
        calls("cmdstat_zscan:").unwrap_or(0) + calls("cmdstat_lrange:").unwrap_or(0)
    };
    let mut last = u64::MAX;
    until("it to end", || {
        let now = reads();
        std::mem::replace(&mut last, now) == now
    })
    .await;
    assert!(reads() < 20, "{} reads", reads());
    assert_eq!(digest(), before);
}
