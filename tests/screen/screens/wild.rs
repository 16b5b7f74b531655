//! Whatever is pressed, clicked, pasted and resized in whatever order: the picture is drawn, the
//! cursors are in sight, and no loop spins.

use delayscope::queue::LinkState;
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::{BINDINGS, Code, Key};
use delayscope::tui::layout;
use delayscope::tui::model::{Model, Screen};
use delayscope::tui::msg::Msg;
use delayscope::tui::tabs;
use delayscope::tui::tabs::Tab;
use delayscope::tui::view;

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::desk::{Desk, START, World, drawn};

/// What can happen to a screen.
#[derive(Clone, Debug)]
enum Event {
    Pressed(Key),
    /// Several keys, one after the other.
    Typed(Vec<Key>),
    Clicked(u16, u16),
    Dragged(u16, u16),
    Released,
    Scrolled(u16, u16, i8),
    /// Keys, answers, and then the mouse on a picture that is older than they are.
    Outdated(Vec<Key>, u16, u16),
    Pasted(String),
    Resized(u16, u16),
    Passed(u64),
    Answered,
    Lost,
    Back,
    /// Stopped and brought back.
    Suspended,
}

/// Any key that is bound, and what is typed into lines.
fn key() -> impl Strategy<Value = Key> {
    let bound: Vec<Key> = BINDINGS
        .iter()
        .flat_map(|b| b.keys.iter().copied())
        .collect();
    let leaves = |key: &Key| *key != Key::ctrl('c') && *key != Key::ctrl('z');
    let bound: Vec<Key> = bound.into_iter().filter(leaves).collect();
    let typed = "[a-z0-9<>:+ \"/]".prop_map(|c| Key::char(c.chars().next().unwrap_or('x')));
    prop_oneof![
        8 => prop::sample::select(bound),
        3 => typed,
        1 => Just(Key::of(Code::Backspace)),
        2 => Just(Key::of(Code::Enter)),
    ]
}

/// What leads to each tab, to what lies over the screen, and to lines that are typed.
fn opens() -> impl Strategy<Value = Vec<Key>> {
    let ways = [
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "2G",
        "3G",
        "2G\n",
        "3 j",
        "?",
        "?G",
        "o",
        "ohello",
        "w",
        "wy",
        "q",
        ":",
        ":fr\n",
        ":zoom 1h\n",
        "/entry 1\n",
        "/late",
        "/zz\n",
        "@14:00\n",
        "@",
        "\n",
        "\n/e\n",
        "va",
        "vG",
        "a",
    ];
    let keys = |way: &&str| {
        let key = |c| match c {
            '\n' => Key::of(Code::Enter),
            c => Key::char(c),
        };
        way.chars().map(key).collect()
    };
    let ways: Vec<Vec<Key>> = ways.iter().map(keys).collect();
    prop::sample::select(ways)
}

fn event() -> impl Strategy<Value = Event> {
    let at = (0u16..210, 0u16..70);
    prop_oneof![
        20 => key().prop_map(Event::Pressed),
        4 => at.clone().prop_map(|(x, y)| Event::Clicked(x, y)),
        2 => at.clone().prop_map(|(x, y)| Event::Dragged(x, y)),
        1 => Just(Event::Released),
        2 => (at.clone(), prop::sample::select(vec![-1i8, 1]))
            .prop_map(|((x, y), rows)| Event::Scrolled(x, y, rows)),
        3 => (opens(), at.clone()).prop_map(|(keys, (x, y))| Event::Outdated(keys, x, y)),
        1 => "\\PC{0,20}".prop_map(Event::Pasted),
        5 => opens().prop_map(Event::Typed),
        2 => (1u16..210, 1u16..70).prop_map(|(w, h)| Event::Resized(w, h)),
        1 => (1u16..9, 1u16..5).prop_map(|(w, h)| Event::Resized(w, h)),
        3 => (1u64..5_000).prop_map(Event::Passed),
        6 => Just(Event::Answered),
        1 => Just(Event::Suspended),
        1 => Just(Event::Lost),
        1 => Just(Event::Back),
    ]
}

