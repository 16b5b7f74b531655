mod death;
mod entries;
mod upkeep;

use std::fs;

use tempfile::TempDir;

use super::*;

const DAY_MS: i64 = 86_400_000;

fn journal() -> (TempDir, Journal) {
    // In memory where there is such a place: of a disk there is asked to be sure of every line.
    let in_memory = tempfile::tempdir_in("/dev/shm");
    let home = in_memory.or_else(|_| tempfile::tempdir()).unwrap();
    let journal = Journal::at(&home.path().join("delayscope"), 30);
    (home, journal)
}

fn dir(journal: &Journal) -> &Path {
    journal.dir.as_deref().unwrap()
}

fn lines(journal: &Journal) -> PathBuf {
    dir(journal).join("journal.jsonl")
}

fn file(journal: &Journal, id: &str) -> PathBuf {
    dir(journal).join("changes").join(id)
}

fn head(change: Change) -> JournalHead {
    JournalHead {
        change,
        queue: b"orders".to_vec(),
        server: ServerId {
            server: "prod-1:6379/0".to_owned(),
            db: 0,
            run_id: "a".repeat(40),
            replication_id: "b".repeat(40),
            former_replication_id: String::new(),
            nodes: Vec::new(),
            sentinels: Vec::new(),
        },
        planned: 3,
        bound: Some(EpochMillis::new(1_700_000_000_000)),
        undoes: None,
        bytes: 1_000,
    }
}

/// Items of all shapes.
fn items(from: u64, count: u64) -> Vec<Item> {
    let states = [
        State::Waiting,
        State::Late,
        State::Delivered,
        State::Order,
        State::Quarantined,
    ];
    let scores = [1.7e12, -0.0, f64::INFINITY, f64::MIN_POSITIVE, -5.0];
    let forms = [None].into_iter().chain(Form::ALL.map(Some));
    let forms: Vec<Option<Form>> = forms.collect();
    let item = |n: u64| {
        let i = (n % 5) as usize;
        let bytes = n.to_le_bytes().repeat(i * 40);
        Item {
            id: EntryId(n.to_be_bytes()),
            state: states[i],
            score: (i > 0).then_some(scores[i]),
            member: (i != 2).then_some(bytes),
            new_score: (i == 3).then_some(1.5),
            new_member: (i > 2).then(|| b"\x00\xffnew".to_vec()),
            form: forms[i],
            hash: i.is_multiple_of(2).then_some([n.to_le_bytes()[0]; 20]),
            to_quarantine: i % 3 == 1,
        }
    };
    (from..from + count).map(item).collect()
}

fn happened(index: u64) -> ItemResult {
    let neighbour = vec![index.to_le_bytes()[0]; 200];
    let places = [
        None,
        Some(ListPlace::Head),
        Some(ListPlace::Behind(neighbour.clone())),
        Some(ListPlace::Tail),
        Some(ListPlace::BehindNth(neighbour, index)),
    ];
    ItemResult {
        index,
        outcome: Outcome::ALL[(index % 7) as usize],
        stood: places[(index % 5) as usize].clone(),
    }
}

fn tally(done: u64) -> Tally {
    let mut tally = Tally::default();
    tally.add(Outcome::Done, done);
    tally
}

/// A change that did `done` entries; its id.
async fn made(journal: &Journal, undoes: Option<&str>, done: u64) -> String {
    let head = JournalHead {
        undoes: undoes.map(str::to_owned),
        ..head(Change::Delete)
    };
    let record = journal.begin(head).await.unwrap();
    let id = record.id().to_owned();
    record.end(tally(done)).await.unwrap();
    id
}

/// Lets a change have begun so many days ago.
fn age(journal: &Journal, id: &str, days: i64) {
    let text = fs::read_to_string(lines(journal)).unwrap();
    let aged = text.lines().map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        if line["id"] == id && line["began"].is_object() {
            line["began"]["at_ms"] = (local_now().get() - days * DAY_MS).into();
        }
        format!("{line}\n")
    });
    fs::write(lines(journal), aged.collect::<String>()).unwrap();
}

async fn ids(journal: &Journal) -> Vec<String> {
    let list = journal.list().await.unwrap();
    list.into_iter().map(|kept| kept.id).collect()
}

