//! The timeline: bars, classes of what is late, zooms, by key and by mouse.

use delayscope::queue::filter::Bounds;
use delayscope::queue::{Bar, Scale, Survey, Zoom};
use delayscope::tui::effect::Effect;
use delayscope::tui::filter;
use delayscope::tui::hitmap::Target;
use delayscope::tui::keys::Code;
use delayscope::tui::model::Pane;
use delayscope::tui::msg::Msg;
use delayscope::tui::refresh;
use delayscope::tui::timeline;

use crate::desk::{Desk, START, World, cell_of, drawn, empty_survey, member};

const HOUR: i64 = 3_600_000;

/// Its selected queue was surveyed with this.
fn surveyed(desk: &mut Desk, change: impl FnOnce(&mut Survey)) {
    let mut survey = empty_survey(desk.now(), Some(desk.model.timeline.zoom));
    change(&mut survey);
    desk.model.queues[0].survey = Some(survey);
}

/// A queue of 100 entries, one a minute from 90 minutes ago on, 91 of them late.
fn late_desk() -> Desk {
    let mut desk = Desk::of(vec![World::new("orders", 100, -90 * 60_000, 60_000)]);
    surveyed(&mut desk, |survey| survey.late = [31, 50, 0, 1]);
    desk
}

/// The bar that stands there, counted from the left.
fn bar(desk: &Desk, i: usize) -> Target {
    Target::Bar(timeline::queries::bar_start(&desk.model, i))
}

fn click(desk: &mut Desk, target: Target) -> Vec<Effect> {
    let (x, y) = cell_of(&desk.model, target).unwrap();
    let asked = desk.tell(Msg::Clicked(x, y));
    desk.tell(Msg::Released(x, y));
    asked
}

#[test]
fn left_of_the_first_bar_are_the_classes_of_what_is_late() {
    let mut desk = late_desk();
    desk.press(Code::Right);
    let first = desk.model.timeline.bar;
    let mut seen = Vec::new();
    for _ in 0..4 {
        desk.press(Code::Left);
        seen.push(desk.model.timeline.late_class);
        assert_eq!(desk.model.timeline.bar, None);
    }
    // The class without entries is passed over; the last one is the end.
    assert_eq!(seen, [Some(3), Some(1), Some(0), Some(0)]);
    for _ in 0..3 {
        desk.press(Code::Right);
    }
    assert_eq!(
        (desk.model.timeline.late_class, desk.model.timeline.bar),
        (None, first)
    );
}

#[test]
fn with_nothing_late_the_first_bar_is_the_end() {
    let mut desk = Desk::of_one(50);
    desk.press(Code::Right);
    desk.press(Code::Left);
    assert_eq!(
        (
            desk.model.timeline.late_class,
            desk.model.timeline.bar.is_some()
        ),
        (None, true)
    );
}

#[test]
fn enter_on_a_class_lists_what_is_that_late_and_nothing_else() {
    for (lefts, from, to) in [
        (1, Some(START.plus(-60_000)), START),
        (2, Some(START.plus(-HOUR)), START.plus(-600_000)),
        (3, None, START.plus(-HOUR)),
    ] {
        let mut desk = late_desk();
        desk.press(Code::Right);
        for _ in 0..lefts {
            desk.press(Code::Left);
        }
        let asked = desk.press(Code::Enter);
        let bounds = Bounds {
            from,
            before: Some(to),
        };
        assert_eq!(searched(&asked), Some(bounds));
        desk.answer_all();
        assert_eq!(desk.model.focus, Pane::Entries);
    }
}

#[test]
fn what_is_marked_of_a_listed_bar_is_of_that_bar_alone_and_esc_lists_all_again() {
    let mut desk = Desk::of_one(500);
    for _ in 0..10 {
        desk.press(Code::Right);
    }
    // The bar from 90 s to 100 s: ten of five hundred.
    let asked = desk.press(Code::Enter);
    let bounds = Bounds {
        from: Some(START.plus(90_000)),
        before: Some(START.plus(100_000)),
    };
    assert_eq!(searched(&asked), Some(bounds));
    desk.answer_all();
    assert_eq!(
        (desk.model.listed(), desk.under_cursor()),
        (10, Some(member(30)))
    );
    desk.char('a');
    assert_eq!(desk.model.marks.count(500), (10, true));
    desk.char('x');
    let marks = desk.model.changing.one.as_ref().unwrap().marks.clone();
    assert_eq!(marks.unwrap().count(500), (10, true));
    desk.press(Code::Esc);
    desk.press(Code::Esc);
    assert!(desk.model.filtered.is_none());
    desk.answer_all();
    assert_eq!(desk.model.listed(), 500);
}

#[test]
fn a_filter_that_was_on_gives_way_to_the_bar() {
    let mut desk = Desk::of_one(500);
    desk.char('/');
    desk.type_in("nothing like it");
    desk.press(Code::Enter);
    desk.answer_all();
    assert_eq!(desk.model.listed(), 0);
    for _ in 0..10 {
        desk.press(Code::Right);
    }
    desk.press(Code::Enter);
    desk.answer_all();
    assert_eq!(desk.model.listed(), 10);
}

