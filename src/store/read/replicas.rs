//! The replication of a server: its history, how far it is, and how far its replicas are.

use redis::{Pipeline, Value};

use super::super::error::StoreError;
use super::super::link::{LIMIT, Store};
use crate::queue::look::Info;
use crate::queue::node::followers;

const ATTEMPT: &str = "ask how far its replicas are";

/// The place of a server in its replication, at one moment (`INFO replication`).
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Replication {
    /// True of a master: others copy from it, and it takes writes.
    pub is_master: bool,
    /// The history that it is in (`master_replid`): a replica that becomes master begins a new one.
    pub history: String,
    /// Bytes of that history that it has (`master_repl_offset`).
    pub offset: u64,
    /// The history before (`master_replid2`), and the first offset that is none of it any more
    /// (`second_repl_offset`): what was written there from this offset on is lost.
    pub former: Option<(String, u64)>,
    /// The replicas that it has.
    pub replicas: Vec<Replica>,
}

/// A replica, as its master sees it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Replica {
    /// Bytes of the history that it has said to have.
    pub offset: u64,
    /// It is to be given, or being given, a copy of everything.
    pub copied: bool,
}

/// The lag of the slowest replica.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Lag {
    /// Bytes of the replication stream that it has not said yet to have.
    pub bytes: u64,
    /// It has nothing yet: it is to be given, or being given, a copy of everything.
    pub copied: bool,
}

/// Reads the place of the server in its replication. A replica that does not answer is one until the
/// server gives it up (`repl-timeout`, a minute by default).
pub async fn replication(store: &Store) -> Result<Replication, StoreError> {
    let mut read = Pipeline::new();
    read.cmd("INFO").arg("replication");
    let mut replies = store.query(ATTEMPT, &read, LIMIT).await?;
    let answer = store.accept(ATTEMPT, replies.pop().unwrap_or_default())?;
    Replication::read(&answer).ok_or_else(|| store.unexpected(ATTEMPT, &answer))
}

/// Fails where the server does not let us wait for its replicas.
pub async fn may_wait(store: &Store) -> Result<(), StoreError> {
    const ATTEMPT: &str = "wait for its replicas";
    let mut wait = Pipeline::new();
    // For none of them, which takes no time.
    wait.cmd("WAIT").arg(0).arg(1);
    let mut replies = store.query(ATTEMPT, &wait, LIMIT).await?;
    store.accept(ATTEMPT, replies.pop().unwrap_or_default())?;
    Ok(())
}

impl Replication {
    /// Reads the answer to `INFO replication`; none when it is another one.
    pub(in crate::store) fn read(answer: &Value) -> Option<Self> {
        match answer {
            Value::BulkString(info) => Self::of(&String::from_utf8_lossy(info)),
            _ => None,
        }
    }

    /// While a replica is copied to, its offset is 0.
    fn of(text: &str) -> Option<Self> {
        let mut info = Info::default();
        info.read(text);
        let before = info.text("master_replid2");
        let before = before.filter(|id| id.bytes().any(|byte| byte != b'0'));
        let replicas = followers(&info).into_iter().map(|follower| Replica {
            offset: follower.offset,
            copied: follower.copied,
        });
        Some(Self {
            is_master: info.text("role")? == "master",
            history: info.text("master_replid").unwrap_or_default().to_owned(),
            offset: info.number("master_repl_offset")?,
            former: before
                .map(str::to_owned)
                .zip(info.number("second_repl_offset")),
            replicas: replicas.collect(),
        })
    }

    /// The lag of the slowest replica; none when there is none.
    #[must_use]
    pub fn lag(&self) -> Option<Lag> {
        let lag = |replica: &Replica| Lag {
            bytes: self.offset.saturating_sub(replica.offset),
            copied: replica.copied,
        };
        self.replicas.iter().map(lag).max_by_key(|lag| lag.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{Lag, Replication};

    #[test]
    fn the_slowest_replica_tells_the_lag() {
        let info = "# Replication\r\nrole:master\r\nconnected_slaves:2\r\n\
            slave0:ip=10.0.0.2,port=6379,state=online,offset=900,lag=0\r\n\
            slave1:ip=10.0.0.3,port=6379,state=online,offset=400,lag=1\r\n\
            master_repl_offset:1000\r\n";
        let behind = |bytes, copied| Some(Lag { bytes, copied });
        let lag = |info: &str| Replication::of(info).unwrap().lag();
        assert_eq!(lag(info), behind(600, false));
        let copied = info.replace("online,offset=400", "send_bulk,offset=0");
        assert_eq!(lag(&copied), behind(1_000, true));
        assert_eq!(lag("role:master\r\nmaster_repl_offset:1000\r\n"), None);
        assert_eq!(Replication::of(""), None);
    }

    #[test]
    fn a_server_that_was_a_replica_tells_where_the_history_of_its_master_ends() {
        let id = |c: &str| c.repeat(40);
        let info = |second: &str, at: &str| {
            format!(
                "role:master\r\nmaster_replid:{}\r\nmaster_replid2:{second}\r\n\
                 master_repl_offset:1000\r\nsecond_repl_offset:{at}\r\n",
                id("a")
            )
        };
        let took_over = Replication::of(&info(&id("b"), "701")).unwrap();
        assert!(took_over.is_master);
        assert_eq!((took_over.history, took_over.offset), (id("a"), 1_000));
        assert_eq!(took_over.former, Some((id("b"), 701)));
        assert_eq!(Replication::of(&info(&id("0"), "-1")).unwrap().former, None);
    }
}
