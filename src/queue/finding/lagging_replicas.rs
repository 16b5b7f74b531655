//! A replica that is far behind, or gone: what its master has written since would be lost in a
//! failover.

use std::sync::Arc;

use super::id::LAGGING_REPLICAS as ID;
use super::{Finding, OpenQuestion, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::fleet::{ClusterNode, ClusterView};
use crate::queue::look::{Info, ServerLook};
use crate::queue::node::{Follower, followers};
use crate::queue::slot::slot;
use crate::queue::{Known, text};

/// The age, in ms, of bytes that a replica lacks from which on it is far behind: it answers each
/// second.
const BEHIND_MS: i64 = 9_000;
/// The silence of a replica, in seconds, from which on it is gone.
const MUTE_S: u64 = 10;
/// The silence, in seconds, from which on it may be about to go: it is looked at again.
const LATE_S: u64 = 3;

/// Looks at what the server says of its replicas, and its cluster or its sentinels of those that are
/// gone.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(last) = seen.server.last() else {
        return RuleVerdict::Silent;
    };
    let info = match &last.info {
        Known::None => return RuleVerdict::Silent,
        Known::Unknown(why) => return RuleVerdict::Blind(why.to_string()),
        Known::Is(info) => info,
    };
    if info.text("role") != Some("master") {
        return RuleVerdict::Silent;
    }
    let followers = followers(info);
    let slot = slot(&seen.queue.keys().timeouts);
    let gone = gone(last, slot, &followers);
    if followers.is_empty() && gone.is_empty() {
        return RuleVerdict::Silent;
    }
    // A copy of everything takes as long as it takes; what was written 9 s ago is no news.
    let then = seen.server.before(BEHIND_MS).and_then(|look| {
        let info = look.info.get_ref()?;
        info.number("master_repl_offset")
    });
    let is_behind = |follower: &&Follower| {
        follower.lag_s >= MUTE_S || then.is_some_and(|then| follower.offset < then)
    };
    let behind: Vec<&Follower> = followers.iter().filter(is_behind).collect();
    if behind.is_empty() && gone.is_empty() {
        let late = followers
            .iter()
            .find(|one| one.copied || one.lag_s >= LATE_S);
        return match late {
            Some(late) => {
                let state = if late.copied {
                    "is given a copy of everything"
                } else {
                    "is late"
                };
                let seen = format!("replica {} {state}", late.address);
                RuleVerdict::Early(OpenQuestion::new(
                    seen,
                    "whether it follows",
                    Some(BEHIND_MS),
                ))
            }
            None => RuleVerdict::Fine,
        };
    }
    let sound = followers.len() - behind.len();
    RuleVerdict::Found(finding(info, (&behind, &gone), sound))
}

/// The replicas that ought to be there and are not, in words.
fn gone(last: &ServerLook, slot: u16, there: &[Follower]) -> Vec<String> {
    let owner = |view: &&Arc<ClusterView>| view.owner(slot).is_some_and(|peer| peer.is_speaker);
    let view = last.views.iter().find(owner);
    let dead = view.and_then(|view| Some(dead(view, &view.speaker()?.id, there)));
    let mut gone = dead.unwrap_or_default();
    let known = last.sentinels.iter().map(|post| post.replicas).max();
    let missing = known.unwrap_or(0).saturating_sub(there.len() as u64);
    if missing > 0 {
        gone.push(text::counted(missing, "replica", "replicas") + " that sentinels know");
    }
    gone
}

fn dead(view: &ClusterView, master: &str, there: &[Follower]) -> Vec<String> {
    let is_dead = |peer: &&ClusterNode| {
        let follows = there.iter().any(|one| one.address == peer.address);
        peer.of.as_deref() == Some(master) && peer.failed && !follows
    };
    let dead = view.0.iter().filter(is_dead);
    dead.map(|peer| peer.address.clone()).collect()
}

