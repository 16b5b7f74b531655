//! `journal`: what was changed from this account, without any server.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::process::{Command, Stdio};

use delayscope::clock::EpochMillis;
use delayscope::ops::journal::{Item, ItemResult, Journal, JournalHead, JournalRecord, ServerId};
use delayscope::queue::{Change, EntryId, Form, Outcome, State, Tally, frame};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{Said, bare};

const DUE: f64 = 1_700_000_000_000.0;

/// A home with a journal in it.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(crate::support::room())
    }

    fn journal(&self) -> Journal {
        Journal::at(&self.0.path().join("delayscope"), 30)
    }

    fn run(&self, args: &[&str]) -> Said {
        let mut command: Command = bare(self.0.path());
        Said::from(command.args(args).stdin(Stdio::null()).output().unwrap())
    }

    /// Begins a change of `count` entries, each with the text `message N`.
    async fn begin(&self, change: Change, queue: &[u8], count: u64) -> JournalRecord {
        let head = JournalHead {
            change,
            queue: queue.to_vec(),
            server: ServerId {
                former_replication_id: String::new(),
                nodes: Vec::new(),
                sentinels: Vec::new(),
                server: "prod-1:6379/3".to_owned(),
                db: 3,
                run_id: "r".repeat(40),
                replication_id: "p".repeat(40),
            },
            planned: count,
            bound: Some(EpochMillis::new(1_700_000_000_000)),
            undoes: None,
            bytes: 1_000,
        };
        let mut record = self.journal().begin(head).await.unwrap();
        record.intend((0..count).map(item).collect()).await.unwrap();
        record
    }

    /// The same, all of it done.
    async fn made(&self, count: u64) -> String {
        let mut record = self.begin(Change::Delete, b"orders", count).await;
        let done = |index| ItemResult {
            index,
            outcome: Outcome::Done,
            stood: None,
        };
        record
            .happened((0..count).map(done).collect())
            .await
            .unwrap();
        let mut tally = Tally::default();
        tally.add(Outcome::Done, count);
        let id = record.id().to_owned();
        record.end(tally).await.unwrap();
        id
    }
}

fn item(n: u64) -> Item {
    let payload = format!("message {n}");
    let id = n.to_be_bytes();
    Item {
        id: EntryId(id),
        state: State::Waiting,
        score: Some(DUE),
        member: Some(frame::encode(Form::ByteId, id, payload.as_bytes())),
        new_score: None,
        new_member: None,
        form: None,
        hash: None,
        to_quarantine: false,
    }
}

#[test]
fn without_a_change_there_is_nothing_to_list() {
    let said = Home::new().run(&["journal"]).partly();
    assert!(said.err.contains("the journal holds no change"), "{said:?}");
}

#[tokio::test]
async fn changes_are_listed_newest_first_with_what_became_of_them() {
    let home = Home::new();
    let first = home.made(3).await;
    let dead = home.begin(Change::Requeue, b"zset-list:d,r", 2).await;
    let dead_id = dead.id().to_owned();
    drop(dead);
    let running = home.begin(Change::Transfer, b"\xffodd", 1).await;
    let list = home.run(&["journal", "--json"]).done().json();
    let field = |name: &str| -> Vec<Value> { list.iter().map(|c| c[name].clone()).collect() };
    assert_eq!(field("journal_id"), [running.id(), &dead_id, &first]);
    assert_eq!(field("change"), ["transfer", "requeue", "delete"]);
    assert_eq!(field("queue"), ["\u{fffd}odd", "d", "orders"]);
    assert_eq!(list[0]["queue_hex"], "ff6f6464");
    assert_eq!(field("planned"), [1, 2, 3]);
    assert_eq!(field("done"), [Value::Null, Value::Null, 3.into()]);
    assert_eq!(field("undone"), [false, false, false]);
    assert_eq!(field("under_way"), [true, false, false]);
    assert_eq!(field("ended"), [false, false, true]);
    assert_eq!(list[2]["server"], "prod-1:6379/3");
    assert_eq!(list[2]["outcomes"]["done"], 3);
    let table = home.run(&["journal"]).done().out;
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].starts_with("ID "), "{table}");
    for (row, words) in rows[1..]
        .iter()
        .zip(["under way", "never ended", "all done"])
    {
        assert!(row.ends_with(words), "{table}");
    }
    let one = home
        .run(&["journal", "--json", "--limit", "1"])
        .done()
        .json();
    assert_eq!(one[0]["journal_id"], running.id());
    assert_eq!(one.len(), 1);
}