#[tokio::test]
async fn a_change_is_listed_with_who_what_where_and_how_it_ended() {
    let (_home, journal) = journal();
    let first = made(&journal, None, 3).await;
    let mut other = head(Change::Transfer);
    other.queue = b"\xffodd".to_vec();
    let record = journal.begin(other.clone()).await.unwrap();
    let list = journal.list().await.unwrap();
    assert_eq!(list[0].id, record.id());
    assert_eq!(list[0].head, other);
    assert_eq!((list[0].ended, list[0].under_way), (None, true));
    assert_eq!(list[1].id, first);
    assert_eq!(list[1].head, head(Change::Delete));
    assert_eq!((list[1].ended, list[1].under_way), (Some(tally(3)), false));
    let version = concat!(", delayscope ", env!("CARGO_PKG_VERSION"));
    assert!(list[0].who.contains('@') && list[0].who.ends_with(version));
    assert!(local_now().since(list[0].at) < 60_000);
}

#[tokio::test]
async fn a_change_that_died_is_never_ended_and_not_under_way() {
    let (_home, journal) = journal();
    drop(journal.begin(head(Change::Delete)).await.unwrap());
    let list = journal.list().await.unwrap();
    assert_eq!((list[0].ended, list[0].under_way), (None, false));
}

#[tokio::test]
async fn an_undo_marks_what_it_took_back_and_a_redo_unmarks_it() {
    let (_home, journal) = journal();
    let change = made(&journal, None, 3).await;
    let marks = async || {
        let list = journal.list().await.unwrap();
        let marks = list.into_iter().rev().map(|kept| kept.undone_by);
        marks.collect::<Vec<_>>()
    };
    // One that did nothing, and one that was not ended, mark nothing.
    let vain = made(&journal, Some(&change), 0).await;
    assert_eq!(marks().await, [None, None]);
    let undo = made(&journal, Some(&change), 2).await;
    assert_eq!(marks().await, [Some(undo.clone()), None, None]);
    let redo = made(&journal, Some(&undo), 2).await;
    assert_eq!(marks().await, [None, None, Some(redo.clone()), None]);
    let again = made(&journal, Some(&redo), 2).await;
    let expected = [Some(undo), None, None, Some(again), None];
    assert_eq!(marks().await, expected);
    assert_ne!(vain, change);
}

#[tokio::test]
async fn a_change_is_found_by_the_beginning_of_its_id() {
    let (_home, journal) = journal();
    let (first, second) = (made(&journal, None, 1).await, made(&journal, None, 1).await);
    assert_eq!(journal.find(&first).await.unwrap().id, first);
    let own = (1..10).find(|n| first[..*n] != second[..*n]).unwrap();
    assert_eq!(journal.find(&first[..own]).await.unwrap().id, first);
    let error = journal.find(&first[..2]).await.unwrap_err().to_string();
    assert!(error.starts_with("2 changes begin with"), "{error}");
    for none in ["zzzzzzzzzz", "../../etc", ""] {
        let error = journal.find(none).await.unwrap_err().to_string();
        assert!(error.starts_with("the journal holds no change"), "{error}");
    }
}

