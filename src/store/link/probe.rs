//! The optional commands that the server lets us use, and its description of itself. Each command
//! is tried once by itself after connecting, since one refused command inside MULTI loses the whole
//! answer.

use std::collections::BTreeMap;

use redis::{Pipeline, Value};

use super::super::error::{passes, words};
use crate::queue::{Facts, Optional, RefusedCommands};

/// The commands that are tried, each in its cheapest form. PSUBSCRIBE is missing: it would turn the
/// connection into a subscriber, so `watch` tries it on its own.
const TRIES: &[(Optional, &[&str])] = &[
    (Optional::Info, &["INFO", "server"]),
    (Optional::NumSub, &["PUBSUB", "NUMSUB", "delayscope:probe"]),
    (
        Optional::Channels,
        &["PUBSUB", "CHANNELS", "delayscope:probe"],
    ),
    (Optional::ClientList, &["CLIENT", "LIST", "TYPE", "master"]),
    (
        Optional::ScriptExists,
        &[
            "SCRIPT",
            "EXISTS",
            "0000000000000000000000000000000000000000",
        ],
    ),
    (Optional::Scan, &["SCAN", "0", "COUNT", "1"]),
];

/// All of them, and INFO replication last.
pub(super) fn pipeline() -> Pipeline {
    let mut all = Pipeline::new();
    for (_, line) in TRIES {
        for (i, word) in line.iter().enumerate() {
            if i == 0 {
                all.cmd(word);
            } else {
                all.arg(*word);
            }
        }
    }
    all.cmd("INFO").arg("replication");
    all
}

/// Tells what the answers say.
pub(super) fn read(values: &[Value]) -> (RefusedCommands, Option<Facts>) {
    let mut refused = RefusedCommands::default();
    for ((command, _), value) in TRIES.iter().zip(values) {
        if let Value::ServerError(error) = value
            && !passes(error.code())
        {
            refused.0.insert(*command, words(error));
        }
    }
    let value = |i: usize| values.get(i).unwrap_or(&Value::Nil);
    (refused, facts_of(value(0), value(TRIES.len())))
}

/// Tells what the server says it is, from `INFO server` and, if it was allowed, `INFO replication`.
pub(super) fn facts_of(server: &Value, replication: &Value) -> Option<Facts> {
    let text = |value: &Value| match value {
        Value::BulkString(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    };
    let server = text(server)?;
    Some(facts(&(server + &text(replication).unwrap_or_default())))
}

/// Reads INFO.
fn facts(info: &str) -> Facts {
    let fields: BTreeMap<&str, &str> = info
        .lines()
        .filter_map(|line| line.trim_end().split_once(':'))
        .collect();
    let text = |name: &str| fields.get(name).copied().unwrap_or("").to_owned();
    let valkey = fields.contains_key("valkey_version");
    Facts {
        product: if valkey { "valkey" } else { "redis" }.to_owned(),
        version: text(if valkey {
            "valkey_version"
        } else {
            "redis_version"
        }),
        role: text("role"),
        mode: text(if fields.contains_key("redis_mode") {
            "redis_mode"
        } else {
            "server_mode"
        }),
        uptime_s: text("uptime_in_seconds").parse().unwrap_or(0),
        arch_bits: text("arch_bits").parse().unwrap_or(0),
        os: text("os"),
        run_id: text("run_id"),
        replication_id: text("master_replid"),
        former_replication_id: some_id(text("master_replid2")),
    }
}

/// A replication id; a server that has none says so by zeros.
fn some_id(id: String) -> String {
    if id.bytes().all(|byte| byte == b'0') {
        return String::new();
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_valkey_server_is_called_by_its_own_name_and_version() {
        let info = "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\nredis_mode:standalone\r\narch_bits:64\r\n# Replication\r\nrole:master\r\n";
        let f = facts(info);
        assert_eq!(
            (f.product.as_str(), f.version.as_str()),
            ("valkey", "8.0.1")
        );
        assert_eq!((f.role.as_str(), f.arch_bits), ("master", 64));
        assert_eq!(f.mode, "standalone");
        // From 8 on it calls the mode by another name.
        assert_eq!(
            facts("valkey_version:9.1.2\r\nserver_mode:cluster\r\n").mode,
            "cluster"
        );
    }
}
