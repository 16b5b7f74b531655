//! Tests of whose the journal is, what it has room for, what goes and what stays.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

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
async fn a_folder_that_others_may_write_takes_and_tells_no_change_and_says_how_to_close_it() {
    let (_home, journal) = journal();
    made(&journal, None, 1).await;
    for open in [dir(&journal).to_owned(), dir(&journal).join("changes")] {
        let set = |mode| fs::set_permissions(&open, fs::Permissions::from_mode(mode)).unwrap();
        for mode in [0o777, 0o770, 0o1777] {
            set(mode);
            let error = journal.begin(head(Change::Delete)).await.unwrap_err();
            let way_out = format!("`chmod go-w {}`", open.display());
            assert!(error.to_string().contains(&way_out), "{error}");
            // What is read there may be another's, and would be taken back.
            let error = journal.list().await.unwrap_err();
            assert!(error.to_string().contains(&way_out), "{error}");
        }
        set(0o755);
        journal.begin(head(Change::Delete)).await.unwrap();
    }
}

#[tokio::test]
async fn no_link_leads_to_the_journal_but_one_may_lead_to_its_home() {
    for name in ["journal.jsonl", "journal.lock", "changes"] {
        let (home, journal) = journal();
        fs::create_dir(dir(&journal)).unwrap();
        fs::set_permissions(dir(&journal), fs::Permissions::from_mode(0o700)).unwrap();
        let theirs = home.path().join("theirs");
        fs::create_dir(&theirs).unwrap();
        fs::write(theirs.join("file"), b"precious").unwrap();
        let target = if name == "changes" {
            theirs.clone()
        } else {
            theirs.join("file")
        };
        std::os::unix::fs::symlink(target, dir(&journal).join(name)).unwrap();
        let error = journal.begin(head(Change::Delete)).await.err();
        let error = error.map(|why| why.to_string()).unwrap_or_default();
        assert!(error.contains("is a link"), "{name}: {error}");
        assert_eq!(fs::read(theirs.join("file")).unwrap(), b"precious");
        assert_eq!(fs::read_dir(&theirs).unwrap().count(), 1);
    }
    let (home, _) = journal();
    fs::create_dir(home.path().join("real")).unwrap();
    std::os::unix::fs::symlink(home.path().join("real"), home.path().join("home")).unwrap();
    let journal = Journal::at(&home.path().join("home/delayscope"), 30);
    journal.begin(head(Change::Delete)).await.unwrap();
}

#[tokio::test]
async fn a_change_without_room_is_refused_and_leaves_nothing() {
    let (_home, journal) = journal();
    let huge = JournalHead {
        bytes: u64::MAX / 2,
        ..head(Change::Delete)
    };
    let error = journal.begin(huge).await.unwrap_err().to_string();
    assert!(error.starts_with("there is no room for the journal"));
    assert!(ids(&journal).await.is_empty());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn room_for_the_results_is_taken_with_the_intents_and_given_back() {
    use std::os::unix::fs::MetadataExt as _;
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Delete)).await.unwrap();
    let path = file(&journal, record.id());
    let sizes = || {
        let file = fs::metadata(&path).unwrap();
        (file.blocks() * 512, file.len())
    };
    record.intend(items(0, 2_000)).await.unwrap();
    let (taken, written) = sizes();
    assert!(taken > written + 2_000 * 32, "{taken} {written}");
    record.end(Tally::default()).await.unwrap();
    let (taken, written) = sizes();
    assert!(taken < written + 16_384, "{taken} {written}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn room_for_what_a_script_chooses_itself_is_taken_before_it_is_sent() {
    use std::os::unix::fs::MetadataExt as _;
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Transfer)).await.unwrap();
    let path = file(&journal, record.id());
    let taken = || fs::metadata(&path).unwrap().blocks() * 512;
    for lost in [0, 40] {
        record.untold(lost, 2_000).await.unwrap();
        let before = taken();
        let moved = items(0, 2_000).into_iter().map(|item| Item {
            score: Some(1.0),
            member: None,
            new_score: None,
            new_member: None,
            hash: Some([0; 20]),
            ..item
        });
        record.done(moved.collect()).await.unwrap();
        assert_eq!(taken(), before, "it was there before the script");
    }
    record.end(Tally::default()).await.unwrap();
    let written = fs::metadata(&path).unwrap().len();
    assert!(taken() < written + 16_384, "{} {written}", taken());
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
    assert!(error.contains("journal purge --older-than 7d`"), "{error}");
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
    assert_eq!(ids(&journal).await, std::slice::from_ref(&running_id));
    let files = fs::read_dir(dir(&journal).join("changes")).unwrap();
    assert_eq!(files.count(), 1);
    running.intend(items(0, 3)).await.unwrap();
    running.end(tally(3)).await.unwrap();
    assert_eq!(journal.items(&running_id).await.unwrap().len(), 3);
}
