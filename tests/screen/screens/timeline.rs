//! The timeline at its zooms, linear and by logarithm.

use std::time::Duration;

use delayscope::clock::EpochMillis;
use delayscope::queue::{Due, Known, Scale, Zoom};
use delayscope::tui::hitmap::Target;
use delayscope::tui::layout;
use delayscope::tui::model::{Model, Pane, Screen};
use delayscope::tui::timeline;
use delayscope::tui::timeline::place::Track;

use ratatui::buffer::Buffer;

use crate::desk::drawn;
use crate::screens::build::{self, NOW, evening, look};
use crate::screens::pictures::{draw, picture};

const DAY: i64 = 86_400_000;
const CLASSES: [u64; 7] = [1_200, 9_800, 41_203, 120_034, 290_500, 537_251, 90_000];

/// An evening seen at `zoom`, with much that is late.
fn zoomed(size: (u16, u16), zoom: Zoom) -> Model {
    let mut m = evening(size, look());
    m.timeline.zoom = zoom;
    m.timeline.bar = None;
    m.focus = Pane::Timeline;
    let mut survey = build::survey(zoom, CLASSES);
    survey.late = [410_000, 41_000, 700, 12];
    m.queues[0].survey = Some(survey);
    m
}

/// The rows of the timeline as text.
fn timeline(m: &Model) -> Vec<String> {
    let (buf, area) = (draw(m), layout::areas(m).timeline.outer);
    let row = |y| (0..area.w).map(|x| symbol(&buf, x, y)).collect();
    (area.y..area.y + area.h).map(row).collect()
}

fn symbol(buf: &Buffer, x: u16, y: u16) -> &str {
    buf[(x, y)].symbol()
}

#[test]
fn a_week_with_a_bar_of_another_day() {
    for (name, size) in [
        ("80x24", (80, 24)),
        ("120x40", (120, 40)),
        ("200x60", (200, 60)),
    ] {
        let mut m = zoomed(size, Zoom::Week);
        m.timeline.bar = Some(timeline::queries::scale(&m).start(NOW, 28));
        picture(&format!("week_{name}"), &m);
    }
}

#[test]
fn a_late_class_beyond_the_scale_has_a_bar_however_low_the_timeline_is() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut m = evening(size, look());
        m.screen = Screen::Queue;
        let mut survey = build::survey(m.timeline.zoom, [9; 7]);
        survey.late = [0, 0, 0, 200_000];
        m.queues[0].survey = Some(survey);
        let picture = draw(&m);
        let hits = drawn(&m);
        let (class, _) = hits
            .places()
            .find(|(_, target)| *target == Target::Late(3))
            .unwrap();
        // The last row of its place is the axis.
        let foot = (class.right() - 2, class.y + class.h - 2);
        assert_eq!(symbol(&picture, foot.0, foot.1), "█", "{size:?}");
    }
}

#[test]
fn by_logarithm() {
    for (name, size) in [
        ("80x24", (80, 24)),
        ("120x40", (120, 40)),
        ("200x60", (200, 60)),
    ] {
        let mut m = zoomed(size, Zoom::TenMinutes);
        m.timeline.log_height = true;
        picture(&format!("log_{name}"), &m);
    }
}

#[test]
fn a_class_of_what_is_late() {
    for (name, size) in [("80x24", (80, 24)), ("120x40", (120, 40))] {
        let mut m = zoomed(size, Zoom::All);
        m.timeline.late_class = Some(1);
        if let Some(survey) = &mut m.queues[0].survey {
            survey.no_time = 3;
        }
        picture(&format!("late_class_{name}"), &m);
    }
}

#[test]
fn bars_have_as_many_whole_columns_as_there_is_room_for() {
    for (columns, wide) in [(155, 1), (156, 2), (215, 2), (216, 3)] {
        let m = zoomed((columns, 60), Zoom::TenMinutes);
        assert_eq!(track(&m).bar_w, wide);
    }
    picture("wide_260x60", &zoomed((260, 60), Zoom::TenMinutes));
}