fn finding(info: &Info, (behind, gone): (&[&Follower], &[String]), sound: usize) -> Finding {
    let offset = info.number("master_repl_offset").unwrap_or(0);
    let lag = |follower: &Follower| offset.saturating_sub(follower.offset);
    let most = behind.iter().map(|follower| lag(follower)).max();
    let headline = match (sound, gone) {
        (0, _) => "A failover now would lose what was written last.",
        (_, []) => "A replica is far behind.",
        (_, _) => "A replica is gone.",
    };
    let mut told: Vec<String> = Vec::new();
    for follower in behind {
        let (address, lag) = (&follower.address, text::bytes(lag(follower)));
        told.push(match (follower.copied, follower.lag_s) {
            (true, _) => format!("{address} has nothing yet: it is given a copy of everything"),
            (false, s @ LATE_S..) => {
                format!("{address} lacks {lag} and has not answered for {s} s")
            }
            (false, _) => format!("{address} lacks {lag}"),
        });
    }
    if !gone.is_empty() {
        told.push(format!("not connected: {}", gone.join(", ")));
    }
    let good = text::counted(sound as u64, "replica follows", "replicas follow");
    let mut finding = Finding::new(ID, Severity::Warning, headline)
        .details(format!("{}; {good}.", told.join("; ")))
        .number("lag_bytes", most)
        .number("behind", behind.len())
        .number("gone", gone.len())
        .number("following", sound)
        .all_words(told)
        .check(&["INFO"], b"replication");
    finding.of_server = true;
    finding.figure = most;
    finding.repair(
        Step::Outside,
        "Look at the replica, its load and its network; start it again if it is down. Until then a \
         change with --confirm all waits for the replicas that are there",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::EpochMillis;
    use crate::queue::finding::tests::{Scene, info_look, pulse};
    use crate::queue::fleet::SentinelAnswer;

    /// Seconds; the master's offset; offset and lag of each replica.
    type ReplicaOffsets<'a> = (i64, u64, &'a [(u64, u64)]);

    fn verdict(looks: &[ReplicaOffsets], known: u64) -> RuleVerdict {
        let looks = looks.iter().map(|(s, offset, replicas)| {
            let each = replicas.iter().enumerate().map(|(n, (offset, lag))| {
                format!("slave{n}:ip=h,port={n},state=online,offset={offset},lag={lag}\r\n")
            });
            let replicas: String = each.collect();
            let info = format!("role:master\r\nmaster_repl_offset:{offset}\r\n{replicas}");
            ServerLook {
                at: EpochMillis::new(s * 1_000),
                sentinels: vec![SentinelAnswer {
                    replicas: known,
                    ..SentinelAnswer::default()
                }],
                ..info_look(0, &info)
            }
        });
        let scene = Scene::default().pulse(pulse(0, 1, None, 1));
        looks.fold(scene, Scene::look).verdict(ID)
    }

    fn sentence(verdict: RuleVerdict) -> String {
        match verdict {
            RuleVerdict::Found(found) => found.sentence(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_replica_is_far_behind_when_it_lacks_what_its_master_wrote_long_ago() {
        // Under load each look finds it behind, and it follows.
        let follows: &[(u64, u64)] = &[(5_000, 1), (90_000, 0)];
        let looks: &[ReplicaOffsets] = &[(0, 1_000, &[(900, 0)]), (10, 100_000, follows)];
        assert_eq!(verdict(looks, 0), RuleVerdict::Fine);
        let stands: &[(u64, u64)] = &[(900, 1), (90_000, 0)];
        let looks: &[ReplicaOffsets] = &[(0, 1_000, &[(900, 0)]), (10, 3_100_000, stands)];
        let said = sentence(verdict(looks, 0));
        assert!(
            said.contains("far behind") && said.contains("h:0 lacks 3.0 MB; 1 replica follows"),
            "{said}"
        );
    }

    #[test]
    fn one_that_is_mute_or_gone_is_told_at_once_and_one_that_is_late_soon() {
        let said = sentence(verdict(&[(0, 1_000, &[(0, 12)])], 0));
        assert!(
            said.contains("would lose") && said.contains("not answered for 12 s"),
            "{said}"
        );
        let said = sentence(verdict(&[(0, 1_000, &[(1_000, 0)])], 2));
        assert!(
            said.contains("not connected: 1 replica that sentinels know"),
            "{said}"
        );
        let RuleVerdict::Early(_) = verdict(&[(0, 1_000, &[(1_000, 5)])], 1) else {
            panic!("it may answer soon");
        };
        assert_eq!(verdict(&[(0, 1_000, &[])], 0), RuleVerdict::Silent);
    }
}
