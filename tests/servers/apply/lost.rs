//! The data goes amid a change, or what the journal keeps of one is damaged: it is said, and what
//! there is is taken back.

use delayscope::ops::apply::{ChangeEvent, Limits, apply};
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::plan::{Base, ChangeRequest, EntryChoice, NewDue};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::plan::Way;
use delayscope::queue::{Form, Outcome, Queue, Summary};

use crate::apply::bench::{Bench, Told};
use crate::support::PATIENCE;

/// A change of 90 entries during which something happens to the data, after its first batch. Behind
/// them `more` wait that are not due.
async fn amid_of(
    what: ChangeRequest,
    way: Way,
    more: u64,
    lose: impl FnOnce(&mut Bench),
) -> (Summary, String) {
    let mut bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(90, bench.server.now().plus(-900_000), 1_000);
    let later = bench.server.now().plus(900_000);
    for n in 91..=90 + more {
        let score = bench.queue.score(later).to_string();
        bench.server.put(&bench.queue, &bench.member(n), &score);
    }
    let all: Vec<u64> = (1..=90).collect();
    let which = match what {
        ChangeRequest::Transfer => EntryChoice::Due,
        ChangeRequest::Restore => {
            let keys = bench.queue.keys();
            let rename = [&b"RENAME"[..], &keys.timeouts, &keys.quarantine];
            bench.server.cmd_bytes(&rename);
            let order = keys.order.unwrap();
            bench.server.cmd_bytes(&[b"DEL", &order]);
            // What lets the list go round needs one.
            bench.server.put(&bench.queue, &bench.member(91), "9e12");
            EntryChoice::Selected(Selection {
                from: EntryPlace::Quarantined,
                ..Selection::default()
            })
        }
        _ => bench.entries(&all),
    };
    let mut prepared = bench.plan(what, which).await.unwrap();
    prepared.plan.way = way;
    let limits = Limits {
        per_s: Some(150.0),
        ..Limits::default()
    };
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    let (mut lose, mut failed) = (Some(lose), String::new());
    let hearing = async {
        loop {
            match applying.next().await.unwrap() {
                ChangeEvent::Results(_) => {
                    if let Some(lose) = lose.take() {
                        lose(&mut bench);
                    }
                }
                ChangeEvent::Failed(why) => failed = why,
                ChangeEvent::Ended(summary) => return summary,
                _ => {}
            }
        }
    };
    let summary = tokio::time::timeout(PATIENCE, hearing).await.unwrap();
    assert_eq!(summary.tally.sum(), 90, "{summary:?}");
    (summary, failed)
}

/// The same where nothing else waits.
async fn amid(what: ChangeRequest, way: Way, lose: impl FnOnce(&mut Bench)) -> (Summary, String) {
    amid_of(what, way, 0, lose).await
}

#[tokio::test]
async fn what_a_flush_removed_amid_a_change_was_not_moved_by_others() {
    let flush = |bench: &mut Bench| {
        bench.server.cmd(&["FLUSHALL"]);
    };
    let later = ChangeRequest::Requeue(NewDue {
        base: Base::In(900_000),
        spread_ms: 0,
    });
    let repack = ChangeRequest::Repack(Some(Form::DoubleId));
    let changes = [
        (ChangeRequest::Delete, Way::InOrder),
        (ChangeRequest::Delete, Way::Sweep),
        (ChangeRequest::Deliver, Way::InOrder),
        (ChangeRequest::Deliver, Way::Swap),
        (ChangeRequest::Transfer, Way::InOrder),
        (ChangeRequest::Transfer, Way::Swap),
        (later, Way::InOrder),
        (repack.clone(), Way::InOrder),
        (repack, Way::Sweep),
        (ChangeRequest::Quarantine, Way::InOrder),
        (ChangeRequest::Quarantine, Way::Sweep),
        (ChangeRequest::Restore, Way::InOrder),
        (ChangeRequest::Restore, Way::Sweep),
    ];
    for (what, way) in changes {
        let (summary, failed) = amid(what.clone(), way, flush).await;
        let said = failed.contains("the data of orders is gone") && failed.contains("FLUSHALL");
        assert!(said, "{what:?} {way:?}: {failed:?} {summary:?}");
        assert_eq!(summary.tally.get(Outcome::Gone), 0, "{what:?}: {summary:?}");
    }
}

