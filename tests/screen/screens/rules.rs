//! Rules that every picture keeps, at any size.

use delayscope::queue::{Due, LinkState, Queue, Severity};
use delayscope::tui::area;
use delayscope::tui::departed::{DepartedFate, DepartedRow};
use delayscope::tui::entries;
use delayscope::tui::entry::{BackScreen, EntryView, Face};
use delayscope::tui::hitmap::Target;
use delayscope::tui::keys;
use delayscope::tui::layout;
use delayscope::tui::look::{Depth, Look};
use delayscope::tui::model::{Model, Pane, Screen};
use delayscope::tui::theme::Theme;
use delayscope::tui::timeline;
use delayscope::tui::view;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use crate::desk::drawn;
use crate::screens::build::{self, NOW, bare, entry, evening, keys_at, look, page, sample};
use crate::screens::pictures::{MIDDLE, draw};

/// A row of a picture as text.
fn line(buf: &Buffer, y: u16) -> String {
    (0..buf.area.width).map(|x| buf[(x, y)].symbol()).collect()
}

fn lines(buf: &Buffer) -> Vec<String> {
    (0..buf.area.height).map(|y| line(buf, y)).collect()
}

/// The models that are drawn at every size.
fn models(size: (u16, u16), look: &Look) -> Vec<Model> {
    let opened = |face| {
        let mut m = evening(size, look.clone());
        m.screen = Screen::Entry(Box::new(EntryView {
            face,
            scroll: 3,
            ..EntryView::new(sample(7), BackScreen::Queue)
        }));
        m
    };
    let mut all = vec![bare(size, look.clone()), evening(size, look.clone())];
    let mut queue = evening(size, look.clone());
    queue.screen = Screen::Queue;
    page(&mut queue, 0);
    let mut help = queue.clone();
    help.overlay = Some(keys_at(2));
    let mut lost = evening(size, look.clone());
    lost.link.state = LinkState::Lost {
        why: "gone".to_owned(),
        since: lost.instant,
        retry_at: lost.instant,
    };
    all.push(queue);
    all.push(help);
    all.push(lost);
    all.push(opened(Face::Text));
    all.push(opened(Face::Hex));
    all
}

#[test]
fn no_size_is_too_small() {
    let ascii = Look {
        ascii: true,
        no_color: true,
        ..look()
    };
    let looks = [look(), ascii];
    for w in 0..=30 {
        for h in 0..=12 {
            // By turns, like the squares of a chessboard.
            for m in models((w, h), &looks[usize::from(w + h) % 2]) {
                draw(&m);
            }
        }
    }
    for look in looks {
        for size in [
            (40, 10),
            (1, 60),
            (300, 1),
            (79, 23),
            (101, 31),
            (110, 30),
            (180, 31),
            (400, 120),
        ] {
            for m in models(size, &look) {
                draw(&m);
            }
        }
    }
}

#[test]
fn a_buffer_of_another_size_than_the_model_knows_is_no_accident() {
    for m in models((120, 40), &look()) {
        for size in [(0, 0), (1, 1), (79, 12), (130, 50)] {
            let mut buf = Buffer::empty(Rect::new(0, 0, size.0, size.1));
            view::render(&m, buf.area, &mut buf);
        }
    }
}

#[test]
fn what_is_clicked_is_what_is_drawn() {
    for size in [(80, 24), (100, 30), (120, 40), (200, 60), (60, 14), (38, 9)] {
        let mut m = evening(size, look());
        m.entries.rows = (0..m.entries.rows.len()).map(unique).collect();
        let (buf, picture) = (draw(&m), drawn(&m));
        let (mut entries, mut queues) = (0, 0);
        for y in 0..size.1 {
            let row = line(&buf, y);
            match picture.at(5, y) {
                Some(Target::Queue(i)) => {
                    let name = m.queues[i].queue.name.to_string();
                    assert!(row.contains(&name[..4]), "{size:?} row {y}: {row}");
                    queues += 1;
                }
                Some(Target::Row(rank)) => {
                    let i = rank - m.entries.top;
                    assert!(
                        row.contains(&format!("item-{i:03}")),
                        "{size:?} row {y}: {row}"
                    );
                    entries += 1;
                }
                _ => assert!(!row.contains("item-"), "{size:?} row {y}: {row}"),
            }
        }
        assert_eq!(entries, layout::rows::entry_rows(&m), "{size:?}");
        assert_eq!(
            queues,
            layout::rows::queue_rows(&m).min(m.queues.len()),
            "{size:?}"
        );
    }
}