#[test]
fn a_click_on_a_class_selects_it_and_another_lists_it() {
    let mut desk = late_desk();
    assert_eq!(click(&mut desk, Target::Late(1)), []);
    assert_eq!(
        (desk.model.focus, desk.model.timeline.late_class),
        (Pane::Timeline, Some(1))
    );
    let asked = click(&mut desk, Target::Late(1));
    assert_eq!(searched(&asked).unwrap().from, Some(START.plus(-HOUR)));
    desk.answer_all();
    // An hour ago: 30 entries were due before.
    assert_eq!(desk.under_cursor(), Some(member(30)));
    // One that holds nothing says so.
    click(&mut desk, Target::Late(2));
    assert_eq!(click(&mut desk, Target::Late(2)), []);
    assert!(desk.model.toast.unwrap().text.contains("nothing"));
}

#[test]
fn a_click_on_a_bar_selects_it_and_another_lists_it() {
    let mut desk = Desk::of_one(500);
    let ninth = bar(&desk, 9);
    assert_eq!(click(&mut desk, ninth), []);
    assert_eq!(desk.model.timeline.bar, Some(START.plus(90_000)));
    assert_eq!(desk.model.focus, Pane::Timeline);
    let asked = click(&mut desk, ninth);
    assert_eq!(searched(&asked).unwrap().from, Some(START.plus(90_000)));
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(30)));
}

#[test]
fn a_click_on_a_zoom_in_the_title_zooms() {
    let mut desk = Desk::of_one(5);
    for zoom in Zoom::ALL {
        click(&mut desk, Target::Zoom(zoom));
        assert_eq!(
            (desk.model.timeline.zoom, desk.model.focus),
            (zoom, Pane::Timeline)
        );
    }
    // A narrow terminal has the neighbours only.
    desk.tell(Msg::Resized(80, 24));
    click(&mut desk, Target::Zoom(Zoom::Week));
    let picture = drawn(&desk.model);
    let zooms = picture.places().filter_map(|(_, target)| match target {
        Target::Zoom(zoom) => Some(zoom),
        _ => None,
    });
    assert_eq!(
        zooms.collect::<Vec<_>>(),
        [Zoom::Day, Zoom::Week, Zoom::All]
    );
}

#[test]
fn each_queue_opens_at_the_zoom_that_shows_what_waits_in_it_until_somebody_chooses_one() {
    let queue = |name| World::new(name, 5, 60_000, 1000);
    let mut desk = Desk::of(vec![queue("orders"), queue("payments")]);
    for (row, class) in [(0, 2), (1, 4)] {
        let mut survey = empty_survey(desk.now(), Some(desk.model.timeline.zoom));
        survey.classes[class] = 5;
        desk.model.queues[row].survey = Some(survey);
    }
    desk.press(Code::Down);
    assert_eq!(desk.model.timeline.zoom, Zoom::SixHours);
    desk.press(Code::Up);
    assert_eq!(desk.model.timeline.zoom, Zoom::TenMinutes);
    desk.char('-');
    desk.press(Code::Down);
    assert_eq!(desk.model.timeline.zoom, Zoom::Hour, "chosen");
}

/// Answers the survey that is asked for: five entries are due in that class, and their bars are those
/// of that zoom. Returns the one that was asked for.
fn answer_survey(desk: &mut Desk, (class, shown_by): (usize, Zoom)) -> Zoom {
    for _ in 0..1_000 {
        desk.pass(20);
        for effect in std::mem::take(&mut desk.open) {
            let Effect::Refresh(refresh::Effect::LoadSurvey {
                generation,
                queue,
                zoom: Some(zoom),
                ..
            }) = effect
            else {
                desk.answer(&effect);
                continue;
            };
            let mut survey = empty_survey(desk.now(), Some(zoom));
            survey.classes[class] = 5;
            survey.beyond = if zoom == shown_by { 0 } else { 5 };
            desk.tell(Msg::Refresh(refresh::Msg::SurveyLoaded {
                generation,
                queue,
                result: Ok(survey),
            }));
            return zoom;
        }
    }
    panic!("no survey was asked for");
}