/// Where the last figure or bar of the timeline ends.
fn right_end(m: &Model) -> u16 {
    let (buf, slot) = (draw(m), layout::areas(m).timeline);
    let cells = (slot.inner.y..slot.inner.y + slot.inner.h - 2)
        .flat_map(|y| (slot.inner.x..slot.inner.right()).map(move |x| (x, y)));
    let drawn = cells.filter(|(x, y)| symbol(&buf, *x, *y) != " ");
    drawn.map(|(x, _)| x).max().unwrap_or(0)
}

#[test]
fn the_timeline_has_the_whole_width() {
    for columns in [120, 140, 160, 180, 200] {
        let mut m = zoomed((columns, 60), Zoom::TenMinutes);
        if let Some(survey) = &mut m.queues[0].survey {
            survey.bars.iter_mut().for_each(|bar| bar.count = 5);
        }
        let free = columns - 1 - right_end(&m);
        assert!(free <= 5, "{free} of {columns} columns are free");
    }
}

#[test]
fn the_scale_has_round_numbers_and_its_highest_is_less_than_a_step_above_the_highest_bar() {
    for peak in [1, 3, 7, 8, 9, 12, 47, 99, 101, 2_345, 41_203] {
        let mut m = zoomed((120, 40), Zoom::TenMinutes);
        if let Some(survey) = &mut m.queues[0].survey {
            survey.late = [0; 4];
            survey.bars.iter_mut().for_each(|bar| bar.count = peak);
        }
        let number = |row: &String| {
            let (left, _) = row.split_once('┤')?;
            let digits: String = left.chars().filter(char::is_ascii_digit).collect();
            digits.parse::<u64>().ok()
        };
        let labels: Vec<u64> = timeline(&m).iter().filter_map(number).collect();
        let (highest, step) = (labels[0], labels[0] - labels[1]);
        assert_eq!(labels.last(), Some(&0), "{labels:?}");
        assert!(
            highest >= peak && highest - peak < step,
            "{peak}: {labels:?}"
        );
        let round = step.to_string();
        let head = round.trim_end_matches('0');
        assert!(["1", "2", "5"].contains(&head), "{labels:?}");
    }
}

#[test]
fn a_class_of_what_is_late_is_as_high_as_a_bar_of_so_many() {
    let mut m = zoomed((120, 40), Zoom::TenMinutes);
    if let Some(survey) = &mut m.queues[0].survey {
        survey.late = [0, 0, 0, 20];
        survey.bars.iter_mut().for_each(|bar| bar.count = 20);
    }
    let (buf, track) = (draw(&m), track(&m));
    let late = track.late_cell(3);
    for y in late.y..late.y + late.h {
        let bar = symbol(&buf, track.plot.x + 3, y);
        let class = symbol(&buf, late.x + 1, y);
        assert!(bar == class || y < late.y + 3, "{bar:?} beside {class:?}");
    }
}

#[test]
fn names_of_classes_stand_under_something_or_not_at_all() {
    for size in [(80, 24), (120, 40)] {
        let mut m = zoomed(size, Zoom::TenMinutes);
        assert!(
            timeline(&m).iter().any(|row| row.contains(">1h")),
            "{size:?}"
        );
        if let Some(pulse) = &mut m.queues[0].pulse {
            (pulse.late, pulse.oldest_late) = (Known::Is(0), None);
        }
        assert!(
            !timeline(&m).iter().any(|row| row.contains(">1h")),
            "{size:?}"
        );
    }
}

#[test]
fn the_title_says_which_height_at_every_size() {
    for size in [(60, 18), (80, 24), (100, 30), (200, 60)] {
        for (log, word) in [(false, "linear"), (true, "log")] {
            let mut m = zoomed(size, Zoom::Day);
            m.timeline.log_height = log;
            let title = &timeline(&m)[0];
            assert!(title.contains(&format!(" {word} ")), "{size:?}: {title}");
        }
    }
}

