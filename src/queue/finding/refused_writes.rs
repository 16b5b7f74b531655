//! The server refuses writes, so that nothing is transferred and nothing offered.

use super::id::REFUSED_WRITES as ID;
use super::{Finding, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::look::Info;
use crate::queue::{Known, text};

/// A refusal within this is one of now, in ms: clients try again every 5 s.
const NOW_MS: i64 = 30_000;
/// Entries that stay for so long after their due time show that nothing is transferred, in ms.
const STUCK_MS: i64 = 6_000;

/// A reason for which servers refuse writes.
struct Reason {
    code: &'static str,
    /// The end of the headline.
    why: &'static str,
    repair: &'static str,
    /// The sign of it in `INFO`.
    holds: fn(&Info) -> Sign,
}

/// Sign of whether a reason holds now, as far as the server's state tells.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Sign {
    /// It does: writes are refused.
    Yes,
    /// It may: when it refuses something now, or has done so and something is stuck.
    Perhaps,
    /// It does, and may be meant to: when it has refused something, and something is stuck.
    Astray,
    /// It does not.
    No,
}

const REASONS: [Reason; 5] = [
    Reason {
        code: "OOM",
        why: "its memory is full",
        repair: "Raise maxmemory (CONFIG SET maxmemory), or make room. Until then only transfers in \
                 small steps, deletions and consumers help.",
        holds: memory,
    },
    Reason {
        code: "MISCONF",
        why: "it cannot save its data to disk",
        repair: "Free or repair the disk (the server's log says which), then BGSAVE. In an \
                 emergency: CONFIG SET stop-writes-on-bgsave-error no.",
        holds: disk,
    },
    Reason {
        code: "NOREPLICAS",
        why: "it has too few good replicas",
        repair: "Bring its replicas back, or lower min-replicas-to-write.",
        holds: replicas,
    },
    Reason {
        code: "READONLY",
        why: "this server is a replica",
        repair: "Connect the clients to the master, or make this server the master: REPLICAOF NO \
                 ONE.",
        holds: replica,
    },
    Reason {
        code: "CLUSTERDOWN",
        why: "its cluster is down",
        repair: "Bring the lost nodes of the cluster back: CLUSTER INFO and CLUSTER NODES name \
                 them.",
        holds: cluster,
    },
];

/// Looks at what `INFO` says of the server, and at the errors that it counts (Redis ≥ 6.2).
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let info = match seen.server.last().map(|look| &look.info) {
        None | Some(Known::None) => return RuleVerdict::Silent,
        Some(Known::Unknown(why)) => return RuleVerdict::Blind(why.to_string()),
        Some(Known::Is(info)) => info,
    };
    let found = REASONS
        .iter()
        .find_map(|reason| Some((reason, refused(seen, info, reason)?)));
    match found {
        Some((reason, lately)) => RuleVerdict::Found(finding(info, reason, lately)),
        None => RuleVerdict::Fine,
    }
}

/// The number of its refusals lately.
#[derive(Clone, Copy, Default)]
struct RecentRefusals {
    /// Times it has done so; 0 when it has not, or does not count.
    count: u64,
    /// Within so many ms.
    ms: i64,
}

/// Tells whether it refuses writes for this reason.
fn refused(seen: &QueueFacts, info: &Info, reason: &Reason) -> Option<RecentRefusals> {
    let lately = seen
        .server
        .grew(NOW_MS, |info| info.errors(reason.code))
        .map_or_else(RecentRefusals::default, |(count, ms)| RecentRefusals {
            count,
            ms,
        });
    let holds = match (reason.holds)(info) {
        Sign::Yes if reason.code == "MISCONF" && lately.count == 0 && writes_go_on(seen) => {
            Sign::No
        }
        holds => holds,
    };
    if lately.count > 0 && holds == Sign::Perhaps || holds == Sign::Yes {
        return Some(lately);
    }
    let ever = info.errors(reason.code).is_some_and(|count| count > 0);
    let hurts = matches!(holds, Sign::Perhaps | Sign::Astray) && ever && stuck(seen);
    hurts.then_some(lately)
}

