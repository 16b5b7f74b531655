//! Nodes of a cluster do not agree on who owns the slot of the queue, or sentinels on who is the
//! master.

use std::collections::BTreeMap;

use super::id::SPLIT_VIEW as ID;
use super::{Finding, OpenQuestion, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::look::ServerLook;
use crate::queue::slot::slot;
use crate::queue::text;

/// A failover, and a slot that is given away, are news to all within seconds: after this, in ms, they
/// stay of two minds.
const SPLIT_MS: i64 = 9_000;

/// Looks at what each says.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(last) = seen.server.last() else {
        return RuleVerdict::Silent;
    };
    if last.views.is_empty() && last.sentinels.is_empty() {
        return RuleVerdict::Silent;
    }
    let slot = slot(&seen.queue.keys().timeouts);
    let said = said(last, slot);
    if said.len() < 2 {
        return RuleVerdict::Fine;
    }
    let of_cluster = !last.views.is_empty();
    let ms = seen.server.lasts(|look| self::said(look, slot).len() > 1);
    let ms = ms.unwrap_or(0);
    if ms < SPLIT_MS {
        let who = if of_cluster { "nodes" } else { "sentinels" };
        let seen = format!("{who} name different masters of this queue");
        return RuleVerdict::Early(OpenQuestion::new(
            seen,
            "whether they agree",
            Some(SPLIT_MS - ms),
        ));
    }
    let finding = if of_cluster {
        of_nodes(slot, &said)
    } else {
        of_sentinels(&said)
    };
    RuleVerdict::Found(finding.number("split_ms", ms))
}

/// The masters of the queue that are named, each with those who name it.
type NamedMasters = BTreeMap<String, Vec<String>>;

fn said(look: &ServerLook, slot: u16) -> NamedMasters {
    let mut said = NamedMasters::new();
    for view in &look.views {
        if let (Some(speaker), Some(owner)) = (view.speaker(), view.owner(slot)) {
            // A node calls itself by another name than the others do, where it has several.
            let speakers = look.views.iter().filter_map(|view| view.speaker());
            let itself = speakers.into_iter().find(|peer| peer.id == owner.id);
            let address = itself.map_or(&owner.address, |peer| &peer.address);
            let by = said.entry(address.clone()).or_default();
            by.push(speaker.address.clone());
        }
    }
    for post in &look.sentinels {
        if let Some(master) = &post.master {
            said.entry(master.clone())
                .or_default()
                .push(post.address.clone());
        }
    }
    said
}

/// The same, the one first that most name.
fn in_order(said: &NamedMasters) -> Vec<(&str, &[String])> {
    let mut each: Vec<(&str, &[String])> = said.iter().map(|(who, by)| (&**who, &**by)).collect();
    each.sort_by_key(|(_, by)| std::cmp::Reverse(by.len()));
    each
}

fn told(said: &NamedMasters) -> Vec<String> {
    let each = in_order(said).into_iter();
    each.map(|(who, by)| format!("{who} is named by {}", by.join(", ")))
        .collect()
}

fn of_nodes(slot: u16, said: &NamedMasters) -> Finding {
    let number = text::thousands(slot.into());
    // Who claims it itself takes writes.
    let claims = said.iter().filter(|(who, by)| by.contains(*who)).count();
    let (severity, headline) = if claims > 1 {
        (
            Severity::Critical,
            "Two nodes of the cluster take writes for this queue.",
        )
    } else {
        (
            Severity::Warning,
            "Nodes of the cluster disagree on who owns this queue.",
        )
    };
    let mut finding = Finding::new(ID, severity, headline)
        .details(format!("Slot {number}: {}.", told(said).join("; ")))
        .number("slot", slot);
    finding = finding.number("named", said.keys().cloned().collect::<Vec<_>>());
    let first = in_order(said).first().map_or("", |(who, _)| *who);
    finding = finding.all_words(told(said)).check(&["CLUSTER"], b"NODES");
    finding
        .check_cluster(first)
        .repair(Step::Outside, "Have them agree.")
        .fix_cluster(first)
}

