//! Everything that is ever asked of a payload, and what an answer takes.

#![expect(clippy::unwrap_used, reason = "without a clock nothing is measured")]

use std::time::Duration;

use allocation_counter::measure;
use delayscope::payload::{self, Codec, PayloadReading, TreeNode};
use delayscope::tui::entry::tree::Tree;
use nix::time::{ClockId, clock_gettime};

/// What is asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Question {
    /// The line of the table, and the value as JSON.
    Line,
    /// All of its text, as a search wants it.
    Whole,
    /// What it can be read as.
    Readings,
    /// Line and value, of that codec.
    As(Codec),
    /// All that there is to be said, and that as JSON, of that codec.
    Tree(Codec),
    /// What is typed to write it again, with that codec.
    Spelled(Codec),
    /// The lines of the opened entry, and what is copied of them.
    Rows(Codec),
}

/// All questions, in the order in which the faster ones come first.
pub(super) fn questions() -> impl Iterator<Item = Question> {
    let alone = [Question::Line, Question::Whole, Question::Readings];
    let of = |codec| {
        [
            Question::As(codec),
            Question::Tree(codec),
            Question::Rows(codec),
            Question::Spelled(codec),
        ]
    };
    alone.into_iter().chain(Codec::ALL.into_iter().flat_map(of))
}

/// Asks all of it of a payload.
pub(super) fn ask_all(bytes: &[u8]) {
    let read = payload::decode(bytes);
    let (codec, _) = payload::whole(bytes);
    assert_eq!(codec, read.codec);
    assert!(!read.text.contains(char::is_control), "{:?}", read.text);
    ask(Question::Readings, bytes);
    ask(Question::Spelled(codec), bytes);
    for codec in Codec::ALL {
        if ask(Question::As(codec), bytes)
            && codec != Codec::Unknown
            && let Some(read) = payload::read(bytes, Some(codec))
        {
            tree(&read, bytes.len());
            Tree::of_reading(read).iter().for_each(rows);
        }
    }
}

/// Asks one thing of a payload; whether there was an answer of that codec.
pub(super) fn ask(question: Question, bytes: &[u8]) -> bool {
    match question {
        Question::Line => payload::decode(bytes).codec != Codec::Unknown,
        Question::Whole => payload::whole(bytes).0 != Codec::Unknown,
        Question::Readings => !payload::readable_as(bytes).is_empty(),
        Question::Spelled(codec) => payload::spelled(codec, bytes).is_some(),
        Question::As(codec) => payload::decode_as(codec, bytes)
            .inspect(|read| assert!(!read.text.contains(char::is_control), "{:?}", read.text))
            .is_some(),
        Question::Tree(codec) => payload::read(bytes, Some(codec))
            .inspect(|read| tree(read, bytes.len()))
            .is_some(),
        Question::Rows(codec) => Tree::of(bytes, codec).inspect(rows).is_some(),
    }
}

/// What is asked of a reading of so many bytes.
fn tree(read: &PayloadReading, length: usize) {
    let length = read.unpacked.as_ref().map_or(length, Vec::len);
    inside(&read.tree, length);
    drop(read.tree.json());
}

/// What is asked of an opened entry.
fn rows(tree: &Tree) {
    let last = tree.lines.len() - 1;
    assert!(!tree.path(last).is_empty());
    drop(tree.value(last));
    for line in &tree.lines {
        assert!(!line.words.contains(char::is_control), "{line:?}");
        assert!(!line.name.contains(char::is_control), "{line:?}");
    }
}

/// Every node means bytes that there are.
fn inside(node: &TreeNode, length: usize) {
    assert!(node.span.start <= node.span.end, "{node:?}");
    assert!(node.span.end as usize <= length, "{node:?}");
    for child in node.children() {
        inside(child, length);
    }
}

/// What an answer took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// Of this thread's own: others at work on the machine do not count.
    pub(super) time: Duration,
    /// The most bytes held at a time.
    pub(super) held: u64,
    /// The bytes asked for, however soon they were given back: how much was copied.
    pub(super) copied: u64,
}

/// Runs `work`, and weighs it.
pub(super) fn weigh(work: impl FnOnce()) -> Taken {
    let started = worked();
    let memory = measure(work);
    Taken {
        time: worked().saturating_sub(started),
        held: memory.bytes_max,
        copied: memory.bytes_total,
    }
}

/// For how long this thread has been at work.
pub(super) fn worked() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .unwrap()
        .into()
}
