//! A whole change, planned and applied by a user without one of its rights: it is made of several
//! scripts, and none of them may write before it is known that all of them may.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use delayscope::clock::EpochMillis;
use delayscope::ops::apply::{ChangeEvent, Limits, apply};
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::journal::Journal;
use delayscope::ops::plan::{Base, ChangeRequest, EntryChoice, NewDue, PreparedChange, Wish, plan};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::acl::{QueueSite, Rules};
use delayscope::queue::plan::Way;
use delayscope::queue::{Change, Entry, Form, Queue, State, Summary};
use delayscope::store::{Access, Store};

use futures_util::future::join_all;
use redis::Connection;

use crate::acl::stage::log_in;
use crate::acl::{NO_USERS, plain, redisson};
use crate::support::{PATIENCE, Server, Value, double_frame, frame, room};

/// Every key: its name, its dump, and for how long it lives (in s; -1: for ever).
type Held = Vec<(Vec<u8>, Vec<u8>, i64)>;

/// The entries that are chosen, by their numbers where it says so.
#[derive(Clone, Copy, Debug)]
enum Chosen {
    /// All that is due, or all that a repair finds.
    Whole,
    Waiting,
    /// Some of those that wait, not in due order.
    Some,
    One,
    Delivered,
    /// What only the order list holds.
    Stray,
    Quarantined,
    /// Of each place some, as marks on the screen have them.
    Mixed,
}

/// A change, and the way in which it goes.
#[derive(Clone, Debug)]
struct Play {
    queue: Queue,
    change: Change,
    what: ChangeRequest,
    chosen: Chosen,
    way: Way,
    /// It is made by somebody who may, and taken back by one without a right.
    undone: bool,
}

const LATER: ChangeRequest = ChangeRequest::Requeue(NewDue {
    base: Base::At(EpochMillis::new(4_100_000_000_000)),
    spread_ms: 0,
});
/// Entries that wait; half of them are due.
const ENTRIES: u64 = 12;

/// Changes of the queue, each in its ways.
fn plays() -> Vec<Play> {
    let mut plays = Vec::new();
    let every: &[(ChangeRequest, Chosen, &[Way])] = &[
        (LATER, Chosen::Waiting, &[Way::InOrder]),
        (LATER, Chosen::Delivered, &[Way::InOrder]),
        (LATER, Chosen::Mixed, &[Way::InOrder]),
        (
            ChangeRequest::Delete,
            Chosen::Waiting,
            &[Way::InOrder, Way::Sweep],
        ),
        (ChangeRequest::Delete, Chosen::Delivered, &[Way::InOrder]),
        (
            ChangeRequest::Delete,
            Chosen::Mixed,
            &[Way::InOrder, Way::Sweep],
        ),
        (
            ChangeRequest::Deliver,
            Chosen::Some,
            &[Way::InOrder, Way::Swap, Way::SetAside],
        ),
        (
            ChangeRequest::Transfer,
            Chosen::Whole,
            &[Way::InOrder, Way::Swap, Way::SetAside],
        ),
        (
            ChangeRequest::Edit(b"other".to_vec()),
            Chosen::One,
            &[Way::InOrder, Way::Sweep],
        ),
        (
            ChangeRequest::Quarantine,
            Chosen::Some,
            &[Way::InOrder, Way::Sweep],
        ),
        (
            ChangeRequest::Restore,
            Chosen::Quarantined,
            &[Way::InOrder, Way::Sweep],
        ),
        (ChangeRequest::Persist, Chosen::Whole, &[Way::InOrder]),
        (ChangeRequest::RenameTaken, Chosen::Whole, &[Way::InOrder]),
    ];
    let framed: &[(ChangeRequest, Chosen, &[Way])] = &[
        (LATER, Chosen::Stray, &[Way::InOrder]),
        (ChangeRequest::Delete, Chosen::Stray, &[Way::InOrder]),
        (ChangeRequest::Deliver, Chosen::Stray, &[Way::InOrder]),
        (
            ChangeRequest::Transfer,
            Chosen::Some,
            &[Way::InOrder, Way::Swap, Way::SetAside],
        ),
        (
            ChangeRequest::Repack(Some(Form::DoubleId)),
            Chosen::Some,
            &[Way::InOrder, Way::Sweep],
        ),
        (ChangeRequest::Duplicate, Chosen::Waiting, &[Way::InOrder]),
        (ChangeRequest::Realign(None), Chosen::Whole, &[Way::Swap]),
        (ChangeRequest::RestoreOrder, Chosen::Whole, &[Way::InOrder]),
        (ChangeRequest::Drift, Chosen::Whole, &[Way::InOrder]),
        (ChangeRequest::PutBack, Chosen::Whole, &[Way::InOrder]),
        (ChangeRequest::Unwrap, Chosen::Whole, &[Way::InOrder]),
    ];
    for queue in [redisson(), plain("left"), plain("right")] {
        let ordered = queue.keys().order.is_some();
        let framed = if ordered { framed } else { &[] };
        for (what, chosen, ways) in every.iter().chain(framed) {
            let ways = if ordered { *ways } else { &ways[..1] };
            for (way, undone) in ways.iter().flat_map(|way| [(*way, false), (*way, true)]) {
                let change = what.change();
                if !undone || change.can_be_undone() {
                    plays.push(Play {
                        queue: queue.clone(),
                        change: if undone { Change::Undo } else { change },
                        what: what.clone(),
                        chosen: *chosen,
                        way,
                        undone,
                    });
                }
            }
        }
    }
    plays
}