/// An entry that can be told from the others at any width.
fn unique(i: usize) -> entries::EntryRow {
    let member = delayscope::queue::frame::encode(
        delayscope::queue::Form::ByteId,
        [7; 8],
        format!("item-{i:03}").as_bytes(),
    );
    entry(member, 60_000)
}

#[test]
fn the_pointer_stands_under_the_bar_that_answers_the_click() {
    for size in [(80, 24), (120, 40), (200, 60), (270, 60)] {
        for bar in [0, 1, 28, 59] {
            let mut m = evening(size, look());
            m.timeline.bar = Some(timeline::queries::bar_start(&m, bar));
            let buf = draw(&m);
            let cells = (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y)));
            let pointers: Vec<_> = cells.filter(|at| buf[*at].symbol() == "▲").collect();
            let [(x, y)] = pointers[..] else {
                panic!("{size:?}, bar {bar}: {pointers:?}")
            };
            let (picture, bar) = (drawn(&m), m.timeline.bar.map(Target::Bar));
            assert_eq!(picture.at(x, y), bar, "{size:?}");
            assert_eq!(picture.at(x, y - 1), bar, "{size:?}");
        }
    }
}

#[test]
fn nothing_from_redis_commands_the_terminal() {
    let evil = b"\x1b]0;owned\x07\x1b[2J\r\n\t\x00\x7f\xc2\x9b31m\xe2\x80\xae\xff".to_vec();
    for size in [(80, 24), (120, 40), (200, 60), (38, 9)] {
        let mut m = evening(size, look());
        m.site.endpoint = String::from_utf8_lossy(&evil).into_owned();
        for row in &mut m.queues {
            row.queue = Queue::redisson(evil.clone());
            row.trouble = Some(String::from_utf8_lossy(&evil).into_owned());
        }
        m.queues[3].pulse = None;
        m.entries.rows.iter_mut().for_each(|row| {
            *row = entry(evil.clone(), 1_000);
        });
        let facts = m.link.facts.as_mut().unwrap();
        facts.version = String::from_utf8_lossy(&evil).into_owned();
        facts.role.clone_from(&facts.version);
        let mut announced = build::announced("x", -5, &evil);
        announced.channel = m.queues[0].queue.keys().channel.unwrap();
        m.traffic.heard.push_back(announced);
        let mut opened = m.clone();
        opened.screen = Screen::Entry(Box::new(EntryView::new(
            entry(evil.clone(), 5),
            BackScreen::Dashboard,
        )));
        m.link.state = LinkState::Lost {
            why: String::from_utf8_lossy(&evil).into_owned(),
            since: m.instant,
            retry_at: m.instant,
        };
        for m in [&m, &opened] {
            for cell in &draw(m).content {
                let bad = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}');
                assert!(
                    !cell.symbol().chars().any(bad),
                    "{size:?}: {:?}",
                    cell.symbol()
                );
            }
        }
    }
}

#[test]
fn a_figure_is_whole_or_shorter_by_its_unit_or_not_there() {
    for w in 1..=210 {
        for h in [24, 40] {
            let mut m = evening((w, h), look());
            m.timeline.bar = None;
            for line in lines(&draw(&m)) {
                let cut = line.replace("1,000,000", "").replace("687,600", "");
                assert!(!cut.contains("1,000,"), "{w} columns: {line}");
                assert!(!cut.contains("687,"), "{w} columns: {line}");
            }
        }
    }
}

#[test]
fn a_ticking_figure_does_not_move_its_neighbours() {
    let mut m = evening((120, 40), look());
    let place = |m: &Model, what: &str| -> Vec<Option<usize>> {
        lines(&draw(m)).iter().map(|line| line.find(what)).collect()
    };
    let before = place(&m, "14:03:31  {");
    assert!(before.iter().flatten().count() > 0);
    for ms in [300, 1_100, 22_000, 31_100] {
        m.now = NOW.plus(ms);
        assert_eq!(place(&m, "14:03:31  {"), before, "{ms} ms later");
    }
}

#[test]
fn without_colour_no_cell_has_one_and_late_is_still_told() {
    let m = evening(
        (120, 40),
        Look {
            no_color: true,
            ..look()
        },
    );
    let buf = draw(&m);
    for cell in &buf.content {
        assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset));
    }
    let all = lines(&buf).join("\n");
    assert!(all.contains("-0:12") && all.contains("12 late") && all.contains("0 !"));
}