#[tokio::test]
async fn what_was_lost_between_the_plan_and_its_first_script_was_not_moved_by_others() {
    let flush: fn(&mut Bench) = |bench| {
        bench.server.cmd(&["FLUSHALL"]);
    };
    let restart: fn(&mut Bench) = |bench| bench.server.restart_with(&[]);
    let losses = [(flush, "FLUSHALL"), (restart, "was started anew")];
    for (what, (lose, why)) in [
        ChangeRequest::Delete,
        ChangeRequest::Deliver,
        ChangeRequest::Transfer,
    ]
    .into_iter()
    .flat_map(|what| losses.map(|loss| (what.clone(), loss)))
    {
        let mut bench = Bench::new(&Queue::redisson("orders")).await;
        bench.fill(90, bench.server.now().plus(-900_000), 1_000);
        let all: Vec<u64> = (1..=90).collect();
        let which = match what {
            ChangeRequest::Transfer => EntryChoice::Due,
            _ => bench.entries(&all),
        };
        let prepared = bench.plan(what.clone(), which).await.unwrap();
        lose(&mut bench);
        let told = bench.apply(prepared, Limits::default()).await;
        let failed = told.failed.unwrap_or_default();
        assert!(
            failed.contains(why),
            "{what:?} {why}: {failed} {:?}",
            told.summary
        );
        assert_eq!(told.summary.tally.get(Outcome::Gone), 0, "{what:?}");
        assert_eq!(told.summary.tally.get(Outcome::Unknown), 90, "{what:?}");
    }
}

#[tokio::test]
async fn what_a_restart_has_lost_amid_a_change_was_not_moved_by_others() {
    let changes = [
        (ChangeRequest::Delete, Way::InOrder),
        (ChangeRequest::Delete, Way::Sweep),
        (ChangeRequest::Transfer, Way::InOrder),
        (ChangeRequest::Transfer, Way::Swap),
        (ChangeRequest::Transfer, Way::SetAside),
        (ChangeRequest::Quarantine, Way::Sweep),
    ];
    for (what, way) in changes {
        let restart = |bench: &mut Bench| bench.server.restart_with(&[]);
        let (summary, failed) = amid(what.clone(), way, restart).await;
        let said = failed.contains("was started anew");
        assert!(said, "{what:?} {way:?}: {failed:?} {summary:?}");
        assert_eq!(summary.tally.get(Outcome::Gone), 0, "{summary:?}");
        let mut said = summary.notes.iter();
        let noted = said.any(|note| note.contains("started anew"));
        assert!(noted, "{:?}", summary.notes);
    }
}

#[tokio::test]
async fn a_flush_is_seen_also_where_something_new_was_offered_at_once() {
    let flush = |bench: &mut Bench| {
        let keys = bench.queue.keys();
        let member = bench.member(91);
        redis::pipe()
            .atomic()
            .cmd("FLUSHALL")
            .zadd(&keys.timeouts, &member, 4e12)
            .rpush(keys.order.unwrap(), &member)
            .exec(&mut bench.server.connection())
            .unwrap();
    };
    let changes = [
        (ChangeRequest::Delete, Way::InOrder),
        (ChangeRequest::Transfer, Way::InOrder),
        (ChangeRequest::Transfer, Way::SetAside),
    ];
    for (what, way) in changes {
        let (summary, failed) = amid(what.clone(), way, flush).await;
        assert!(failed.contains("FLUSHALL"), "{what:?}: {failed}");
        assert_eq!(summary.tally.get(Outcome::Gone), 0, "{what:?}: {summary:?}");
    }
}

