//! The lag of replicas.

use redis::{Pipeline, Value};

use super::super::error::StoreError;
use super::super::link::{LIMIT, Store};

const ATTEMPT: &str = "ask how far its replicas are";

/// The lag of the slowest replica.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Lag {
    /// Bytes of the replication stream that it has not said yet to have.
    pub bytes: u64,
    /// It has nothing yet: it is to be given, or being given, a copy of everything.
    pub copied: bool,
    /// All replicas.
    pub replicas: usize,
}

/// Reads the lag of the slowest replica; none when there is none. One that does not answer is one
/// until the server gives it up (`repl-timeout`, a minute by default). (`INFO replication`:
/// `master_repl_offset` and each `slaveN:…,state=…,offset=…`; while it is copied to, the state is
/// `wait_bgsave` or `send_bulk` and the offset 0.)
pub async fn replica_lag(store: &Store) -> Result<Option<Lag>, StoreError> {
    let mut read = Pipeline::new();
    read.cmd("INFO").arg("replication");
    let mut replies = store.query(ATTEMPT, &read, LIMIT).await?;
    match store.accept(ATTEMPT, replies.pop().unwrap_or_default())? {
        Value::BulkString(info) => Ok(lag(&String::from_utf8_lossy(&info))),
        other => Err(store.unexpected(ATTEMPT, &other)),
    }
}

fn lag(info: &str) -> Option<Lag> {
    let lines = || {
        info.lines()
            .filter_map(|line| line.trim_end().split_once(':'))
    };
    let master = lines().find(|(name, _)| *name == "master_repl_offset")?;
    let master: u64 = master.1.parse().ok()?;
    let replica = |(name, words): (&str, &str)| {
        name.strip_prefix("slave")?.parse::<u32>().ok()?;
        let field = |field| {
            let mut fields = words.split(',').filter_map(|word| word.split_once('='));
            fields.find_map(|(name, value)| (name == field).then_some(value))
        };
        let offset: u64 = field("offset")?.parse().ok()?;
        Some(Lag {
            bytes: master.saturating_sub(offset),
            copied: field("state").is_some_and(|state| state != "online"),
            replicas: 1,
        })
    };
    let slowest = lines().filter_map(replica).max_by_key(|lag| lag.bytes)?;
    let replicas = lines().filter_map(replica).count();
    Some(Lag {
        replicas,
        ..slowest
    })
}

#[cfg(test)]
mod tests {
    use super::{Lag, lag};

    #[test]
    fn the_slowest_replica_tells_the_lag() {
        let info = "# Replication\r\nrole:master\r\nconnected_slaves:2\r\n\
            slave0:ip=10.0.0.2,port=6379,state=online,offset=900,lag=0\r\n\
            slave1:ip=10.0.0.3,port=6379,state=online,offset=400,lag=1\r\n\
            master_repl_offset:1000\r\n";
        let behind = |bytes, copied| {
            Some(Lag {
                bytes,
                copied,
                replicas: 2,
            })
        };
        assert_eq!(lag(info), behind(600, false));
        let copied = info.replace("online,offset=400", "send_bulk,offset=0");
        assert_eq!(lag(&copied), behind(1_000, true));
        assert_eq!(lag("role:master\r\nmaster_repl_offset:1000\r\n"), None);
        assert_eq!(lag(""), None);
    }
}