fn member(queue: &Queue, n: u64) -> Vec<u8> {
    let payload = format!("entry {n}").into_bytes();
    match queue.keys().order {
        Some(_) => frame(n, &payload),
        None => payload,
    }
}

fn score(queue: &Queue, n: u64) -> f64 {
    let due = if n <= ENTRIES / 2 {
        1_000_000
    } else {
        4_000_000_000_000
    };
    queue.score(EpochMillis::new(due + 60_000 * i64::try_from(n).unwrap()))
}

impl Play {
    /// Makes the world in which it is played: entries that were not offered in due order, some that
    /// are delivered, one in quarantine; and what this change is about.
    fn set(&self, server: &Server) {
        let (queue, keys) = (&self.queue, self.queue.keys());
        let cmd = |words: &[&[u8]]| drop(server.cmd_bytes(words));
        server.cmd(&["FLUSHALL"]);
        let shuffled = (1..=ENTRIES).map(|n| n * 5 % (ENTRIES + 1));
        // What falls due first stands first: it is moved by a script of its own.
        let in_step = [1, 2, 3, 12, 4, 5, 6, 7, 8, 9, 10, 11];
        let in_order = matches!(
            (&self.what, self.way),
            (ChangeRequest::Transfer, Way::InOrder)
        );
        let numbers: Vec<u64> = if in_order {
            in_step.to_vec()
        } else {
            shuffled.collect()
        };
        for n in numbers {
            server.put(queue, &member(queue, n), &score(queue, n).to_string());
        }
        // Only where there are frames equal messages are kept.
        let again: &[u8] = if keys.order.is_some() {
            b"one"
        } else {
            b"four"
        };
        cmd(&[b"RPUSH", &keys.target, b"one", b"two", again, b"three"]);
        cmd(&[b"ZADD", &keys.quarantine, b"1", &member(queue, 77)]);
        match (&self.what, &keys.order, &keys.aside) {
            (ChangeRequest::Persist, ..) => cmd(&[b"PEXPIRE", &keys.timeouts, b"3600000"]),
            (ChangeRequest::RenameTaken, ..) => cmd(&[b"SET", &keys.target, b"in the way"]),
            (ChangeRequest::Unwrap, ..) => {
                cmd(&[
                    b"RPUSH",
                    &keys.target,
                    &frame(97, b"framed"),
                    &frame(96, b"too"),
                ]);
            }
            (ChangeRequest::PutBack, ..) => {
                cmd(&[b"HSET", &keys.hold.held, b"field", b"held"]);
                cmd(&[b"RPUSH", &keys.hold.intake, b"taken"]);
            }
            (ChangeRequest::RestoreOrder, Some(order), Some(aside)) => {
                cmd(&[b"RPUSH", order, &frame(99, b"stray")]);
                cmd(&[b"RENAME", order, aside]);
            }
            (ChangeRequest::Drift, Some(order), _) => {
                for n in 90..93 {
                    cmd(&[b"ZADD", &keys.timeouts, b"9", &frame(n, b"lonely")]);
                }
                let double = member(queue, 3);
                cmd(&[b"RPUSH", order, &double, &member(queue, 12), &double]);
            }
            (_, Some(order), _) if matches!(self.chosen, Chosen::Stray | Chosen::Mixed) => {
                cmd(&[b"RPUSH", order, &frame(98, b"stray"), &frame(99, b"stray")]);
            }
            (ChangeRequest::Repack(_), Some(_), _) => {
                server.put(queue, &double_frame(4.0, b"old"), "2000000");
            }
            _ => {}
        }
    }

