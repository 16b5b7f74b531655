//! Of the words and counts of changes.

use super::*;

#[test]
fn every_change_is_found_by_its_word() {
    for change in Change::ALL {
        assert_eq!(Change::from_word(change.word()), Some(change));
    }
    assert_eq!(Change::from_word("explode"), None);
}

#[test]
fn outcomes_add_up() {
    let mut tally = Tally::default();
    assert!(tally.all_done());
    tally.add(Outcome::Done, 3);
    tally.add(Outcome::Left, 2);
    assert_eq!((tally.sum(), tally.get(Outcome::Left)), (5, 2));
    assert!(!tally.all_done());
    let places = Outcome::ALL.map(|outcome| outcome as usize);
    assert_eq!(places, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn what_others_have_done_meanwhile_does_not_read_as_a_loss() {
    assert_eq!(
        Outcome::Gone.said(Change::Transfer),
        "already moved by others"
    );
    for change in Change::ALL {
        assert!(!Outcome::Gone.said(change).contains("gone"), "{change:?}");
    }
    for outcome in Outcome::ALL {
        assert!(outcome.of_one() != "gone" && outcome.of_one().len() <= 11);
    }
}