#[test]
fn where_the_zoom_of_what_waits_does_not_show_it_the_next_one_is_taken() {
    // More than a week; less than an hour, but in the part of the last bar that is cut off.
    for (class, first, then) in [(6, Zoom::Week, Zoom::All), (3, Zoom::Hour, Zoom::SixHours)] {
        let queue = |name| World::new(name, 5, 60_000, 1000);
        let mut desk = Desk::of(vec![queue("orders"), queue("renewals")]);
        let mut survey = empty_survey(desk.now(), None);
        survey.classes[class] = 5;
        desk.model.queues[1].survey = Some(survey);
        desk.press(Code::Down);
        assert_eq!(answer_survey(&mut desk, (class, then)), first);
        assert_eq!(desk.model.timeline.zoom, then);
        assert_eq!(answer_survey(&mut desk, (class, then)), then);
        // Once that was seen of a week, at once; what falls due within the hour comes nearer.
        desk.press(Code::Up);
        assert_eq!(desk.model.timeline.zoom, Zoom::TenMinutes);
        desk.press(Code::Down);
        let at_once = if first == Zoom::Week { then } else { first };
        assert_eq!(desk.model.timeline.zoom, at_once);
        assert_eq!(answer_survey(&mut desk, (class, then)), at_once);
        assert_eq!(desk.model.timeline.zoom, then);
        if first != Zoom::Week {
            assert_eq!(answer_survey(&mut desk, (class, then)), then);
        }
        // What comes later does not move it.
        assert_eq!(answer_survey(&mut desk, (class, Zoom::Minute)), then);
        assert_eq!(desk.model.timeline.zoom, then);
    }
}

#[test]
fn the_bars_of_all_are_those_of_the_survey() {
    let mut desk = Desk::of_one(5);
    desk.model.timeline.zoom = Zoom::All;
    let scale = Scale {
        bar_ms: HOUR,
        bars: 60,
    };
    surveyed(&mut desk, |survey| survey.scale = Some(scale));
    desk.press(Code::Right);
    desk.press(Code::Right);
    assert_eq!(desk.model.timeline.bar, Some(scale.start(START, 1)));
    for _ in 0..99 {
        desk.press(Code::Right);
    }
    assert_eq!(desk.model.timeline.bar, Some(scale.start(START, 59)));
    // The next survey is told which bars there are, so that it keeps them if it can.
    let asked = desk.live(11_000, 5);
    let held = asked.iter().find_map(|effect| match effect {
        Effect::Refresh(refresh::Effect::LoadSurvey {
            zoom: Some(_),
            held,
            ..
        }) => Some(*held),
        _ => None,
    });
    assert_eq!(held, Some(Some(scale)));
}

#[test]
fn bars_that_change_their_width_take_the_cursor_along() {
    let mut desk = Desk::of_one(5);
    desk.char('-');
    for _ in 0..31 {
        desk.press(Code::Right);
    }
    let half_an_hour = START.plus(30 * 60_000);
    let minute = Zoom::Hour.scale().unwrap();
    assert_eq!(desk.model.timeline.bar, Some(minute.floor(half_an_hour)));
    // Closer, where it is out of sight, it stands on the last bar.
    desk.char('+');
    let ten = Zoom::TenMinutes.scale().unwrap();
    assert_eq!(desk.model.timeline.bar, Some(ten.start(START, 59)));
    for _ in 0..3 {
        desk.char('-');
    }
    let day = Zoom::Day.scale().unwrap();
    assert_eq!(desk.model.timeline.zoom, Zoom::Day);
    assert_eq!(
        desk.model.timeline.bar,
        Some(day.floor(ten.start(START, 59)))
    );
}

#[test]
fn on_a_narrow_terminal_the_cursor_stays_on_the_bars_in_sight() {
    let mut desk = Desk::of_one(5);
    desk.tell(Msg::Resized(44, 24));
    for _ in 0..80 {
        desk.press(Code::Right);
    }
    let picture = drawn(&desk.model);
    let bars = picture.places();
    let shown = bars.filter(|(_, target)| matches!(target, Target::Bar(_)));
    let shown = shown.count();
    assert!(shown < 60);
    assert_eq!(
        desk.model.timeline.bar,
        Some(timeline::queries::bar_start(&desk.model, shown - 1))
    );
}

#[test]
fn a_bar_without_entries_is_not_listed() {
    let mut desk = late_desk();
    surveyed(&mut desk, |survey| {
        let (from, to) = (survey.at, survey.at.plus(10_000));
        survey.bars = vec![Bar { from, to, count: 0 }];
    });
    desk.press(Code::Right);
    assert_eq!(desk.press(Code::Enter), []);
}

#[test]
fn classes_that_come_after_the_bars_do_not_take_their_place() {
    let mut desk = Desk::of(
        ["q0", "q1"]
            .map(|name| World::new(name, 3, 3_600_000, 1000))
            .to_vec(),
    );
    let bars = desk.model.queues[0].survey.clone();
    assert!(bars.is_some_and(|survey| survey.zoom.is_some()));
    desk.char('j');
    let classes = desk.pass(11_000).into_iter().find(|effect| {
        let name = &desk.model.queues[0].queue;
        matches!(effect, Effect::Refresh(refresh::Effect::LoadSurvey { zoom: None, queue, .. }) if queue == name)
    });
    desk.open.clear();
    desk.char('k');
    desk.answer(&classes.unwrap());
    let held = desk.model.queues[0].survey.as_ref().unwrap();
    assert!(held.zoom.is_some());
}

/// What is searched, by its due times.
fn searched(effects: &[Effect]) -> Option<Bounds> {
    effects.iter().find_map(|effect| match effect {
        Effect::Filter(filter::Effect::Search { filter, .. }) => Some(filter.bounds(START)),
        _ => None,
    })
}
