use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

use super::*;

const DAY_MS: i64 = 86_400_000;

fn journal() -> (TempDir, Journal) {
    let home = tempfile::tempdir().unwrap();
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

fn head(change: Change) -> Head {
    Head {
        change,
        queue: b"orders".to_vec(),
        server: ServerId {
            server: "prod-1:6379/0".to_owned(),
            db: 0,
            run_id: "a".repeat(40),
            replication_id: "b".repeat(40),
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
            hash: (i % 2 == 0).then_some([n as u8; 20]),
        }
    };
    (from..from + count).map(item).collect()
}

fn happened(index: u64) -> Happened {
    let neighbour = vec![index as u8; 200];
    let places = [
        None,
        Some(Place::Head),
        Some(Place::Behind(neighbour)),
        Some(Place::Tail),
    ];
    Happened {
        index,
        outcome: Outcome::ALL[(index % 7) as usize],
        stood: places[(index % 4) as usize].clone(),
    }
}

fn tally(done: u64) -> Tally {
    let mut tally = Tally::default();
    tally.add(Outcome::Done, done);
    tally
}

/// A change that did `done` entries; its id.
async fn made(journal: &Journal, undoes: Option<&str>, done: u64) -> String {
    let head = Head {
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
async fn what_was_intended_and_happened_is_read_back_exactly() {
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Delete)).await.unwrap();
    let id = record.id().to_owned();
    record.intend(items(0, 2_345)).await.unwrap();
    // Out of order, over the border of two parts, and some of them never.
    let told: Vec<u64> = (0..2_300).rev().chain(2_310..2_320).collect();
    record
        .happened(told.iter().copied().map(happened).collect())
        .await
        .unwrap();
    record.intend(items(2_345, 5)).await.unwrap();
    record.happened(vec![happened(2_349)]).await.unwrap();
    record.end(tally(2_350)).await.unwrap();

    let read = journal.items(&id).await.unwrap();
    let (read_items, read_results): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    assert_eq!(read_items, items(0, 2_350));
    let expected = |i: u64| (told.contains(&i) || i == 2_349).then(|| happened(i));
    assert_eq!(read_results, (0..2_350).map(expected).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_last_result_of_an_item_holds() {
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Delete)).await.unwrap();
    let id = record.id().to_owned();
    record.intend(items(0, 1)).await.unwrap();
    for outcome in [Outcome::Unknown, Outcome::Done] {
        let result = Happened {
            outcome,
            ..happened(0)
        };
        record.happened(vec![result]).await.unwrap();
    }
    let read = journal.items(&id).await.unwrap();
    assert_eq!(read[0].1.as_ref().unwrap().outcome, Outcome::Done);
}

#[tokio::test]
async fn parts_are_read_from_either_end_and_there_is_none_behind_the_last() {
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Delete)).await.unwrap();
    record.intend(items(0, 2_500)).await.unwrap();
    let read = journal.read(record.id()).await.unwrap();
    assert_eq!((read.parts(), read.count(), read.unread()), (3, 2_500, 0));
    let last = read.part(2).await.unwrap();
    assert_eq!(last[499].0, items(2_499, 1)[0]);
    assert!(read.part(3).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_file_cut_at_any_byte_still_tells_what_was_whole() {
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Delete)).await.unwrap();
    let id = record.id().to_owned();
    let length = || fs::metadata(file(&journal, &id)).unwrap().len();
    record.intend(items(0, 3)).await.unwrap();
    let first = length();
    record
        .happened(vec![happened(0), happened(2)])
        .await
        .unwrap();
    let second = length();
    record.intend(items(3, 2)).await.unwrap();
    let whole = fs::read(file(&journal, &id)).unwrap();
    for cut in (0..whole.len()).rev() {
        fs::write(file(&journal, &id), &whole[..cut]).unwrap();
        let read = journal.read(&id).await.unwrap();
        let cut = cut as u64;
        assert_eq!(read.count(), if cut < first { 0 } else { 3 }, "at {cut}");
        let results = journal.items(&id).await.unwrap();
        let told = results.iter().filter(|(_, result)| result.is_some());
        assert_eq!(told.count(), if cut < second { 0 } else { 2 }, "at {cut}");
        let ends = [0, 8, first, second];
        assert_eq!(read.unread() == 0, ends.contains(&cut), "at {cut}");
    }
}

#[tokio::test]
async fn a_flipped_bit_is_never_read_as_an_entry() {
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Delete)).await.unwrap();
    let id = record.id().to_owned();
    record.intend(items(0, 3)).await.unwrap();
    let whole = fs::read(file(&journal, &id)).unwrap();
    for at in 8..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        fs::write(file(&journal, &id), &flipped).unwrap();
        let read = journal.read(&id).await.unwrap();
        assert_eq!(read.count(), 0, "at {at}");
        assert!(read.unread() > 0);
    }
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_refused() {
    let (_home, journal) = journal();
    let id = made(&journal, None, 1).await;
    fs::write(file(&journal, &id), b"dlyscop\x02").unwrap();
    let error = journal.items(&id).await.unwrap_err().to_string();
    assert!(error.contains("a newer delayscope"), "{error}");
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
async fn no_byte_of_an_entry_stands_among_the_heads() {
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Edit)).await.unwrap();
    let mut item = items(3, 1);
    item[0].member = Some(b"secret-payload".to_vec());
    record.intend(item).await.unwrap();
    record.end(tally(1)).await.unwrap();
    let text = fs::read_to_string(lines(&journal)).unwrap();
    assert!(!text.contains("secret"), "{text}");
}