/// The data has changed between two looks, which a server that refuses all writes for its disk does
/// not let happen: somebody has told it to take writes although it cannot save them.
fn writes_go_on(seen: &QueueFacts) -> bool {
    let changes = |info: &Info| info.number("rdb_changes_since_last_save");
    let grown = seen.server.grew(NOW_MS, changes);
    grown.is_some_and(|(count, _)| count > 0)
}

fn stuck(seen: &QueueFacts) -> bool {
    let late = |pulse: &crate::queue::Pulse| {
        let due = pulse.oldest_late;
        due.is_some_and(|due| pulse.at.since(due) > STUCK_MS)
    };
    seen.pulse.is_some_and(late)
}

fn finding(info: &Info, reason: &Reason, lately: RecentRefusals) -> Finding {
    let code = reason.code;
    let mut finding = Finding::new(
        ID,
        Severity::Critical,
        format!("Redis refuses writes: {}.", reason.why),
    )
    .details(format!(
        "Nothing is transferred, and nothing can be offered. The error is {code}."
    ));
    finding.of_server = true;
    finding = finding
        .number("code", code)
        .number("errors", info.errors(code));
    let RecentRefusals { count, ms } = lately;
    if count > 0 {
        let span = text::span(ms.unsigned_abs());
        finding = finding
            .number("errors_lately", count)
            .number("errors_within_ms", ms)
            .words(format!(
                "{} in the last {span}",
                text::counted(count, "refusal", "refusals")
            ));
    }
    for name in [
        "used_memory",
        "maxmemory",
        "rdb_last_bgsave_status",
        "aof_last_write_status",
        "role",
        "master_link_status",
        "min_slaves_good_slaves",
    ] {
        if let Some(value) = info.text(name) {
            finding = finding.number(name, value);
        }
    }
    finding
        .check(&["INFO"], b"errorstats")
        .repair(Step::Outside, reason.repair)
}

/// Redis counts all memory but the buffers of replicas and of the append-only file.
fn memory(info: &Info) -> Sign {
    let limit = info.number("maxmemory").unwrap_or(0);
    let beside = info.number("mem_not_counted_for_evict").unwrap_or(0);
    let Some(used) = info.number("used_memory") else {
        return Sign::Perhaps;
    };
    let full = limit > 0 && used.saturating_sub(beside) > limit;
    match (full, info.text("maxmemory_policy")) {
        (true, Some("noeviction")) => Sign::Yes,
        // What may be dropped makes room; where nothing of that kind is left, it does not.
        (true, _) => Sign::Perhaps,
        (false, _) => Sign::No,
    }
}

/// A failed snapshot stops writes unless the configuration says otherwise, which `INFO` does not
/// tell; a failed append always does.
fn disk(info: &Info) -> Sign {
    let failed = |name: &str| info.text(name).is_some_and(|status| status != "ok");
    let refusals = info.errors("MISCONF");
    let append = info.number("aof_enabled") == Some(1) && failed("aof_last_write_status");
    match (failed("rdb_last_bgsave_status"), append, refusals) {
        (_, true, _) | (true, _, Some(1..)) => Sign::Yes,
        (true, ..) => Sign::Perhaps,
        (false, false, _) => Sign::No,
    }
}

/// The sign of too few replicas. Only this field tells that it wants any.
fn replicas(info: &Info) -> Sign {
    match info.number("min_slaves_good_slaves") {
        Some(_) => Sign::Perhaps,
        None => Sign::No,
    }
}

/// Whoever writes here by mistake need not be a client of the queue.
fn replica(info: &Info) -> Sign {
    match info.text("role") {
        Some("slave") => Sign::Astray,
        _ => Sign::No,
    }
}

