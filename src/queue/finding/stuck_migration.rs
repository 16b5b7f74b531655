//! The slot of the queue is half moved to another node of its cluster, and nobody goes on.

use super::id::STUCK_MIGRATION as ID;
use super::{Finding, OpenQuestion, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::fleet::{ClusterView, MovingSlot};
use crate::queue::look::ServerLook;
use crate::queue::slot::slot;
use crate::queue::text;

/// A slot that moves does so in seconds: after this, in ms, whoever moved it has gone.
const STUCK_MS: i64 = 30_000;

/// Looks at what the nodes say of the slot.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(last) = seen.server.last() else {
        return RuleVerdict::Silent;
    };
    if last.views.is_empty() {
        return RuleVerdict::Silent;
    }
    let slot = slot(&seen.queue.keys().timeouts);
    let Some(half) = HalfMovedSlot::of(last, slot) else {
        return RuleVerdict::Fine;
    };
    let lasts = seen
        .server
        .lasts(|look| HalfMovedSlot::of(look, slot).is_some());
    let ms = lasts.unwrap_or(0);
    if ms < STUCK_MS {
        let seen = format!(
            "slot {} of this queue is being moved",
            text::thousands(slot.into())
        );
        return RuleVerdict::Early(OpenQuestion::new(
            seen,
            "whether it arrives",
            Some(STUCK_MS - ms),
        ));
    }
    RuleVerdict::Found(finding(slot, ms, &half))
}

/// A slot that is on its way, and who says so.
struct HalfMovedSlot<'a> {
    view: &'a ClusterView,
    moving: &'a MovingSlot,
}

impl<'a> HalfMovedSlot<'a> {
    fn of(look: &'a ServerLook, slot: u16) -> Option<Self> {
        let mut views = look.views.iter();
        views.find_map(|view| {
            let mut all = view.speaker()?.moving.iter();
            let moving = all.find(|moving| moving.slot == slot)?;
            Some(Self { view, moving })
        })
    }

    /// The nodes that it leaves and comes to.
    fn ends(&self) -> (&str, &str) {
        let here = self.view.speaker().map_or("", |peer| &peer.address);
        let there = self.view.address_of(&self.moving.other);
        if self.moving.leaves {
            (here, there)
        } else {
            (there, here)
        }
    }
}

fn finding(slot: u16, ms: i64, half: &HalfMovedSlot) -> Finding {
    let (from, to) = half.ends();
    let number = text::thousands(slot.into());
    Finding::new(
        ID,
        Severity::Critical,
        "The cluster refuses scripts: the queue's slot is half moved.",
    )
    .details(format!(
        "Slot {number} has been on its way from {from} to {to} for {}: scripts on this queue get TRYAGAIN \
         while its keys are split between the two.",
        text::age(ms)
    ))
    .number("slot", slot)
    .number("from", from)
    .number("to", to)
    .number("moving_ms", ms)
    .check(&["CLUSTER", "COUNTKEYSINSLOT"], slot.to_string().as_bytes())
    .check(&["CLUSTER"], b"NODES")
    .repair(
        Step::Outside,
        "Let whoever moves slots go on, or have it ended.",
    )
    .fix_cluster(from)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::EpochMillis;
    use crate::queue::finding::tests::{Scene, info_look, pulse};

    fn verdict(seconds: &[(i64, &str)]) -> RuleVerdict {
        let looks = seconds.iter().map(|(s, slots)| {
            let nodes = format!(
                "a h:1@2 myself,master - 0 0 1 connected 0-16383 {slots}\n\
                 b h:3@4 master - 0 0 2 connected\n"
            );
            ServerLook {
                at: EpochMillis::new(s * 1_000),
                views: vec![Arc::new(ClusterView::read(&nodes, "h:1"))],
                ..info_look(0, "cluster_enabled:1\r\n")
            }
        });
        let scene = Scene::default().pulse(pulse(0, 1, None, 1));
        looks.fold(scene, Scene::look).verdict(ID)
    }

    #[test]
    fn a_slot_that_is_half_moved_for_half_a_minute_is_stuck() {
        let half = "[11958->-b]";
        let RuleVerdict::Early(open) = verdict(&[(0, ""), (10, half), (20, half)]) else {
            panic!("it may still arrive");
        };
        assert_eq!(open.known_in_ms, Some(20_000));
        let looks = [(0, half), (10, half), (20, half), (31, "[11958-<-b]")];
        let RuleVerdict::Found(found) = verdict(&looks) else {
            panic!("nothing found");
        };
        assert_eq!(found.severity, Severity::Critical);
        assert_eq!(found.repair.lines, ["redis-cli --cluster fix h:3"]);
        assert!(
            found.sentence().contains("from h:3 to h:1 for 0:31"),
            "{}",
            found.sentence()
        );
    }

    #[test]
    fn other_slots_and_other_servers_do_not_matter() {
        let other = "[11957->-b]";
        let looks = [(0, other), (20, other), (40, other)];
        assert_eq!(verdict(&looks), RuleVerdict::Fine);
        assert_eq!(verdict(&[]), RuleVerdict::Silent);
    }
}