#[test]
fn a_queue_keeps_the_colours_of_its_state_under_the_cursor() {
    for focus in [Pane::Queues, Pane::Entries] {
        let mut m = evening(MIDDLE, look());
        let theme = Theme::of(&m.look);
        let states = [theme.late, theme.warn, theme.ok].map(|style| style.fg);
        m.focus = focus;
        let mut at = |cursor| {
            m.cursor = cursor;
            draw(&m)
        };
        let pictures: Vec<Buffer> = (0..3).map(&mut at).collect();
        let table = layout::areas(&m).queues.inner;
        let mut told = 0;
        for y in table.y..table.y + table.h {
            for x in table.x + 1..table.x + table.w {
                let has = |picture: &&Buffer| states.contains(&Some(picture[(x, y)].fg));
                let some = pictures.iter().filter(has).count();
                assert!([0, pictures.len()].contains(&some), "{focus:?}: {x}, {y}");
                told += some;
            }
        }
        assert!(told > 0, "{focus:?}: no state has a colour");
    }
}

#[test]
fn the_sign_of_a_sick_queue_is_red_under_the_cursor_whatever_the_terminal_can_do() {
    let mut m = evening(
        MIDDLE,
        Look {
            background: None,
            depth: Depth::Own,
            ..look()
        },
    );
    let theme = Theme::of(&m.look);
    assert!(theme.reversed);
    m.focus = Pane::Queues;
    m.cursor = m
        .queues
        .iter()
        .position(|row| row.worst() == Some(Severity::Critical))
        .unwrap();
    let table = layout::areas(&m).queues.inner;
    let picture = draw(&m);
    let signs = (table.y..table.y + table.h).map(|y| &picture[(table.x + 1, y)]);
    let mut reversed = signs.filter(|cell| cell.modifier.contains(Modifier::REVERSED));
    let sign = reversed.next().unwrap();
    assert_eq!(sign.symbol(), theme.glyphs.lost);
    assert_eq!(Some(sign.fg), theme.late.fg);
}

#[test]
fn ascii_means_ascii() {
    let look = Look {
        ascii: true,
        ..look()
    };
    for size in [(80, 24), (120, 40), (200, 60)] {
        for mut m in models(size, &look) {
            m.entries.rows.iter_mut().for_each(|row| *row = sample(0));
            if let Screen::Entry(view) = &mut m.screen {
                view.row = sample(0);
            }
            for cell in &draw(&m).content {
                assert!(cell.symbol().is_ascii(), "{size:?}: {:?}", cell.symbol());
            }
        }
    }
}

#[test]
fn a_lost_server_makes_countdowns_approximate() {
    for size in [(80, 24), (120, 40)] {
        let mut m = evening(size, look());
        let live = lines(&draw(&m));
        m.link.state = LinkState::Lost {
            why: "gone".to_owned(),
            since: m.instant,
            retry_at: m.instant,
        };
        let lost = lines(&draw(&m));
        let all = lost.join("\n");
        for span in [" 2.4 s", "-0:12"] {
            assert!(all.contains(&format!("{span}~")), "{all}");
            // Not a digit moves.
            let at = |lines: &[String]| -> Vec<(usize, usize)> {
                let rows = lines.iter().enumerate();
                rows.filter_map(|(y, line)| Some((y, line.split(span).next()?.chars().count())))
                    .filter(|(y, x)| *x < lines[*y].chars().count())
                    .collect()
            };
            assert_eq!(at(&live), at(&lost));
        }
    }
}

#[test]
fn pictures_that_terminals_measure_differently_are_taken_apart() {
    let mut m = evening((80, 24), look());
    let payload = "a👩\u{200d}💻b❤\u{fe0f}c🇩🇪d👍🏽e";
    let form = delayscope::queue::Form::ByteId;
    let member = delayscope::queue::frame::encode(form, [7; 8], payload.as_bytes());
    m.entries.rows[1] = entry(member, 60_000);
    let buf = draw(&m);
    let all = buf.content.iter().map(ratatui::buffer::Cell::symbol);
    let all = all.collect::<String>();
    assert!(!all.contains(['\u{200d}', '\u{fe0f}', '🇩', '🏽']));
    assert!(all.contains("a👩") && all.contains("cDEd👍"), "{all}");
}

#[test]
fn a_server_that_never_answered_has_no_time_of_its_loss() {
    let mut m = bare((80, 24), look());
    m.link.clock = None;
    m.link.state = LinkState::Lost {
        why: "Connection refused".to_owned(),
        since: m.instant,
        retry_at: m.instant,
    };
    let header = line(&draw(&m), 0);
    assert!(header.contains("cannot connect"), "{header}");
    let all = lines(&draw(&m)).join("\n");
    assert!(all.contains("6379/0: Connection refused"), "{all}");
    assert!(!all.contains("connection lost"), "{all}");
    // Where something is shown, in its banner.
    m.queues = evening((80, 24), look()).queues;
    let banner = line(&draw(&m), 1);
    assert!(banner.contains("cannot connect"), "{banner}");
    assert!(!banner.contains("connection lost"), "{banner}");
}

