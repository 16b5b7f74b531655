//! Learning the map of a cluster: when we connect, and again every two seconds, at each hint that it
//! has changed, and while a node is away.
//!
//! The nodes of a cluster are asked beside each other, and the answer of the highest epoch counts: a
//! failover and the end of a slot's migration raise it at the node that has got the slots. (Of a
//! server that is no cluster nothing is known here, and nothing is done.)

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use redis::{Pipeline, Value};
use tokio::time::{sleep, sleep_until, timeout, timeout_at};

use super::super::error::{StoreError, plain, words};
use super::shared::SharedLink;
use super::slots::{SlotMap, Topology};
use super::wire::Wire;
use crate::clock::instant;
use crate::queue::{Address, Nodes};

/// The longest wait for what a node knows.
const LIMIT: Duration = Duration::from_secs(1);
/// The wait for the others once one has answered.
const OTHERS: Duration = Duration::from_millis(100);
/// The pause between two questions. A MOVED, and a node that is away, ask sooner.
const ROUND: Duration = Duration::from_secs(2);
/// The shortest one.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
/// Nodes that are asked at once.
const ASKED: usize = 5;
const ATTEMPT: &str = "tell which node owns which slot";

/// The answer of one node.
struct Testimony {
    /// Of two that disagree the higher one is right.
    rank: (bool, u64),
    map: SlotMap,
}

/// Learns the map by a connection to the node at `asked`.
pub(super) async fn learn(
    topology: &Topology,
    wire: &mut Wire,
    asked: &Address,
    server: impl Fn() -> String,
) -> Result<(), StoreError> {
    let question = question();
    let sent = wire.send_packed_commands(&question, 0, question.len());
    let answers = timeout(LIMIT, sent).await;
    let answers = match answers {
        Ok(Ok(answers)) => answers,
        Ok(Err(error)) => {
            return Err(StoreError::NotConnected {
                server: server(),
                why: plain(&error),
            });
        }
        Err(_) => {
            return Err(StoreError::TimedOut {
                server: server(),
                attempt: ATTEMPT,
                after: LIMIT,
            });
        }
    };
    if let Some(Value::ServerError(error)) = answers.first() {
        let help = "; it is a cluster: a user needs +cluster|slots and +cluster|info \
                    (delayscope acl --cluster)";
        let help = if error.code() == "NOPERM" { help } else { "" };
        return Err(StoreError::Refused {
            server: server(),
            attempt: ATTEMPT,
            code: error.code().to_owned(),
            words: words(error) + help,
        });
    }
    let said = Testimony::read(&answers, asked);
    let said = said.ok_or_else(|| StoreError::Unexpected {
        server: server(),
        attempt: ATTEMPT,
        got: format!("{:.200}", format!("{answers:?}")),
    })?;
    topology.adopt(said.map);
    Ok(())
}

/// Keeps the map up to date, for ever.
pub(super) async fn follow(shared: &SharedLink, topology: &Topology) {
    let mut known = topology.map.subscribe();
    // An error means that there is no link any more.
    if known.wait_for(SlotMap::is_known).await.is_err() {
        std::future::pending::<()>().await;
    }
    let mut turn = 0;
    loop {
        let away = shared.sites.away();
        shared.nodes(topology.nodes().map(|nodes| Nodes { away, ..nodes }));
        tokio::select! {
            () = topology.doubts.notified() => {}
            () = sleep_until((instant() + ROUND).into()) => {}
        }
        if let Some(said) = ask_several(shared, turn).await {
            topology.adopt(said.map);
        }
        shared.sites.tidy(topology);
        turn += 1;
        sleep(SHORTEST_PAUSE).await;
    }
}

/// Asks some of the nodes, each time others where there are many; the answer that counts.
async fn ask_several(shared: &SharedLink, turn: usize) -> Option<Testimony> {
    let mut until = instant() + LIMIT;
    let links = shared.sites.open_links();
    let first = if links.is_empty() {
        0
    } else {
        turn * ASKED % links.len()
    };
    let some = links
        .iter()
        .cycle()
        .skip(first)
        .take(ASKED.min(links.len()));
    let mut asked: FuturesUnordered<_> = some.map(|link| ask(link)).collect();
    asked.push(ask(shared));
    let mut best: Option<Testimony> = None;
    while let Ok(Some(said)) = timeout_at(until.into(), asked.next()).await {
        let Some(said) = said else { continue };
        if best.is_none() {
            until = until.min(instant() + OTHERS);
        }
        if best.as_ref().is_none_or(|best| said.rank > best.rank) {
            best = Some(said);
        }
    }
    best
}

async fn ask(shared: &SharedLink) -> Option<Testimony> {
    let asked = shared.dialer.place()?;
    let answers = shared.exchange(ATTEMPT, &question(), LIMIT).await.ok()?;
    Testimony::read(&answers, &asked)
}

fn question() -> Pipeline {
    let mut question = Pipeline::new();
    question.cmd("CLUSTER").arg("SLOTS");
    question.cmd("CLUSTER").arg("INFO");
    question
}

impl Testimony {
    /// Reads the answers to [`question`] of the node at `asked`; none: it knows of no slots.
    fn read(answers: &[Value], asked: &Address) -> Option<Self> {
        let [Value::Array(shares), info] = answers else {
            return None;
        };
        let map = SlotMap::read(shares, asked)?;
        // Who may not ask for that takes the first answer.
        let info = match info {
            Value::BulkString(text) => String::from_utf8_lossy(text).into_owned(),
            _ => String::new(),
        };
        let field = |name: &str| {
            let mut lines = info.lines().filter_map(|line| line.split_once(':'));
            lines
                .find(|(field, _)| *field == name)
                .map(|(_, text)| text)
        };
        let epoch = field("cluster_current_epoch").and_then(|epoch| epoch.trim().parse().ok());
        Some(Self {
            rank: (field("cluster_state") == Some("ok"), epoch.unwrap_or(0)),
            map,
        })
    }
}