fn cluster(info: &Info) -> Sign {
    match info.number("cluster_enabled") {
        Some(1) => Sign::Perhaps,
        _ => Sign::No,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Scene, info_look, pulse};
    use super::*;

    const COUNTS: &str = "total_error_replies:9\r\n";

    fn scene(late_ms: Option<i64>, looks: &[&str]) -> Scene {
        let mut scene = Scene::default().pulse(pulse(0, 1, late_ms, 1));
        for (i, info) in (0..).zip(looks) {
            scene = scene.look(info_look(i * 10_000, &format!("{COUNTS}{info}")));
        }
        scene
    }

    #[test]
    fn a_full_memory_refuses_writes_where_nothing_may_be_dropped() {
        let full = "used_memory:2000\r\nmaxmemory:1000\r\nmaxmemory_policy:";
        let found = |policy| scene(None, &[&format!("{full}{policy}\r\n")]).found(ID);
        let oom = found("noeviction").unwrap();
        assert_eq!((oom.severity, oom.of_server), (Severity::Critical, true));
        assert_eq!(oom.evidence.figures["code"], "OOM");
        assert_eq!(found("allkeys-lru"), None);
        let room = "used_memory:900\r\nmaxmemory:1000\r\nmaxmemory_policy:noeviction\r\n";
        assert_eq!(scene(None, &[room]).found(ID), None);
        let buffers = format!("{full}noeviction\r\nmem_not_counted_for_evict:1500\r\n");
        assert_eq!(scene(None, &[&buffers]).found(ID), None);
    }

    #[test]
    fn refusals_of_now_are_told_and_those_of_long_ago_are_not() {
        let replica = |count: u64| format!("role:slave\r\nerrorstat_READONLY:count={count}\r\n");
        let [before, grown] = [replica(3), replica(5)];
        let looks = [before.as_str(), grown.as_str()];
        let refused = scene(Some(STUCK_MS + 1), &looks).found(ID).unwrap();
        assert_eq!(refused.evidence.figures["errors_lately"], 2);
        // Somebody else writes here; what falls due is transferred at the master.
        assert_eq!(scene(None, &looks).found(ID), None);
        let wants = |count: u64| {
            format!("min_slaves_good_slaves:0\r\nerrorstat_NOREPLICAS:count={count}\r\n")
        };
        let [before, grown] = [wants(0), wants(1)];
        assert!(scene(None, &[&before, &grown]).found(ID).is_some());
        let [once, again] = [replica(3), replica(3)];
        assert_eq!(scene(None, &[&once, &again]).found(ID), None);
        // It has refused something, and entries do not leave.
        let stuck = scene(Some(STUCK_MS + 1), &[&once]).found(ID).unwrap();
        assert_eq!(stuck.evidence.figures["code"], "READONLY");
        let promoted = [
            once.as_str(),
            "role:master\r\nerrorstat_READONLY:count=5\r\n",
        ];
        assert_eq!(scene(Some(60_000), &promoted).found(ID), None);
    }

    #[test]
    fn a_failed_snapshot_is_told_once_it_has_refused_a_write() {
        let failed = "rdb_last_bgsave_status:err\r\n";
        assert_eq!(scene(None, &[failed]).found(ID), None);
        let refused = format!("{failed}errorstat_MISCONF:count=1\r\n");
        assert!(scene(None, &[&refused]).found(ID).is_some());
        // Writes are taken again, though they are not saved.
        let going_on = |changes: u64| format!("{refused}rdb_changes_since_last_save:{changes}\r\n");
        let (before, after) = (going_on(5), going_on(9));
        assert!(scene(None, &[&before, &before]).found(ID).is_some());
        assert_eq!(scene(None, &[&before, &after]).found(ID), None);
        let mended = "rdb_last_bgsave_status:ok\r\nerrorstat_MISCONF:count=1\r\n";
        assert_eq!(scene(Some(60_000), &[mended]).found(ID), None);
    }
}
