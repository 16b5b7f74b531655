//! The look at all entries.

use delayscope::queue::Exact;
use delayscope::tui::effect::Effect;
use delayscope::tui::examine;
use delayscope::tui::keys::Code;
use delayscope::tui::msg::Msg;

use crate::desk::{Desk, member};

#[test]
fn all_entries_are_looked_at_by_key_and_esc_stops_it() {
    let mut desk = Desk::of_one(5);
    desk.char('5');
    let asked = |effects: Vec<Effect>| {
        let examine = effects.into_iter().find_map(|effect| match effect {
            Effect::Examine(examine::Effect::Start {
                generation, queue, ..
            }) => Some((generation, queue)),
            _ => None,
        });
        examine.unwrap()
    };
    let (generation, _) = asked(desk.char('E'));
    desk.tell(Msg::Examine(examine::Msg::GoesOn {
        generation,
        looked: 3,
        of: 10,
    }));
    assert_eq!(desk.model.examination.under_way.as_ref().unwrap().looked, 3);
    assert_eq!(
        desk.press(Code::Esc),
        [Effect::Examine(examine::Effect::End)]
    );
    assert_eq!(desk.model.examination.under_way, None);
    let told = Exact::new(&desk.model.queues[0].queue, desk.model.now);
    // What was given up says nothing any more.
    let late = Msg::Examine(examine::Msg::Ended {
        generation,
        result: Ok(Box::new(told)),
    });
    desk.tell(late);
    assert_eq!(desk.model.queues[0].watch.exact(), None);

    let (generation, queue) = asked(desk.char('E'));
    let mut told = Exact::new(&queue, desk.model.now);
    let drift = told.drift.as_mut().unwrap();
    (drift.lacking.count, drift.strays.count) = (1, 1);
    desk.tell(Msg::Examine(examine::Msg::Ended {
        generation,
        result: Ok(Box::new(told)),
    }));
    let row = &desk.model.queues[0];
    assert!(row.watch.exact().is_some());
    assert!(row.findings.iter().any(|found| found.id == "drift"));
}

#[test]
fn a_small_queue_whose_lists_differ_is_looked_at_unasked_and_without_a_word() {
    let mut desk = Desk::of_one(5);
    let members = desk.world[0]
        .entries
        .iter()
        .map(|(member, _)| member.clone());
    let order = members.chain([member(90), member(91)]).collect();
    desk.world[0].order = Some(order);
    let asked = desk.live(4_000, 5);
    let asked: Vec<u64> = (asked.into_iter())
        .filter_map(|effect| match effect {
            Effect::Examine(examine::Effect::Start { generation, .. }) => Some(generation),
            _ => None,
        })
        .collect();
    let [generation] = asked[..] else {
        panic!("{asked:?}");
    };
    let mut told = Exact::new(&desk.model.queues[0].queue, desk.model.now);
    told.waiting = 5;
    let drift = told.drift.as_mut().unwrap();
    (drift.strays.count, drift.lacking.count, drift.balance) = (3, 1, -2);
    desk.tell(Msg::Examine(examine::Msg::Ended {
        generation,
        result: Ok(Box::new(told)),
    }));
    assert_eq!(desk.model.toast, None);
    let headline = &desk.model.queues[0].findings[0].headline;
    assert_eq!(headline, "3 entries have no due time: not delivered.");
}
