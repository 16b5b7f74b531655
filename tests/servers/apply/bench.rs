//! A server with a queue in it, a journal of its own, and what changes did to both.

use std::collections::{BTreeMap, HashMap, HashSet};

use delayscope::clock::EpochMillis;
use delayscope::ops::apply::{ChangeEvent, Limits, apply};
use delayscope::ops::journal::{Item, ItemResult, Journal};
use delayscope::ops::plan::{ChangeError, ChangeRequest, EntryChoice, PreparedChange, Wish, plan};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::{Endpoint, Entry, EntryResult, Outcome, Plan, Queue, State, Summary};
use delayscope::store::write::Writer;
use delayscope::store::{Access, Store};

use crate::support::{PATIENCE, Server, frame, room};

/// A server, a queue, a journal.
pub(crate) struct Bench {
    pub(crate) server: Server,
    pub(crate) store: Store,
    pub(crate) writer: Writer,
    pub(crate) queue: Queue,
    pub(crate) journal: Journal,
    dir: tempfile::TempDir,
}

/// What a change told.
pub(crate) struct Told {
    pub(crate) summary: Summary,
    pub(crate) results: Vec<EntryResult>,
    pub(crate) failed: Option<String>,
}

impl Told {
    /// How many entries had this outcome.
    pub(crate) fn count(&self, outcome: Outcome) -> u64 {
        self.summary.tally.get(outcome)
    }

    /// The entries that the former master had said to be done and the new one did not have, as
    /// told; none: nothing was told of another master.
    pub(crate) fn lost(&self) -> Option<u64> {
        lost(&self.summary)
    }
}

/// Everything that a queue holds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Contents {
    /// Members of timeouts with the text of their scores.
    pub(crate) timeouts: BTreeMap<Vec<u8>, String>,
    pub(crate) order: Vec<Vec<u8>>,
    pub(crate) target: Vec<Vec<u8>>,
    /// Members of quarantine with the text of their scores.
    pub(crate) quarantine: BTreeMap<Vec<u8>, String>,
    /// Number of elements that consumers hold, or that are moved for them.
    pub(crate) held: u64,
}

impl Contents {
    /// Those of a queue on that server.
    pub(crate) fn read(server: &mut redis::Connection, queue: &Queue) -> Self {
        let keys = queue.keys();
        let mut scores = |key: &[u8]| -> BTreeMap<Vec<u8>, String> {
            let all = redis::cmd("ZRANGE")
                .arg(key)
                .arg(&["0", "-1", "WITHSCORES"])
                .query(server);
            let all: Vec<(Vec<u8>, String)> = all.unwrap();
            all.into_iter().collect()
        };
        let (timeouts, quarantine) = (scores(&keys.timeouts), scores(&keys.quarantine));
        let mut list = |key: &[u8]| -> Vec<Vec<u8>> {
            redis::cmd("LRANGE")
                .arg(key)
                .arg(&["0", "-1"])
                .query(server)
                .unwrap()
        };
        let order = keys.order.as_deref().map(&mut list).unwrap_or_default();
        let target = list(&keys.target);
        let of_consumers = &keys.hold;
        let mut both = redis::pipe();
        both.cmd("HLEN")
            .arg(&of_consumers.held)
            .cmd("LLEN")
            .arg(&of_consumers.intake);
        let [held, taken]: [u64; 2] = both.query(server).unwrap();
        Self {
            held: held + taken,
            timeouts,
            order,
            target,
            quarantine,
        }
    }

    /// Counts what has been done here and not there: what left or came. (An entry that has another
    /// score has left and come.)
    pub(crate) fn done_beyond(&self, there: &Self) -> u64 {
        let items = |contents: &Self| {
            let scored = |place, set: &BTreeMap<Vec<u8>, String>| {
                let of =
                    |(member, score): (&Vec<u8>, &String)| (place, member.clone(), score.clone());
                set.iter().map(of).collect::<Vec<_>>()
            };
            let mut copies: HashMap<&Vec<u8>, usize> = HashMap::new();
            let target = contents.target.iter().map(|element| {
                let copies = copies.entry(element).or_default();
                *copies += 1;
                ("target", element.clone(), copies.to_string())
            });
            let mut items: HashSet<_> = target.collect();
            items.extend(scored("timeouts", &contents.timeouts));
            items.extend(scored("quarantine", &contents.quarantine));
            items
        };
        let (here, there) = (items(self), items(there));
        let left = there.difference(&here).count();
        let came = here.difference(&there).count();
        u64::try_from(left.max(came)).unwrap()
    }
}

/// The same of a change whose results nobody kept.
pub(crate) fn lost(summary: &Summary) -> Option<u64> {
    summary.notes.iter().find_map(|note| {
        if note.contains("What is told here is how it stands there") {
            return Some(0);
        }
        let (_, rest) = note.split_once("(a failover): ")?;
        rest.split(' ').next()?.replace(',', "").parse().ok()
    })
}

/// The layouts that changes are tried with.
pub(crate) fn layouts() -> [Queue; 3] {
    [
        Queue::redisson("orders"),
        "zset-list:delay,ready,ms,left".parse().unwrap(),
        "zset-list:delay,ready,s,right".parse().unwrap(),
    ]
}

impl Bench {
    pub(crate) async fn new(queue: &Queue) -> Self {
        Self::on(Server::start(), queue).await
    }