fn of_sentinels(said: &NamedMasters) -> Finding {
    let mut finding = Finding::new(
        ID,
        Severity::Warning,
        "Sentinels disagree on which server is the master.",
    )
    .details(format!(
        "A client that asks the wrong one writes what is lost: {}.",
        told(said).join("; ")
    ))
    .number("named", said.keys().cloned().collect::<Vec<_>>());
    finding.of_server = true;
    finding.all_words(told(said)).repair(
        Step::Outside,
        "At each sentinel that names another master than the rest: SENTINEL REMOVE NAME, then SENTINEL \
         MONITOR NAME HOST PORT QUORUM with the master of the rest, and its settings by SENTINEL SET",
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::EpochMillis;
    use crate::queue::finding::tests::{Scene, info_look, pulse};
    use crate::queue::fleet::{ClusterView, SentinelAnswer};

    fn verdict(looks: Vec<ServerLook>) -> RuleVerdict {
        let scene = Scene::default().pulse(pulse(0, 1, None, 1));
        looks.into_iter().fold(scene, Scene::look).verdict(ID)
    }

    fn at(s: i64) -> ServerLook {
        ServerLook {
            at: EpochMillis::new(s * 1_000),
            ..info_look(0, "")
        }
    }

    /// A look at two nodes, each of which names an owner of the slot.
    fn nodes(s: i64, first: &str, second: &str) -> ServerLook {
        let view = |me: &str, owner: &str| {
            let line = |id: &str| {
                let flags = if id == me { "myself,master" } else { "master" };
                let slots = if id == owner { "11958" } else { "" };
                format!("{id} {id}:1@2 {flags} - 0 0 1 connected {slots}\n")
            };
            let nodes = ["a", "b"].map(line).concat();
            Arc::new(ClusterView::read(&nodes, &format!("{me}:1")))
        };
        ServerLook {
            views: vec![view("a", first), view("b", second)],
            ..at(s)
        }
    }

    fn sentinels(s: i64, masters: [Option<&str>; 3]) -> ServerLook {
        let posts = masters.iter().zip(["x", "y", "z"]);
        let posts = posts.map(|(master, place)| SentinelAnswer {
            address: place.to_owned(),
            master: master.map(str::to_owned),
            ..SentinelAnswer::default()
        });
        ServerLook {
            sentinels: posts.collect(),
            ..at(s)
        }
    }

    #[test]
    fn two_nodes_that_both_claim_a_slot_are_critical_once_it_lasts() {
        assert_eq!(verdict(vec![nodes(0, "a", "a")]), RuleVerdict::Fine);
        let RuleVerdict::Early(_) = verdict(vec![nodes(0, "a", "b")]) else {
            panic!("they may be about to agree");
        };
        let both = verdict(vec![nodes(0, "a", "b"), nodes(10, "a", "b")]);
        let RuleVerdict::Found(found) = both else {
            panic!("nothing found");
        };
        assert_eq!(found.severity, Severity::Critical);
        let one = verdict(vec![nodes(0, "b", "a"), nodes(10, "b", "a")]);
        let RuleVerdict::Found(found) = one else {
            panic!("nothing found");
        };
        assert_eq!(found.severity, Severity::Warning);
        assert!(
            found.sentence().contains("a:1 is named by b:1"),
            "{}",
            found.sentence()
        );
    }

    #[test]
    fn a_sentinel_of_another_mind_is_told_and_a_silent_one_is_not() {
        let of = |masters| vec![sentinels(0, masters), sentinels(10, masters)];
        let silent = verdict(of([Some("m"), Some("m"), None]));
        assert_eq!(silent, RuleVerdict::Fine);
        let RuleVerdict::Found(found) = verdict(of([Some("m"), Some("n"), Some("m")])) else {
            panic!("nothing found");
        };
        assert!(
            found
                .sentence()
                .contains("m is named by x, z; n is named by y")
        );
        assert_eq!(verdict(vec![at(0)]), RuleVerdict::Silent);
    }
}