    fn which(&self) -> EntryChoice {
        let entry = |member: Vec<u8>, score: Option<f64>, state| Entry {
            member,
            score,
            state,
        };
        let waiting = |n: u64| {
            let (member, score) = (member(&self.queue, n), score(&self.queue, n));
            entry(member, Some(score), State::Waiting)
        };
        let selected = |from, limit| {
            EntryChoice::Selected(Selection {
                from,
                limit,
                ..Selection::default()
            })
        };
        match self.chosen {
            Chosen::Whole => EntryChoice::Due,
            Chosen::Waiting => selected(EntryPlace::Waiting, None),
            Chosen::Some => EntryChoice::These([5, 2, 6].map(waiting).to_vec()),
            Chosen::One => selected(EntryPlace::Waiting, Some(1)),
            Chosen::Delivered => selected(EntryPlace::Delivered, None),
            Chosen::Stray => selected(EntryPlace::OrderOnly, None),
            Chosen::Quarantined => selected(EntryPlace::Quarantined, None),
            Chosen::Mixed => {
                let mut some = [5, 2].map(waiting).to_vec();
                some.push(entry(b"two".to_vec(), None, State::Delivered));
                if self.queue.keys().order.is_some() {
                    some.push(entry(frame(98, b"stray"), None, State::Order));
                }
                EntryChoice::These(some)
            }
        }
    }

    /// Plans it as that user; what is in the way is told in words.
    async fn planned(&self, store: &Store, journal: &Journal) -> Result<PreparedChange, String> {
        let wish = Wish {
            queue: self.queue.clone(),
            what: self.what.clone(),
            which: self.which(),
            profile: None,
        };
        let newest = journal.list().await.unwrap().into_iter().next();
        let prepared = if let Some(newest) = newest {
            let prepared = plan_undo(store, journal, Some(&*newest.id), false).await;
            prepared.map_err(|error| error.to_string())
        } else {
            let prepared = plan(store, wish, |_| ()).await;
            prepared.map_err(|error| error.to_string())
        };
        let mut prepared = prepared?;
        prepared.plan.way = self.way;
        Ok(prepared)
    }

    /// Makes it; what came of it, or why it was refused.
    async fn made(&self, store: &Store, journal: &Journal) -> Result<Summary, String> {
        let prepared = self.planned(store, journal).await?;
        let writer = store.writer_of(&self.queue).unwrap();
        let mut applying = apply(&writer, journal, prepared, Limits::default());
        let (mut failed, mut ended) = (None, None);
        while let Some(told) = applying.next().await {
            match told {
                ChangeEvent::Ended(summary) => ended = Some(summary),
                ChangeEvent::Failed(why) | ChangeEvent::Trouble(why) => failed = Some(why),
                _ => {}
            }
        }
        match failed {
            Some(why) => Err(why),
            None => Ok(ended.unwrap()),
        }
    }
}

/// What a server holds.
fn held(connection: &mut Connection) -> Held {
    let mut keys: Vec<Vec<u8>> = redis::cmd("KEYS").arg("*").query(connection).unwrap();
    keys.sort();
    let mut ask = redis::pipe();
    for key in &keys {
        ask.cmd("DUMP").arg(key).cmd("TTL").arg(key);
    }
    let told: Vec<Value> = ask.query(connection).unwrap();
    let rows = keys.into_iter().zip(told.chunks(2));
    rows.map(|(key, row)| {
        let [Value::BulkString(dump), Value::Int(lives)] = row else {
            panic!("{row:?}");
        };
        (key, dump.clone(), lives.signum())
    })
    .collect()
}

/// Makes a server hold this and nothing else.
fn load(connection: &mut Connection, held: &Held) {
    let mut load = redis::pipe();
    load.cmd("FLUSHALL");
    for (key, dump, lives) in held {
        let until = if *lives > 0 { 9_000_000_000_000_i64 } else { 0 };
        let restore = load.cmd("RESTORE").arg(key).arg(until).arg(dump);
        restore.arg("ABSTTL");
    }
    load.exec(connection).unwrap();
}

/// Each key's type and how much it holds: what comes with an id of its own has another one each
/// time.
fn sizes(connection: &mut Connection) -> Vec<(Vec<u8>, String, u64)> {
    let keys = held(connection).into_iter().map(|(key, ..)| key);
    let each = keys.map(|key| {
        let kind: String = redis::cmd("TYPE").arg(&key).query(connection).unwrap();
        let count = match kind.as_str() {
            "list" => "LLEN",
            "zset" => "ZCARD",
            "hash" => "HLEN",
            _ => "EXISTS",
        };
        let count = redis::cmd(count).arg(&key).query(connection).unwrap();
        (key, kind, count)
    });
    each.collect()
}

