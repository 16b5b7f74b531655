//! Keys that change: what they act on, why they cannot, what is asked before, one at a time.

mod afterwards;
mod answers;
mod asking;
mod bulk;
mod flow;
mod forms;
mod menu;
mod names;
mod repairs;
mod typed;
mod undoing;

use std::time::Duration;

use delayscope::queue::change_event::ChangeEvent;
use delayscope::queue::plan::Progress;
use delayscope::queue::{Change, Plan, Queue, Summary, Tally};
use delayscope::tui::change;
use delayscope::tui::change::plan::PlanRequest;
use delayscope::tui::dialog::Dialog;
use delayscope::tui::effect::Effect;
use delayscope::tui::model::{Model, Overlay, Pane};
use delayscope::tui::msg::Msg;

use crate::desk::{Desk, START, World};

fn orders() -> Queue {
    Queue::redisson("orders")
}

/// Ten entries of `orders`, five of them late, two delivered ones, the entries having the keys;
/// on a server that stays when we go.
fn desk() -> Desk {
    let mut world = World::new("orders", 10, -4_500, 1_000);
    world.target = vec![b"first".to_vec(), b"second".to_vec()];
    let mut desk = Desk::of(vec![world]);
    desk.model.workers.program = Some("delayscope -h prod".to_owned());
    desk.model.focus = Pane::Entries;
    desk
}

/// A plan for `planned` entries.
pub(crate) fn plan(change: Change, planned: u64) -> Plan {
    Plan {
        planned,
        ..Plan::new(change, &orders(), "prod:6379/0".to_owned(), START)
    }
}

/// What is to be planned, when anything is.
fn asked(effects: &[Effect]) -> Option<PlanRequest> {
    effects.iter().find_map(|effect| match effect {
        Effect::Change(change::Effect::Plan(asked)) => Some((**asked).clone()),
        _ => None,
    })
}

/// The generation of what is to be planned.
fn generation(effects: &[Effect]) -> u64 {
    let of = |effect: &Effect| match effect {
        Effect::Change(change::Effect::Plan(asked)) => Some(asked.generation),
        Effect::Change(change::Effect::PlanUndo { generation, .. }) => Some(*generation),
        _ => None,
    };
    effects.iter().find_map(of).unwrap()
}

/// A plan arrives.
fn planned(desk: &mut Desk, generation: u64, plan: Plan) -> Vec<Effect> {
    desk.tell(Msg::Change(change::Msg::Planned(
        generation,
        Ok(Box::new(plan)),
    )))
}

/// A change is over, with that tally.
fn ended(change: Change, tally: Tally) -> ChangeEvent {
    ChangeEvent::Ended(Summary {
        change,
        queue: orders(),
        tally,
        journal_id: None,
        elapsed: Duration::ZERO,
        longest_block: Duration::ZERO,
        listening: None,
        helped: None,
        notes: Vec::new(),
    })
}

fn applied(effects: &[Effect]) -> bool {
    effects
        .iter()
        .any(|e| matches!(e, Effect::Change(change::Effect::Apply(_))))
}

fn dialog(model: &Model) -> Option<&Dialog> {
    match &model.overlay {
        Some(Overlay::Dialog(dialog)) => Some(dialog),
        _ => None,
    }
}

fn toast(desk: &Desk) -> &str {
    desk.model.toast.as_ref().map_or("", |toast| &toast.text)
}

/// So many of so many were looked at.
fn counted(looked: u64, of: u64) -> Progress {
    let mut tally = Tally::default();
    tally.add(delayscope::queue::Outcome::Left, looked);
    Progress {
        phase: "counting",
        tally,
        planned: of,
        back: None,
        per_s: 0.0,
        left: None,
        longest_block: std::time::Duration::ZERO,
        waits: None,
    }
}