#[tokio::test]
async fn what_left_with_timeouts_alone_was_not_moved_by_others() {
    let loss = |command: &'static [&'static str]| {
        move |bench: &mut Bench| {
            let timeouts = bench.queue.keys().timeouts;
            let mut words = vec![command[0].as_bytes(), &timeouts];
            words.extend(command[1..].iter().map(|word| word.as_bytes()));
            bench.server.cmd_bytes(&words);
        }
    };
    let losses: [&'static [&'static str]; 3] = [&["DEL"], &["PEXPIRE", "1"], &["RENAME", "other"]];
    let changes = [
        (ChangeRequest::Delete, Way::InOrder),
        (ChangeRequest::Deliver, Way::InOrder),
        (ChangeRequest::Transfer, Way::InOrder),
        // An order list that is aside keeps what was moved: what is not due tells.
        (ChangeRequest::Transfer, Way::SetAside),
    ];
    for (command, (what, way)) in losses.iter().cycle().zip(changes) {
        let (summary, failed) = amid_of(what.clone(), way, 20, loss(command)).await;
        assert!(
            failed.contains("timeouts"),
            "{what:?} {command:?}: {failed}"
        );
        assert!(failed.contains("that nobody has transferred"), "{failed}");
        assert_eq!(summary.tally.get(Outcome::Gone), 0, "{what:?}: {summary:?}");
        assert!(summary.tally.get(Outcome::Unknown) > 0, "{summary:?}");
    }
}

/// As clients of Redisson do it, which find no order list while that is aside; another database is flushed
/// beside them.
#[tokio::test]
async fn what_others_transferred_is_told_as_moved_on() {
    let others = |bench: &mut Bench| {
        let keys = bench.queue.keys();
        let mut pipe = redis::pipe();
        pipe.atomic()
            .cmd("SELECT")
            .arg(1)
            .cmd("FLUSHDB")
            .cmd("SELECT")
            .arg(0);
        for n in 1..=90 {
            let member = bench.member(n);
            pipe.zrem(&keys.timeouts, &member);
            pipe.rpush(&keys.target, format!("entry {n}"));
            pipe.lrem(keys.order.as_ref().unwrap(), 1, &member);
        }
        pipe.exec(&mut bench.server.connection()).unwrap();
    };
    let changes = [
        (ChangeRequest::Delete, Way::InOrder),
        (ChangeRequest::Transfer, Way::InOrder),
        (ChangeRequest::Transfer, Way::SetAside),
    ];
    for (more, (what, way)) in [0, 20, 20].into_iter().zip(changes) {
        let (summary, failed) = amid_of(what.clone(), way, more, others).await;
        assert_eq!(failed, "", "{what:?}");
        assert!(
            summary.tally.get(Outcome::Gone) > 0,
            "{what:?}: {summary:?}"
        );
        assert_eq!(summary.tally.get(Outcome::Unknown), 0, "{summary:?}");
    }
}

/// What a record of the journal's file of a change holds, by the first byte of its body.
const INTENTS: u8 = 1;
const RESULTS: u8 = 2;
const TRIES: u8 = 3;

/// Where the bodies of the records of that kind begin: each after its length and checksum.
fn records(file: &[u8], kind: u8) -> Vec<usize> {
    let (mut bodies, mut at) = (Vec::new(), 8);
    while at < file.len() {
        let length = u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        bodies.push(at + 8);
        at += 8 + length as usize;
    }
    bodies.retain(|body| file[*body] == kind);
    bodies
}