    pub(crate) async fn on(server: Server, queue: &Queue) -> Self {
        let endpoint = server.endpoint();
        Self::through(server, endpoint, queue).await
    }

    /// The changes go this way to the server, the test's own commands straight.
    pub(crate) async fn through(server: Server, endpoint: Endpoint, queue: &Queue) -> Self {
        let store = Store::open(endpoint, Access::ReadWrite);
        store.ready(PATIENCE).await.unwrap();
        let dir = room();
        Self {
            writer: store.writer_of(queue).unwrap(),
            store,
            queue: queue.clone(),
            journal: Journal::at(dir.path(), 30),
            server,
            dir,
        }
    }

    /// Where its journal is.
    pub(crate) fn dir(&self) -> &std::path::Path {
        self.dir.path()
    }

    /// The member that stands for `entry N`.
    pub(crate) fn member(&self, n: u64) -> Vec<u8> {
        let payload = format!("entry {n}").into_bytes();
        match self.queue.keys().order {
            Some(_) => frame(n, &payload),
            None => payload,
        }
    }

    /// Offers `entry 1` to `entry COUNT`, the first due at `first`, each `step` ms after the one
    /// before.
    pub(crate) fn fill(&self, count: u64, first: EpochMillis, step: i64) {
        let keys = self.queue.keys();
        let mut zadd = redis::cmd("ZADD");
        zadd.arg(&keys.timeouts);
        let mut rpush = redis::cmd("RPUSH");
        rpush.arg(&keys.order);
        for n in 1..=count {
            let due = first.plus(step * i64::try_from(n - 1).unwrap());
            let (score, member) = (self.queue.score(due).to_string(), self.member(n));
            zadd.arg(score).arg(&member);
            rpush.arg(member);
        }
        let mut connection = self.server.connection();
        zadd.exec(&mut connection).unwrap();
        if keys.order.is_some() {
            rpush.exec(&mut connection).unwrap();
        }
    }

    /// An entry as the screen knows it.
    pub(crate) fn entry(&self, n: u64) -> Entry {
        let member = self.member(n);
        let text = self.contents().timeouts.get(&member).cloned().unwrap();
        Entry {
            score: Some(text.parse().unwrap()),
            member,
            state: State::Waiting,
        }
    }

    pub(crate) fn entries(&self, numbers: &[u64]) -> EntryChoice {
        EntryChoice::These(numbers.iter().map(|n| self.entry(*n)).collect())
    }

    /// The same by their bytes.
    pub(crate) fn entries_of(&self, members: &[Vec<u8>]) -> EntryChoice {
        let timeouts = self.contents().timeouts;
        let entry = |member: &Vec<u8>| Entry {
            score: Some(timeouts[member].parse().unwrap()),
            member: member.clone(),
            state: State::Waiting,
        };
        EntryChoice::These(members.iter().map(entry).collect())
    }

    pub(crate) fn contents(&self) -> Contents {
        Contents::read(&mut self.server.connection(), &self.queue)
    }

    pub(crate) async fn plan(
        &self,
        what: ChangeRequest,
        which: EntryChoice,
    ) -> Result<PreparedChange, ChangeError> {
        let wish = Wish {
            queue: self.queue.clone(),
            what,
            which,
            profile: None,
        };
        plan(&self.store, wish, |_| {}).await
    }

    /// Plans and applies.
    pub(crate) async fn change(&self, what: ChangeRequest, which: EntryChoice) -> (Plan, Told) {
        let prepared = self.plan(what, which).await.unwrap();
        let plan = prepared.plan.clone();
        (plan, self.apply(prepared, Limits::default()).await)
    }

    /// Takes back the newest change, or the one with that id.
    pub(crate) async fn undo(&self, id: Option<&str>) -> (Plan, Told) {
        let prepared = plan_undo(&self.store, &self.journal, id, false)
            .await
            .unwrap();
        let plan = prepared.plan.clone();
        (plan, self.apply(prepared, Limits::default()).await)
    }

    /// Applies to the end; whatever comes, every planned entry has one outcome.
    pub(crate) async fn apply(&self, prepared: PreparedChange, limits: Limits) -> Told {
        let planned = prepared.plan.planned;
        let mut applying = apply(&self.writer, &self.journal, prepared, limits);
        let (mut results, mut failed) = (Vec::new(), None);
        let hearing = async {
            while let Some(told) = applying.next().await {
                match told {
                    ChangeEvent::Results(some) => results.extend(some),
                    ChangeEvent::Failed(why) => failed = Some(why),
                    ChangeEvent::Ended(summary) => return summary,
                    ChangeEvent::Begun(_) | ChangeEvent::Progress(_) | ChangeEvent::Trouble(_) => {}
                }
            }
            panic!("it never ended: {failed:?}");
        };
        let summary = tokio::time::timeout(PATIENCE, hearing)
            .await
            .expect("an end");
        assert_eq!(summary.tally.sum(), planned, "{:?}", summary.tally);
        Told {
            summary,
            results,
            failed,
        }
    }

    /// What the journal says of the change with that id.
    pub(crate) async fn items(&self, summary: &Summary) -> Vec<(Item, Option<ItemResult>)> {
        let id = summary.journal_id.as_deref().unwrap();
        self.journal.items(id).await.unwrap()
    }
}