#[test]
fn what_falls_due_says_now_until_it_is_late_by_a_second() {
    for (ms, shown) in [(100, "0.1 s"), (0, "now"), (-999, "now"), (-1_000, "-0:01")] {
        let mut m = evening((80, 24), look());
        m.entries.rows[1].due = Due::At(NOW.plus(ms));
        let area = area::table(layout::areas(&m).entries);
        let row = line(&draw(&m), area.y + 1);
        assert_eq!(row[..10].trim(), shown, "{ms} ms");
    }
}

#[test]
fn all_keys_are_in_sight_at_80x24() {
    for ascii in [false, true] {
        let mut m = evening((80, 24), Look { ascii, ..look() });
        m.overlay = Some(keys_at(0));
        assert_eq!(delayscope::tui::help::place::last_scroll(&m), 0);
        let all = lines(&draw(&m)).join("\n");
        for told in ["codec:", "re:/", "marked", "our clock", "none"] {
            assert!(all.contains(told), "{told}: {all}");
        }
        for row in keys::BINDINGS {
            assert!(all.contains(row.help), "{} is cut: {all}", row.name);
        }
    }
}

#[test]
fn a_rate_is_that_of_the_last_seconds() {
    let mut m = evening((120, 40), look());
    let last = m.queues[m.cursor].trend.samples.back().copied().flatten();
    let mut depths = last.unwrap();
    // A queue that was filled, and has been still for ten seconds since.
    let fill = [1, 400_000, 1_000_000].into_iter();
    let counts = fill.chain(std::iter::repeat_n(1_000_000, 10));
    let trend = counts.enumerate().map(|(i, waiting)| {
        depths.at = NOW.plus(i64::try_from(i).unwrap() * 1000);
        depths.waiting = waiting;
        Some(depths)
    });
    let trend = trend.collect();
    m.queues[m.cursor].trend.samples = trend;
    let y = layout::areas(&m).depth.inner.y;
    let row = line(&draw(&m), y);
    assert!(row.contains("timeouts") && !row.contains("/s"), "{row}");
}

#[test]
fn a_score_that_is_no_moment_is_shown_as_it_is() {
    let mut m = evening((120, 40), look());
    let row = &mut m.entries.rows[2];
    (row.score, row.due) = (-1.0, Due::OutOfRange(-1.0));
    let all = lines(&draw(&m)).join("\n");
    assert!(all.contains("-1.00e0"), "{all}");
}

#[test]
fn the_end_of_a_scrolled_entry_is_its_last_line() {
    let mut m = evening((80, 24), look());
    let payload = (0..100)
        .map(|i| format!("line {i}"))
        .collect::<Vec<_>>()
        .join("\n");
    let member = delayscope::queue::frame::encode(
        delayscope::queue::Form::ByteId,
        [7; 8],
        payload.as_bytes(),
    );
    m.screen = Screen::Entry(Box::new(EntryView::new(
        entry(member, 60_000),
        BackScreen::Dashboard,
    )));
    let last = delayscope::tui::entry::update::last(&m);
    if let Screen::Entry(view) = &mut m.screen {
        view.scroll = last;
    }
    let drawn = lines(&draw(&m));
    assert!(drawn[22].contains("line 99"), "{drawn:?}");
}

#[test]
fn a_row_that_has_left_says_what_became_of_it_and_when_it_was_due() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let whole = evening(size, look());
        let due = lines(&draw(&whole));
        let mut m = whole.clone();
        m.focus = Pane::Entries;
        m.departed = Some(DepartedRow {
            row: m.entries.rows[0].clone(),
            tab: m.tab,
            place: m.entries.first,
            fate: DepartedFate::Transferred,
            until: m.instant + std::time::Duration::from_secs(2),
        });
        let said = lines(&draw(&m));
        let at = said.iter().position(|line| line.contains("transferred "));
        let at = at.unwrap_or_else(|| panic!("{said:#?}"));
        // The clock of the first row, with as many digits as before.
        let clock = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            words
                .into_iter()
                .find(|word| word.matches(':').count() == 2)
        };
        assert!(clock(&due[at]).is_some(), "{}", due[at]);
        assert_eq!(clock(&said[at]), clock(&due[at]), "{}", said[at]);
    }
}
