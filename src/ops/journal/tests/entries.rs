//! The entries of a change, written and read back, torn and whole.

use super::*;

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
        let result = ItemResult {
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
