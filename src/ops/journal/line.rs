//! A line of `journal.jsonl`: a change that began, or how one ended. No payload stands in it.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{JournalHead, JournalledChange, ServerId};
use crate::clock::EpochMillis;
use crate::queue::{Change, Outcome, Tally};

/// A line: `change` says that one began, `outcomes` that one ended.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct RecordLine {
    pub(super) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    began: Option<Began>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<EndedFields>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Began {
    at_ms: i64,
    user: String,
    host: String,
    version: String,
    on: ServerId,
    queue: String,
    /// The queue's bytes when they are no UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    queue_hex: Option<String>,
    change: String,
    planned: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bound_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    bytes: u64,
    /// The start of the machine that this was in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boot: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
struct EndedFields {
    at_ms: i64,
    outcomes: BTreeMap<String, u64>,
    /// The server that it ended on, when that is another one than it began on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on: Option<ServerId>,
}

impl RecordLine {
    /// Makes the line that says that a change began.
    pub(super) fn began(id: &str, at: EpochMillis, head: &JournalHead) -> Self {
        let queue_hex = std::str::from_utf8(&head.queue).is_err();
        Self {
            id: id.to_owned(),
            began: Some(Began {
                at_ms: at.get(),
                user: user(),
                host: host(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                on: head.server.clone(),
                queue: String::from_utf8_lossy(&head.queue).into_owned(),
                queue_hex: queue_hex.then(|| hex::encode(&head.queue)),
                change: head.change.word().to_owned(),
                planned: head.planned,
                bound_ms: head.bound.map(EpochMillis::get),
                undoes: head.undoes.clone(),
                bytes: head.bytes,
                boot: boot(),
            }),
            ended: None,
        }
    }

    /// Makes the line that says that it ended, `on` another server than it began on.
    pub(super) fn ended(id: &str, at: EpochMillis, tally: &Tally, on: Option<ServerId>) -> Self {
        let count = |outcome: Outcome| (outcome.word().to_owned(), tally.get(outcome));
        let outcomes = Outcome::ALL.into_iter().map(count);
        Self {
            id: id.to_owned(),
            began: None,
            ended: Some(EndedFields {
                at_ms: at.get(),
                outcomes: outcomes.filter(|(_, n)| *n > 0).collect(),
                on,
            }),
        }
    }

    /// When the change began, on a line that says so.
    pub(super) fn began_at(&self) -> Option<EpochMillis> {
        self.began.as_ref().map(|b| EpochMillis::new(b.at_ms))
    }
}

impl Began {
    /// Makes the change that the line tells of; none for a kind of change that this version does
    /// not know.
    fn kept(self, id: String, boot: Option<&str>) -> Option<JournalledChange> {
        let queue = match self.queue_hex {
            None => self.queue.into_bytes(),
            Some(hex) => hex::decode(hex).ok()?,
        };
        let who = format!("{}@{}, delayscope {}", self.user, self.host, self.version);
        Some(JournalledChange {
            id,
            at: EpochMillis::new(self.at_ms),
            who,
            head: JournalHead {
                change: Change::from_word(&self.change)?,
                queue,
                server: self.on,
                planned: self.planned,
                bound: self.bound_ms.map(EpochMillis::new),
                undoes: self.undoes,
                bytes: self.bytes,
            },
            ended: None,
            ended_on: None,
            same_boot: self.boot.is_some() && self.boot.as_deref() == boot,
            under_way: false,
            undone_by: None,
        })
    }
}

impl EndedFields {
    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for outcome in Outcome::ALL {
            tally.add(
                outcome,
                self.outcomes.get(outcome.word()).copied().unwrap_or(0),
            );
        }
        tally
    }
}

/// The changes that lines tell of, the oldest first, and the numbers of the lines (from 1) that
/// cannot be read: damaged, or of a kind that this version does not know. A last line without its
/// end is none: it was torn when the machine went down, or is being written.
pub(super) fn changes(text: &[u8]) -> (Vec<JournalledChange>, Vec<u64>) {
    let boot = boot();
    let (mut kept, mut unreadable) = (Vec::<JournalledChange>::new(), Vec::new());
    let mut places = HashMap::new();
    for (number, line) in (1..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
        let whole = line.strip_suffix(b"\n");
        let read = read(whole.unwrap_or(line), boot.as_deref());
        match read {
            Some(ReadLine::Began(change)) => {
                places.insert(change.id.clone(), kept.len());
                kept.push(*change);
            }
            Some(ReadLine::Ended(id, ended)) => {
                if let Some(place) = places.get(&id) {
                    kept[*place].ended = Some(ended.tally());
                    kept[*place].ended_on = ended.on;
                }
            }
            None if whole.is_some_and(|line| !line.is_empty()) => unreadable.push(number),
            None => {}
        }
    }
    mark_undone(&mut kept, &places);
    (kept, unreadable)
}

/// A line that was read, by what it tells.
enum ReadLine {
    Began(Box<JournalledChange>),
    Ended(String, EndedFields),
}

fn read(line: &[u8], boot: Option<&str>) -> Option<ReadLine> {
    let RecordLine { id, began, ended } = serde_json::from_slice(line).ok()?;
    match (began, ended) {
        (Some(began), _) => Some(ReadLine::Began(Box::new(began.kept(id, boot)?))),
        (None, Some(ended)) => Some(ReadLine::Ended(id, ended)),
        (None, None) => None,
    }
}

/// From the newest on: what takes a change back does so when it did anything and left nothing to
/// do, and was not taken back itself.
fn mark_undone(kept: &mut [JournalledChange], places: &HashMap<String, usize>) {
    for i in (0..kept.len()).rev() {
        let open = |t: Tally| t.get(Outcome::Left) + t.get(Outcome::Unknown);
        let whole = |t: Tally| t.get(Outcome::Done) > 0 && open(t) == 0;
        let did = kept[i].ended.is_some_and(whole);
        let undone = kept[i].head.undoes.as_ref().and_then(|id| places.get(id));
        if let Some(undone) = undone.copied()
            && did
            && kept[i].undone_by.is_none()
        {
            kept[undone].undone_by = Some(kept[i].id.clone());
        }
    }
}

fn user() -> String {
    let uid = nix::unistd::getuid();
    let known = nix::unistd::User::from_uid(uid).ok().flatten();
    known.map_or_else(|| format!("uid {uid}"), |user| user.name)
}

/// Names this start of the machine, where that can be known: what was given to the operating system
/// to be written is there as long as it runs.
fn boot() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned())
}

/// Returns the name that this machine calls itself.
pub(in crate::ops) fn host() -> String {
    let name = nix::unistd::gethostname();
    name.map_or_else(
        |_| "unknown".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}