#[test]
fn the_mouse_finds_the_zooms_where_they_are_drawn() {
    for size in [
        (60, 18),
        (66, 20),
        (80, 24),
        (100, 30),
        (120, 40),
        (260, 60),
    ] {
        for zoom in Zoom::ALL {
            for name in ["q", "a queue with a rather long name that is cut"] {
                let mut m = zoomed(size, zoom);
                m.queues[0].queue = delayscope::queue::Queue::redisson(name);
                let (buf, picture) = (draw(&m), drawn(&m));
                assert!(picture.shows(Target::Zoom(zoom)), "{size:?}");
                for (area, target) in picture.places() {
                    let Target::Zoom(zoom) = target else {
                        continue;
                    };
                    let words: String = (area.x..area.right())
                        .map(|x| symbol(&buf, x, area.y))
                        .collect();
                    let label = words.trim_start_matches('[').trim_end_matches(']');
                    assert_eq!(label, zoom.label(), "{size:?}");
                    assert_eq!(picture.at(area.x, area.y), Some(target));
                }
            }
        }
    }
}

#[test]
fn midnight_has_the_name_of_the_day() {
    // 23:57:30 in the zone of these tests.
    let now = EpochMillis::new(NOW.get() / DAY * DAY + DAY - 3_600_000 - 150_000);
    for (zoom, bar, told) in [
        (Zoom::TenMinutes, 20, "21 Nov 00:00:50 – 00:01:00"),
        (Zoom::TenMinutes, 15, "21 Nov 00:00:00 – 00:00:10"),
        (Zoom::TenMinutes, 14, "23:59:50 – 00:00:00"),
        (Zoom::TenMinutes, 0, "now – 23:57:40"),
        (Zoom::Day, 13, "21 Nov 06:00 – 06:30"),
        (Zoom::Week, 16, "22 Nov 22:00 – 23 Nov 01:00"),
    ] {
        let mut m = zoomed((120, 40), zoom);
        (m.now, m.link.clock) = (now, m.link.clock);
        m.timeline.bar = Some(timeline::queries::scale(&m).start(now, bar));
        let rows = timeline(&m);
        let [axis, readout] = [&rows[rows.len() - 3], &rows[rows.len() - 2]];
        // Where the pointer leaves it room.
        let room = !(14..=15).contains(&bar);
        assert!(axis.contains("21 Nov") == room, "{axis}");
        assert!(readout.contains(told), "{readout}");
    }
}

#[test]
fn another_year_is_named_and_far_bars_have_no_clock() {
    let mut m = zoomed((120, 40), Zoom::All);
    let scale = Scale {
        bar_ms: 30 * DAY,
        bars: 60,
    };
    if let Some(survey) = &mut m.queues[0].survey {
        survey.scale = Some(scale);
    }
    m.timeline.bar = Some(scale.start(NOW, 7));
    let rows = timeline(&m);
    assert!(rows[0].contains("30 d a bar"), "{}", rows[0]);
    let axis = &rows[rows.len() - 3];
    assert!(axis.contains("2028"), "{axis}");
    let readout = &rows[rows.len() - 2];
    assert!(readout.contains(" 2027 01:00 – "), "{readout}");
    // Farther than any calendar goes.
    for bar_ms in [365_000 * DAY, 36_500_000 * DAY] {
        let scale = Scale { bar_ms, bars: 60 };
        if let Some(survey) = &mut m.queues[0].survey {
            survey.scale = Some(scale);
        }
        m.timeline.bar = Some(scale.start(NOW, 30));
        draw(&m);
    }
}