fn happen(desk: &mut Desk, event: Event) -> Vec<Effect> {
    match event {
        Event::Pressed(key) => desk.key(key),
        Event::Typed(keys) => keys.into_iter().flat_map(|key| desk.key(key)).collect(),
        Event::Suspended => desk.tell(Msg::Resumed),
        Event::Clicked(x, y) => desk.tell(Msg::Clicked(x, y)),
        Event::Dragged(x, y) => desk.tell(Msg::Dragged(x, y)),
        Event::Released => desk.tell(Msg::Released(0, 0)),
        Event::Scrolled(x, y, rows) => desk.tell(Msg::Scrolled(x, y, rows)),
        Event::Outdated(keys, x, y) => {
            let before = drawn(&desk.model);
            let mut asked = happen(desk, Event::Typed(keys));
            desk.answer_all();
            desk.model.drawn = before;
            for msg in [
                Msg::Scrolled(x, y, 1),
                Msg::Clicked(x, y),
                Msg::Dragged(x, y / 2),
            ] {
                asked.extend(desk.tell_at_once(msg));
            }
            asked
        }
        Event::Pasted(text) => desk.tell(Msg::Pasted(text)),
        Event::Resized(w, h) => desk.tell(Msg::Resized(w, h)),
        Event::Passed(ms) => desk.pass(ms),
        Event::Answered => {
            desk.answer_all();
            Vec::new()
        }
        Event::Lost => desk.link(LinkState::Lost {
            why: "gone".into(),
            since: desk.model.instant,
            retry_at: desk.model.instant,
        }),
        Event::Back => desk.link(LinkState::Live),
    }
}

fn draw(model: &Model) -> Buffer {
    let area = Rect::new(0, 0, model.size.0, model.size.1);
    let mut buf = Buffer::empty(area);
    view::render(model, area, &mut buf);
    buf
}

/// The cursors lie within what their panes show.
fn in_sight(model: &Model) -> Result<(), TestCaseError> {
    if matches!(model.screen, Screen::Entry(_)) {
        return Ok(());
    }
    let rows = layout::rows::queue_rows(model);
    if rows > 0 && !model.queues.is_empty() {
        let seen = model.top..model.top + rows;
        prop_assert!(seen.contains(&model.cursor), "{seen:?} {}", model.cursor);
    }
    let rows = layout::rows::entry_rows(model) as u64;
    let stand = model.stand();
    let lists = matches!(model.tab, Tab::Delivered | Tab::Order | Tab::Traffic);
    if rows > 0 && lists && tabs::queries::count(model) > 0 {
        let seen = stand.top..stand.top + rows;
        prop_assert!(
            seen.contains(&stand.cursor),
            "{seen:?} {stand:?} {:?}",
            model.tab
        );
        prop_assert!(stand.cursor < tabs::queries::count(model), "{stand:?}");
    }
    if rows > 0 && model.tab == Tab::Waiting && model.listed() > 0 {
        let seen = model.entries.top..model.entries.top + rows;
        prop_assert!(
            seen.contains(&model.entries.cursor),
            "{seen:?} {:?}",
            model.entries.cursor
        );
    }
    Ok(())
}

/// So many cases, since each draws or reads dozens of times; `PROPTEST_CASES=5000` looks harder.
pub(crate) fn few(cases: u32) -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let all = ProptestConfig::default();
    ProptestConfig {
        cases: if asked { all.cases } else { cases },
        ..all
    }
}

proptest! {
    #![proptest_config(few(64))]

    #[test]
    fn nothing_that_happens_breaks_the_screen(
        queues in 0usize..4, events in prop::collection::vec(event(), 1..60)
    ) {
        let names = ["orders", "emails", "a-very-long-name-of-a-queue-in-a-very-long-namespace"];
        let worlds = names[..queues.min(3)].iter().enumerate();
        let worlds = worlds.map(|(i, name)| World::new(name, [1_000, 3, 0][i], -5_000, 700));
        let delivered = (0..30).map(|n| format!("delivered {n}").into_bytes());
        let mut worlds: Vec<World> = worlds.collect();
        if let Some(first) = worlds.first_mut() {
            first.target = delivered.collect();
        }
        let mut desk = Desk::of(worlds);
        prop_assert!(desk.now() >= START);
        for event in events {
            happen(&mut desk, event);
            draw(&desk.model);
            in_sight(&desk.model)?;
        }
    }
}