#[tokio::test]
async fn a_torn_line_takes_no_other_with_it() {
    let (_home, journal) = journal();
    let first = made(&journal, None, 3).await;
    let whole = fs::read(lines(&journal)).unwrap();
    let head_end = 1 + whole.iter().position(|byte| *byte == b'\n').unwrap();
    for cut in 0..whole.len() {
        fs::write(lines(&journal), &whole[..cut]).unwrap();
        let record = journal.begin(head(Change::Kick)).await.unwrap();
        let list = journal.list().await.unwrap();
        assert_eq!(list[0].id, record.id(), "at {cut}");
        // Its own line may lack the line end.
        let first_stands = cut + 1 >= head_end;
        assert_eq!(list.len(), 1 + usize::from(first_stands), "at {cut}");
        if first_stands {
            assert_eq!(list[1].id, first);
            assert_eq!(list[1].ended.is_some(), cut + 1 == whole.len(), "at {cut}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_write_at_once_and_no_line_is_lost() {
    let (_home, journal) = journal();
    let writers = (0..8).map(|_| {
        let journal = Journal::at(dir(&journal), 30);
        tokio::spawn(async move {
            for _ in 0..10 {
                made(&journal, None, 1).await;
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let list = journal.list().await.unwrap();
    assert_eq!(list.len(), 80);
    assert!(list.iter().all(|kept| kept.ended == Some(tally(1))));
}

#[test]
fn a_server_is_known_again_by_either_of_its_ids() {
    let id = |server: &str, db, run_id: &str, replication_id: &str| ServerId {
        server: server.to_owned(),
        db,
        run_id: run_id.to_owned(),
        replication_id: replication_id.to_owned(),
        former_replication_id: String::new(),
        nodes: Vec::new(),
        sentinels: Vec::new(),
    };
    let here = id("a:1/0", 0, "run", "repl");
    for same in [
        id("b:2/0", 0, "run", "other"),
        id("b:2/0", 0, "other", "repl"),
        id("b:2/0", 0, "", "repl"),
        id("a:1/0", 0, "", ""),
    ] {
        assert!(!here.differs_from(&same), "{same:?}");
    }
    for other in [
        id("a:1/0", 0, "other", "another"),
        id("a:1/0", 0, "other", ""),
        id("a:1/1", 1, "run", "repl"),
        id("b:2/0", 0, "", ""),
    ] {
        assert!(here.differs_from(&other), "{other:?}");
    }
}

#[test]
fn a_server_that_took_over_in_a_failover_is_the_one_whose_place_it_has_taken() {
    let before = ServerId {
        server: "a:1/0".to_owned(),
        run_id: "a".repeat(40),
        replication_id: "1".repeat(40),
        ..ServerId::default()
    };
    let after = ServerId {
        server: "b:2/0".to_owned(),
        run_id: "b".repeat(40),
        replication_id: "2".repeat(40),
        former_replication_id: "1".repeat(40),
        ..ServerId::default()
    };
    assert!(!after.differs_from(&before) && !before.differs_from(&after));
    let stranger = ServerId {
        former_replication_id: "3".repeat(40),
        ..after
    };
    assert!(stranger.differs_from(&before));
}

#[test]
fn a_master_is_known_again_by_any_sentinel_that_watches_it_by_the_same_name() {
    let of = |run_id: &str, sentinels: &[&str]| ServerId {
        run_id: run_id.repeat(40),
        sentinels: sentinels.iter().map(|one| (*one).to_owned()).collect(),
        ..ServerId::default()
    };
    let before = of("a", &["a:26379/orders", "b:26379/orders"]);
    assert!(!of("b", &["b:26379/orders"]).differs_from(&before));
    assert!(of("b", &["b:26379/others"]).differs_from(&before));
    assert!(of("b", &[]).differs_from(&before));
}

#[tokio::test]
async fn a_change_is_of_the_server_that_it_ended_on_too() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::at(dir.path(), 30);
    let record = journal.begin(head(Change::Delete)).await.unwrap();
    // Two failovers amid it: the second one's former id is that of the first one.
    let last = ServerId {
        run_id: "c".repeat(40),
        replication_id: "3".repeat(40),
        former_replication_id: "2".repeat(40),
        ..ServerId::default()
    };
    record.end_on(tally(3), Some(last.clone())).await.unwrap();
    let kept = journal.list().await.unwrap().remove(0);
    assert!(last.differs_from(&kept.head.server));
    assert!(kept.is_of(&last) && kept.is_of(&kept.head.server));
    let stranger = ServerId {
        run_id: "d".repeat(40),
        ..ServerId::default()
    };
    assert!(!kept.is_of(&stranger));
}

#[test]
fn a_cluster_is_known_again_by_any_of_its_nodes() {
    let of = |run_id: &str, nodes: &[&str]| ServerId {
        run_id: run_id.repeat(40),
        nodes: nodes.iter().map(|node| (*node).to_owned()).collect(),
        ..ServerId::default()
    };
    let before = of("a", &["one", "two"]);
    assert!(!of("b", &["two", "three"]).differs_from(&before));
    assert!(of("b", &["three"]).differs_from(&before));
    assert!(of("b", &[]).differs_from(&before));
}
