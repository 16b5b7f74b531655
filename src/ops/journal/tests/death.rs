//! Tests of what a journal says of a change that died: which entries are as they were, which are in
//! doubt.

use std::ops::Range;

use super::*;

/// Returns the outcome of each item.
async fn outcomes(journal: &Journal, id: &str) -> Vec<Option<Outcome>> {
    let items = journal.items(id).await.unwrap();
    let outcome = |(_, happened): (Item, Option<ItemResult>)| Some(happened?.outcome);
    items.into_iter().map(outcome).collect()
}

fn done(index: u64) -> ItemResult {
    ItemResult {
        index,
        outcome: Outcome::Done,
        stood: None,
    }
}

fn only(items: Range<u64>) -> Vec<Range<u64>> {
    std::iter::once(items).collect()
}

const DONE: Option<Outcome> = Some(Outcome::Done);
const LEFT: Option<Outcome> = Some(Outcome::Left);

/// A change of eight entries that died: a batch is done, the next one was about to be tried.
async fn died(journal: &Journal) -> String {
    let mut record = journal.begin(head(Change::Delete)).await.unwrap();
    let id = record.id().to_owned();
    record.trying(Vec::new(), Tries::Some).await.unwrap();
    record.intend(items(0, 8)).await.unwrap();
    record.trying(vec![4..6, 0..1], Tries::Some).await.unwrap();
    let told = [5, 0].map(done).to_vec();
    record.happened(told).await.unwrap();
    record.trying(vec![1..2, 6..7], Tries::Some).await.unwrap();
    id
}

#[tokio::test]
async fn of_a_change_that_died_only_what_its_last_script_tried_is_in_doubt() {
    let (_home, journal) = journal();
    let id = died(&journal).await;
    // The fourth was tried, and the script that was answered has not done it.
    let told = [DONE, None, LEFT, LEFT, LEFT, DONE, None, LEFT];
    assert_eq!(outcomes(&journal, &id).await, told);
    assert!(journal.read(&id).await.unwrap().is_last_script_known());
}

#[tokio::test]
async fn what_was_tried_by_a_script_without_an_answer_stays_in_doubt_beside_the_next_one() {
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Delete)).await.unwrap();
    record.intend(items(0, 3)).await.unwrap();
    record.trying(only(0..1), Tries::Some).await.unwrap();
    record.trying(only(1..2), Tries::SomeBeside).await.unwrap();
    let id = record.id().to_owned();
    drop(record);
    assert_eq!(outcomes(&journal, &id).await, [None, None, LEFT]);
}

#[tokio::test]
async fn nothing_was_tried_before_the_first_script() {
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Delete)).await.unwrap();
    record.trying(Vec::new(), Tries::Some).await.unwrap();
    record.intend(items(0, 2)).await.unwrap();
    let id = record.id().to_owned();
    drop(record);
    assert_eq!(outcomes(&journal, &id).await, [LEFT; 2]);
}

#[tokio::test]
async fn while_a_change_is_under_way_nothing_is_said_of_what_it_has_not_come_to() {
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Delete)).await.unwrap();
    record.trying(Vec::new(), Tries::Some).await.unwrap();
    record.intend(items(0, 2)).await.unwrap();
    assert_eq!(outcomes(&journal, record.id()).await, [None; 2]);
}

/// The record of what was tried is with the operating system before its script goes, which is no
/// help when that dies too.
#[tokio::test]
async fn when_the_machine_was_started_anew_all_without_a_result_is_in_doubt() {
    let (_home, journal) = journal();
    let id = died(&journal).await;
    let text = fs::read_to_string(lines(&journal)).unwrap();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let other = text.replace(boot.trim(), "another-start");
    assert_ne!(text, other);
    fs::write(lines(&journal), other).unwrap();
    let told = [DONE, None, None, None, None, DONE, None, None];
    assert_eq!(outcomes(&journal, &id).await, told);
    assert!(!journal.read(&id).await.unwrap().is_last_script_known());
}

#[tokio::test]
async fn a_journal_of_a_version_that_did_not_say_what_it_tried_leaves_all_in_doubt() {
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Delete)).await.unwrap();
    record.intend(items(0, 2)).await.unwrap();
    record.happened(vec![done(1)]).await.unwrap();
    let id = record.id().to_owned();
    drop(record);
    assert_eq!(outcomes(&journal, &id).await, [None, DONE]);
}

#[tokio::test]
async fn what_a_script_may_have_moved_untold_is_known_by_its_number() {
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Transfer)).await.unwrap();
    let id = record.id().to_owned();
    let untold = async || journal.read(&id).await.unwrap().untold();
    record.trying(Vec::new(), Tries::Some).await.unwrap();
    record.untold(0, 500).await.unwrap();
    record.done(items(0, 2)).await.unwrap();
    record.untold(0, 300).await.unwrap();
    // That one's answer never came: 40 had left.
    record.untold(40, 200).await.unwrap();
    record.done(items(2, 3)).await.unwrap();
    assert_eq!(untold().await, None, "it is under way");
    record.untold(40, 100).await.unwrap();
    drop(record);
    assert_eq!(untold().await, Some(140));
}

#[tokio::test]
async fn what_stands_around_damaged_bytes_is_read_and_they_are_counted() {
    let (_home, journal) = journal();
    let mut record = journal.begin(head(Change::Delete)).await.unwrap();
    let id = record.id().to_owned();
    let length = || fs::read(file(&journal, &id)).unwrap().len();
    record.trying(Vec::new(), Tries::Some).await.unwrap();
    record.intend(items(0, 10)).await.unwrap();
    let from = length();
    record.intend(items(10, 10)).await.unwrap();
    let to = length();
    record.trying(only(0..20), Tries::Some).await.unwrap();
    record.happened((0..20).map(done).collect()).await.unwrap();
    record.intend(items(20, 5)).await.unwrap();
    drop(record);
    let whole = fs::read(file(&journal, &id)).unwrap();
    for at in (from..to).step_by(5) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x21;
        fs::write(file(&journal, &id), &damaged).unwrap();
        let read = journal.read(&id).await.unwrap();
        assert_eq!((read.count(), read.unread()), (15, 0), "at {at}");
        assert_eq!(read.damaged(), (to - from) as u64, "at {at}");
        let told = outcomes(&journal, &id).await;
        // What was damaged may have said what was tried.
        assert_eq!(told, [[DONE; 10].as_slice(), &[None; 5]].concat());
    }
}

#[tokio::test]
async fn damaged_lines_of_the_list_are_told_by_their_numbers() {
    let (_home, journal) = journal();
    assert_eq!(journal.unreadable().await.unwrap(), None);
    let kept = [made(&journal, None, 3).await, made(&journal, None, 3).await];
    assert_eq!(journal.unreadable().await.unwrap(), None);
    let text = fs::read_to_string(lines(&journal)).unwrap();
    let mut damaged: Vec<&str> = text.lines().collect();
    damaged[1] = "{\"id\":\"x";
    damaged.insert(2, "");
    damaged[3] = "\u{0}\u{0}";
    // A last line without its end is being written.
    let damaged = damaged.join("\n") + "\n{\"id\":";
    fs::write(lines(&journal), damaged).unwrap();
    let told = journal.unreadable().await.unwrap().unwrap();
    let file = lines(&journal).display().to_string();
    assert!(
        told.starts_with(&format!("lines 2, 4 of {file} cannot be read")),
        "{told}"
    );
    assert_eq!(ids(&journal).await, [kept[0].clone()]);
}