#[tokio::test]
async fn everything_is_for_the_user_alone() {
    let (_home, journal) = journal();
    let id = made(&journal, None, 1).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(dir(&journal)), 0o700);
    assert_eq!(mode(&dir(&journal).join("changes")), 0o700);
    for path in [lines(&journal), file(&journal, &id)] {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
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

#[tokio::test]
async fn a_change_without_room_is_refused_and_leaves_nothing() {
    let (_home, journal) = journal();
    let huge = Head {
        bytes: u64::MAX / 2,
        ..head(Change::Delete)
    };
    let error = journal.begin(huge).await.unwrap_err().to_string();
    assert!(error.starts_with("there is no room for the journal"));
    assert!(ids(&journal).await.is_empty());
}

#[tokio::test]
async fn a_full_journal_refuses_changes_and_names_the_way_out() {
    let (_home, journal) = journal();
    let id = made(&journal, None, 1).await;
    let large = fs::OpenOptions::new()
        .write(true)
        .open(file(&journal, &id))
        .unwrap();
    // It takes no room: nothing but its length is written.
    large.set_len(4_000_000_000).unwrap();
    let error = journal.begin(head(Change::Delete)).await.unwrap_err();
    let error = error.to_string();
    assert!(error.contains("`delayscope journal purge`"), "{error}");
    let purged = journal.purge(None).await.unwrap();
    assert_eq!((purged.changes, purged.bytes), (1, 4_000_000_000));
    journal.begin(head(Change::Delete)).await.unwrap();
}

#[tokio::test]
async fn a_place_that_cannot_be_written_is_refused_and_reads_as_empty() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("file"), b"").unwrap();
    let journal = Journal::at(&home.path().join("file/delayscope"), 30);
    let error = journal.begin(head(Change::Delete)).await.unwrap_err();
    assert!(error.to_string().contains("cannot be written"), "{error}");
    let journal = Journal::at(&home.path().join("nothing/there"), 30);
    assert!(ids(&journal).await.is_empty());
    let nowhere = Journal {
        dir: None,
        keep_days: 30,
    };
    let error = nowhere.list().await.unwrap_err().to_string();
    assert!(error.contains("XDG_STATE_HOME"), "{error}");
}

#[tokio::test]
async fn old_changes_go_when_a_new_one_begins_save_those_that_never_ended() {
    let (_home, journal) = journal();
    let old = made(&journal, None, 1).await;
    drop(journal.begin(head(Change::Delete)).await.unwrap());
    let died = ids(&journal).await[0].clone();
    let young = made(&journal, None, 1).await;
    age(&journal, &old, 31);
    age(&journal, &died, 31);
    age(&journal, &young, 29);
    let new = made(&journal, None, 1).await;
    assert_eq!(ids(&journal).await, [new, young, died.clone()]);
    assert!(!file(&journal, &old).exists() && file(&journal, &died).exists());
}

#[tokio::test]
async fn a_purge_removes_what_is_older_and_never_what_is_under_way() {
    let (_home, journal) = journal();
    let old = made(&journal, None, 1).await;
    let young = made(&journal, None, 1).await;
    let mut running = journal.begin(head(Change::Delete)).await.unwrap();
    age(&journal, &old, 8);
    let week = local_now().plus(-7 * DAY_MS);
    let purged = journal.purge(Some(week)).await.unwrap();
    assert_eq!(purged.changes, 1);
    let running_id = running.id().to_owned();
    assert_eq!(ids(&journal).await, [running_id.clone(), young]);
    assert!(!file(&journal, &old).exists());
    fs::write(file(&journal, "0000000000"), b"stray").unwrap();
    assert_eq!(journal.purge(None).await.unwrap().changes, 1);
    assert_eq!(ids(&journal).await, [running_id.clone()]);
    let files = fs::read_dir(dir(&journal).join("changes")).unwrap();
    assert_eq!(files.count(), 1);
    running.intend(items(0, 3)).await.unwrap();
    running.end(tally(3)).await.unwrap();
    assert_eq!(journal.items(&running_id).await.unwrap().len(), 3);
}

#[test]
fn a_server_is_known_again_by_either_of_its_ids() {
    let id = |server: &str, db, run_id: &str, replication_id: &str| ServerId {
        server: server.to_owned(),
        db,
        run_id: run_id.to_owned(),
        replication_id: replication_id.to_owned(),
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