/// 3,000 entries deleted, and the first or the last record of that kind damaged in the journal's
/// file of it.
async fn damaged(kind: u8, last: bool) -> (Bench, String) {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(3_000, bench.server.now().plus(900_000), 1);
    let found = EntryChoice::Selected(delayscope::ops::entries::Selection::default());
    let (_, told) = bench.change(ChangeRequest::Delete, found).await;
    assert_eq!(told.count(Outcome::Done), 3_000);
    let id = told.summary.journal_id.unwrap();
    let path = bench.dir().join("changes").join(&id);
    let mut bytes = std::fs::read(&path).unwrap();
    let bodies = records(&bytes, kind);
    assert!(bodies.len() > 1, "{bodies:?}");
    let at = if last { bodies.last() } else { bodies.first() };
    bytes[at.unwrap() + 2] ^= 0x55;
    std::fs::write(path, bytes).unwrap();
    (bench, id)
}

/// What the undo of such a change did to all 3,000, and what it noted of the damage.
async fn undo_of_damaged(kind: u8, last: bool) -> (Told, String) {
    let (bench, id) = damaged(kind, last).await;
    let prepared = plan_undo(&bench.store, &bench.journal, Some(&*id), false);
    let prepared = prepared.await.unwrap();
    let warned = prepared.plan.warnings.iter().any(|w| w.contains("damaged"));
    assert!(warned, "{:?}", prepared.plan.warnings);
    let told = bench.apply(prepared, Limits::default()).await;
    let back = told.count(Outcome::Done);
    assert!(back > 0, "{:?}", told.summary);
    assert_eq!(bench.contents().timeouts.len() as u64, back);
    assert_eq!(told.summary.tally.sum(), 3_000, "{:?}", told.summary);
    let mut notes = told.summary.notes.iter();
    let note = notes.find(|note| note.contains("damaged"));
    let note = note.unwrap_or_else(|| panic!("{:?}", told.summary)).clone();
    (told, note)
}

#[tokio::test]
async fn of_a_damaged_journal_what_can_be_read_is_taken_back_and_the_rest_is_said() {
    for last in [false, true] {
        let (told, note) = undo_of_damaged(INTENTS, last).await;
        assert_eq!(told.count(Outcome::Done), 2_000, "{:?}", told.summary);
        assert_eq!(told.count(Outcome::Refused), 1_000, "{note}");
        assert!(note.contains("1,000 entries are lost"), "{note}");
    }
    // Which entries there were is still known: those without a result are in doubt.
    let (told, note) = undo_of_damaged(RESULTS, false).await;
    let refused = told.count(Outcome::Refused);
    assert!(refused > 0, "{:?}", told.summary);
    assert_eq!(told.count(Outcome::Done), 3_000 - refused);
    assert!(note.contains("No entry is lost"), "{note}");
}

#[tokio::test]
async fn what_was_told_but_could_not_be_written_is_no_damage() {
    let (bench, id) = damaged(INTENTS, true).await;
    let path = bench.dir().join("changes").join(&id);
    let bytes = std::fs::read(&path).unwrap();
    let last = *records(&bytes, INTENTS).last().unwrap();
    std::fs::write(path, &bytes[..last - 8]).unwrap();
    let prepared = plan_undo(&bench.store, &bench.journal, Some(&*id), false);
    let told = bench
        .apply(prepared.await.unwrap(), Limits::default())
        .await;
    assert_eq!(told.count(Outcome::Refused), 3_000, "{:?}", told.summary);
    let notes = told.summary.notes.join(" ");
    assert!(notes.contains("3,000 entries that the change"), "{notes}");
    assert!(!notes.contains("damaged"), "{notes}");
}

/// The last result is missing as it is when a program is killed; what scripts tried is told by
/// what became of it.
#[tokio::test]
async fn damage_to_what_the_rest_of_a_journal_tells_keeps_nothing_from_coming_back() {
    for (kind, last) in [(RESULTS, true), (TRIES, false), (TRIES, true)] {
        let (told, note) = undo_of_damaged(kind, last).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.summary);
        assert!(note.contains("No entry is lost"), "{note}");
    }
}