/// The journal as it was.
fn copied(from: &Path) -> tempfile::TempDir {
    fn copy(from: &Path, to: &Path) {
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let to = to.join(entry.file_name());
            if entry.path().is_dir() {
                std::fs::create_dir(&to).unwrap();
                std::fs::set_permissions(&to, entry.metadata().unwrap().permissions()).unwrap();
                copy(&entry.path(), &to);
            } else {
                std::fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    let dir = room();
    copy(from, dir.path());
    dir
}

async fn opened(server: &Server, rules: Option<&Rules>) -> Store {
    let mut endpoint = server.endpoint();
    if let Some(rules) = rules {
        log_in(server, &mut endpoint, rules);
    }
    let store = Store::open(endpoint, Access::ReadWrite);
    store.ready(PATIENCE).await.unwrap();
    store
}

/// Commands that were used since the last look.
fn used(server: &Server) -> BTreeSet<String> {
    let info = server.cmd(&["INFO", "commandstats"]);
    let Value::BulkString(info) = info else {
        panic!("{info:?}");
    };
    let info = String::from_utf8(info).unwrap();
    let lines = info.lines().filter_map(|line| {
        let (command, counts) = line.strip_prefix("cmdstat_")?.split_once(':')?;
        (!counts.starts_with("calls=0,")).then(|| command.to_owned())
    });
    lines.collect()
}

/// Plays it with all rights, then without each that it uses; how often it was refused, and what it
/// did that it should not.
async fn tried(server: &Server, play: &Play) -> (usize, Vec<String>) {
    play.set(server);
    let dir = room();
    if play.undone {
        let all = opened(server, None).await;
        let journal = Journal::at(dir.path(), 30);
        let made = play.made(&all, &journal).await;
        if !made.as_ref().is_ok_and(Summary::all_done) {
            return (0, vec![format!("before an undo: {play:?}: {made:?}")]);
        }
    }
    let mut connection = server.connection();
    let world = held(&mut connection);
    load(&mut connection, &world);
    let world = held(&mut connection);

    let rules = Rules::of(
        &[play.change],
        std::slice::from_ref(&play.queue),
        QueueSite::Db0,
    );
    let with_all = opened(server, Some(&rules)).await;
    server.cmd(&["CONFIG", "RESETSTAT"]);
    let own = copied(dir.path());
    let made = play.made(&with_all, &Journal::at(own.path(), 30)).await;
    let Ok(whole) = made else {
        return (0, vec![format!("with all rights: {play:?}: {made:?}")]);
    };
    let done = sizes(&mut connection);
    let used = used(server);

    let (mut refusals, mut wrong) = (0, Vec::new());
    let needed = rules.commands.iter().filter(|it| used.contains(**it));
    for missing in needed.filter(|it| play.change.rights().contains(it)) {
        let mut rules = rules.clone();
        rules.commands.remove(missing);
        load(&mut connection, &world);
        let less = opened(server, Some(&rules)).await;
        let own = copied(dir.path());
        match play.made(&less, &Journal::at(own.path(), 30)).await {
            Ok(summary) => {
                if summary.tally != whole.tally || sizes(&mut connection) != done {
                    wrong.push(format!("without {missing} half: {play:?}: {summary:?}"));
                }
            }
            Err(why) => {
                refusals += 1;
                if held(&mut connection) != world {
                    wrong.push(format!("without {missing} refused late: {play:?}: {why}"));
                }
            }
        }
    }
    (refusals, wrong)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_whole_change_does_nothing_or_all_for_a_user_without_one_of_its_rights() {
    if !Server::start().is_from((6, 0), NO_USERS) {
        return;
    }
    let plays = plays();
    let parts = plays.chunks(plays.len().div_ceil(4));
    let parts = parts.map(|plays| async move {
        let server = Arc::new(Server::start());
        let (mut refusals, mut wrong) = (0, Vec::new());
        for play in plays {
            let (refused, more) = tried(&server, play).await;
            refusals += refused;
            wrong.extend(more);
        }
        (refusals, wrong)
    });
    let all = join_all(parts).await;
    let wrong: Vec<_> = all.iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
    let refusals: usize = all.iter().map(|(refused, _)| refused).sum();
    assert!(refusals > 200, "{refusals}");
}
