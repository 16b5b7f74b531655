//! How far replicas are behind.

use redis::{Pipeline, Value};

use super::super::error::StoreError;
use super::super::link::{LIMIT, Store};

const ATTEMPT: &str = "ask how far its replicas are";

/// How many bytes of the replication stream the slowest replica is behind; none when there is
/// none. (`INFO replication`: `master_repl_offset` and each `slaveN:…,offset=…`.)
pub async fn replica_lag(store: &Store) -> Result<Option<u64>, StoreError> {
    let mut read = Pipeline::new();
    read.cmd("INFO").arg("replication");
    let mut replies = store.query(ATTEMPT, &read, LIMIT).await?;
    match store.accept(ATTEMPT, replies.pop().unwrap_or_default())? {
        Value::BulkString(info) => Ok(lag(&String::from_utf8_lossy(&info))),
        other => Err(store.unexpected(ATTEMPT, &other)),
    }
}

fn lag(info: &str) -> Option<u64> {
    let fields = || {
        info.lines()
            .filter_map(|line| line.trim_end().split_once(':'))
    };
    let master = fields().find(|(name, _)| *name == "master_repl_offset")?;
    let master: u64 = master.1.parse().ok()?;
    let offset = |(name, words): (&str, &str)| {
        let number = name.strip_prefix("slave")?;
        number.parse::<u32>().ok()?;
        let offset = words
            .split(',')
            .find_map(|word| word.strip_prefix("offset="))?;
        offset.parse::<u64>().ok()
    };
    let slowest = fields().filter_map(offset).min()?;
    Some(master.saturating_sub(slowest))
}

#[cfg(test)]
mod tests {
    use super::lag;

    #[test]
    fn the_slowest_replica_tells_the_lag() {
        let info = "# Replication\r\nrole:master\r\nconnected_slaves:2\r\n\
            slave0:ip=10.0.0.2,port=6379,state=online,offset=900,lag=0\r\n\
            slave1:ip=10.0.0.3,port=6379,state=online,offset=400,lag=1\r\n\
            master_repl_offset:1000\r\n";
        assert_eq!(lag(info), Some(600));
        assert_eq!(lag("role:master\r\nmaster_repl_offset:1000\r\n"), None);
        assert_eq!(lag(""), None);
    }
}