#[tokio::test]
async fn a_change_is_shown_entry_by_entry_by_the_beginning_of_its_id() {
    let home = Home::new();
    let id = home.made(1_500).await;
    let lines = home.run(&["journal", &id[..9], "--json"]).done().json();
    assert_eq!(lines.len(), 1_501);
    assert_eq!(lines[0]["journal_id"], id);
    let last = &lines[1_500];
    assert_eq!(last["id"], "00000000000005db");
    assert_eq!(last["text"], "message 1499");
    assert_eq!(
        (&last["outcome"], &last["state"]),
        (&"done".into(), &"waiting".into())
    );
    assert_eq!(last["due_ms"], 1_700_000_000_000_i64);
    assert_eq!(last["form"], "byte-id");
    assert_eq!(last["frame_hex"], Value::Null);
    let raw = home.run(&["journal", &id, "--json", "--raw", "--limit", "1"]);
    let hex = raw.done().json()[1]["frame_hex"].clone();
    assert!(hex.as_str().unwrap().starts_with("080000000000000000"));
    let text = home.run(&["journal", &id]).done().out;
    assert!(text.contains(&format!("delayscope undo {id}")), "{text}");
    assert!(text.contains("delete of orders on prod-1:6379/3"), "{text}");
    assert_eq!(text.matches("message ").count(), 1_500);
}

#[tokio::test]
async fn entries_of_a_change_that_died_are_unknown_where_nothing_was_written() {
    let home = Home::new();
    let mut record = home.begin(Change::Delete, b"orders", 2).await;
    let told = ItemResult {
        index: 1,
        outcome: Outcome::Gone,
        stood: None,
    };
    record.happened(vec![told]).await.unwrap();
    let id = record.id().to_owned();
    let outcomes = || -> Vec<Value> {
        let lines = home.run(&["journal", &id, "--json"]).done().json();
        lines[1..]
            .iter()
            .map(|line| line["outcome"].clone())
            .collect()
    };
    assert_eq!(outcomes(), [Value::Null, "gone".into()]);
    drop(record);
    assert_eq!(outcomes(), ["unknown", "gone"]);
}

#[tokio::test]
async fn a_change_that_is_not_there_is_an_error() {
    let home = Home::new();
    home.made(1).await;
    let why = "the journal holds no change \"zzz\"";
    home.run(&["journal", "zzz"]).failed(why);
}

#[tokio::test]
async fn a_purge_needs_a_yes_and_keeps_what_is_young_or_under_way() {
    let home = Home::new();
    home.made(1).await;
    let running = home.begin(Change::Delete, b"orders", 1).await;
    home.run(&["journal", "purge"]).failed("Give --yes");
    let none = home.run(&["journal", "purge", "--older-than", "1d"]).done();
    assert!(none.err.contains("nothing to forget"), "{none:?}");
    let young = ["journal", "purge", "--older-than", "1d", "--yes", "--json"];
    assert_eq!(home.run(&young).done().json()[0]["purged"], 0);
    let said = home.run(&["journal", "purge", "--yes"]).done().out;
    assert!(said.starts_with("forgot 1 change, "), "{said}");
    let left = home.run(&["journal", "--json"]).done().json();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["journal_id"], running.id());
}

#[tokio::test]
async fn damaged_lines_of_the_journal_are_told_once_with_their_file_and_numbers() {
    let home = Home::new();
    let id = home.made(1).await;
    home.made(1).await;
    let path = home.0.path().join("delayscope/journal.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[2] = "{\"id\":\"\u{0}";
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let said = home.run(&["journal", "--json"]).done();
    assert_eq!(said.json().len(), 1);
    assert_eq!(said.json()[0]["journal_id"], *id);
    let told = format!("line 3 of {} cannot be read", path.display());
    assert_eq!(said.err.matches(&told).count(), 1, "{}", said.err);
}