/// The closest zoom with one entry in it, due in 4.9 s, and loaded.
fn one_entry(ascii: bool) -> Model {
    let mut m = zoomed((120, 40), Zoom::Minute);
    m.look.ascii = ascii;
    let due = NOW.plus(4_900);
    if let Some(survey) = &mut m.queues[0].survey {
        for bar in &mut survey.bars {
            bar.count = u64::from(bar.from <= due && due < bar.to);
        }
    }
    if let Some(survey) = &mut m.queues[0].survey {
        survey.late = [0; 4];
    }
    m.entries.rows.truncate(1);
    m.entries.rows[0].due = Due::At(due);
    m
}

/// Where the parts of the timeline lie.
fn track(m: &Model) -> Track {
    Track::new(layout::areas(m).timeline, timeline::queries::scale(m))
}

/// The first cells right of the now line, in the lowest row of bars.
fn next_to_now(m: &Model) -> String {
    let (buf, plot) = (draw(m), track(m).plot);
    let y = plot.y + plot.h - 1;
    (plot.x..plot.x + 8).map(|x| symbol(&buf, x, y)).collect()
}

#[test]
fn at_the_closest_zoom_a_single_entry_is_seen_to_move() {
    let mut m = one_entry(false);
    for (passed, seen) in [
        (0, "    ▐▌  "),
        (400, "    ▐▌  "),
        (500, "    █   "),
        (900, "    █   "),
        (1_000, "   ▐▌   "),
        (4_300, "▐▌      "),
        (4_500, "█       "),
    ] {
        m.now = NOW.plus(passed);
        assert_eq!(next_to_now(&m), seen, "after {passed} ms");
    }
}

#[test]
fn where_no_bar_is_higher_than_an_entry_the_next_one_is_told_of() {
    let rows = timeline(&one_entry(false));
    let readout = &rows[rows.len() - 2];
    assert!(
        readout.contains("next due ") && !readout.contains("peak"),
        "{readout}"
    );
}

#[test]
fn two_entries_that_meet_stand_above_each_other() {
    let mut m = one_entry(false);
    let mut other = m.entries.rows[0].clone();
    other.due = Due::At(NOW.plus(5_400));
    m.entries.rows.push(other);
    if let Some(survey) = &mut m.queues[0].survey {
        survey.bars.iter_mut().for_each(|bar| bar.count *= 2);
    }
    assert_eq!(next_to_now(&m), "    ▐█  ");
    let (buf, plot) = (draw(&m), track(&m).plot);
    assert_eq!(symbol(&buf, plot.x + 5, plot.y + plot.h - 2), "▌");
}

#[test]
fn what_is_not_loaded_or_under_a_cursor_is_drawn_as_bars() {
    let mut m = one_entry(false);
    m.timeline.bar = Some(timeline::queries::scale(&m).start(NOW, 20));
    assert_eq!(next_to_now(&m), "     █  ");
    m.timeline.bar = None;
    m.entries.rows.clear();
    assert_eq!(next_to_now(&m), "     █  ");
    assert_eq!(next_to_now(&one_entry(true)), "    #   ");
}

#[test]
fn while_a_zoom_is_read_the_plot_says_so() {
    let mut m = zoomed((80, 24), Zoom::Day);
    m.timeline.zoom = Zoom::Week;
    m.queues[0].surveyed.at = Some(m.instant);
    let all = timeline(&m).join("\n");
    assert!(
        !all.contains("reading"),
        "a moment is not worth a word: {all}"
    );
    m.instant += Duration::from_secs(1);
    let all = timeline(&m).join("\n");
    assert!(all.contains("reading"), "{all}");
}

#[test]
fn before_two_samples_a_rate_is_unknown() {
    let mut m = evening((120, 40), look());
    let y = layout::areas(&m).depth.inner.y;
    let samples = &mut m.queues[0].trend.samples;
    samples.drain(..samples.len() - 1);
    let buf = draw(&m);
    let row: String = (0..120).map(|x| symbol(&buf, x, y)).collect();
    assert!(row.contains("timeouts") && row.contains('?'), "{row}");
}
