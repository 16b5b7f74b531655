//! Pictures that were looked at: a dozen whole, each cell with its style, and of the others what they
//! mean (`meaning`). After a wanted change: `INSTA_UPDATE=always cargo test --test screen screens::`,
//! then look through the difference.
//!
//! `CELLS=FOLDER` writes every picture there, to be compared with those of another commit.

use std::fs;
use std::path::Path;
use std::time::Duration;

use delayscope::queue::{Due, Known, LinkState, Queue};
use delayscope::tui::entry::{BackScreen, EntryView, Face};
use delayscope::tui::help;
use delayscope::tui::help::HelpPage;
use delayscope::tui::look::{Background, Depth, Look};
use delayscope::tui::model::{Model, Overlay, Pane, Screen};
use delayscope::tui::queues::{Discovery, QueueRow};
use delayscope::tui::tabs::Tab;
use delayscope::tui::toast::{Toast, Tone};
use delayscope::tui::view;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

use crate::screens::build::{self, NOW, bare, evening, figures, look, page, queue, sample};
use crate::screens::meaning::meaning;

pub(crate) const SMALL: (u16, u16) = (80, 24);
pub(crate) const MIDDLE: (u16, u16) = (120, 40);
pub(crate) const LARGE: (u16, u16) = (200, 60);

/// The picture of a model.
pub(crate) fn draw(model: &Model) -> Buffer {
    let (w, h) = model.size;
    let mut buf = Buffer::empty(Rect::new(0, 0, w, h));
    view::render(model, buf.area, &mut buf);
    buf
}

/// Writes a picture, each cell with its style, into the folder that `CELLS` names, if it does.
pub(crate) fn keep(name: &str, picture: &Buffer) {
    let Some(folder) = std::env::var_os("CELLS") else {
        return;
    };
    let file = Path::new(&folder).join(format!("{name}.txt"));
    let written = fs::create_dir_all(&folder);
    let written = written.and_then(|()| fs::write(&file, format!("{picture:#?}\n")));
    written.unwrap_or_else(|e| panic!("{}: {e}", file.display()));
}

/// The pictures that are kept whole: what the others are compared with, and one of each kind.
const WHOLE: [&str; 12] = [
    "dashboard_38x9",
    "dashboard_60x18",
    "dashboard_80x24",
    "dashboard_100x30",
    "dashboard_120x40",
    "dashboard_200x60",
    "ascii",
    "queue_80x24",
    "queue_120x40",
    "queue_200x60",
    "entry_text_80x24",
    "entry_text_120x40",
];

/// Compares the picture with the one that was looked at.
pub(crate) fn picture(name: &str, model: &Model) {
    let drawn = draw(model);
    keep(name, &drawn);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        if WHOLE.contains(&name) {
            insta::assert_debug_snapshot!(format!("screen_{name}"), drawn);
        } else {
            insta::assert_snapshot!(format!("screen_{name}"), meaning(model));
        }
    });
}

#[test]
fn the_dashboard_at_three_sizes() {
    picture("dashboard_80x24", &evening(SMALL, look()));
    picture("dashboard_120x40", &evening(MIDDLE, look()));
    picture("dashboard_200x60", &evening(LARGE, look()));
}

#[test]
fn the_dashboard_in_between() {
    picture("dashboard_100x30", &evening((100, 30), look()));
    picture("dashboard_60x18", &evening((60, 18), look()));
    picture("dashboard_38x9", &evening((38, 9), look()));
}

#[test]
fn other_looks() {
    let mut m = evening(SMALL, look());
    m.focus = Pane::Queues;
    for (name, look) in [
        (
            "no_color",
            Look {
                no_color: true,
                ..look()
            },
        ),
        (
            "ascii",
            Look {
                ascii: true,
                ..look()
            },
        ),
        (
            "own_colours",
            Look {
                background: None,
                ..look()
            },
        ),
        (
            "light",
            Look {
                background: Some(Background::Light),
                depth: Depth::True,
                ..look()
            },
        ),
    ] {
        m.look = look;
        picture(name, &m);
    }
}

#[test]
fn one_queue_on_the_whole_screen() {
    for (name, size) in [
        ("queue_80x24", SMALL),
        ("queue_120x40", MIDDLE),
        ("queue_200x60", LARGE),
    ] {
        let mut m = evening(size, look());
        m.screen = Screen::Queue;
        m.focus = Pane::Timeline;
        page(&mut m, 0);
        picture(name, &m);
    }
}

#[test]
fn looking_for_queues_and_finding_none() {
    let mut m = bare(SMALL, look());
    m.link.clock = None;
    m.link.state = LinkState::Connecting;
    picture("connecting", &m);
    let mut m = bare(SMALL, look());
    m.table.discovery = Discovery::Looking {
        looked: 4_813,
        keys: 12_034,
    };
    picture("looking", &m);
    m.table.discovery = Discovery::Done { looked: 12_034 };
    picture("no_queue", &m);
    m.table.discovery = Discovery::Away {
        looked: 12_034,
        nodes: vec!["10.0.0.3:7002".to_owned()],
    };
    picture("no_queue_seen", &m);
}

#[test]
fn an_empty_queue_says_who_listens() {
    let mut m = bare(SMALL, look());
    let mut pulse = figures(0, 0, 4);
    pulse.head = None;
    pulse.oldest_late = None;
    let mut row = queue("orders", m.instant, &pulse, [0; 7]);
    if let Some(survey) = &mut row.survey {
        survey.bars.iter_mut().for_each(|bar| bar.count = 0);
    }
    m.queues = vec![row];
    picture("empty_queue", &m);
}

#[test]
fn a_server_that_hangs_and_one_that_is_lost() {
    let mut m = evening(SMALL, look());
    let ago = |s| m.instant.checked_sub(Duration::from_secs(s)).unwrap();
    let (three, five, seven) = (ago(3), ago(5), ago(7));
    m.link.state = LinkState::Hung { since: three };
    m.queues[0].read_at = Some(three);
    picture("hung", &m);
    m.link.state = LinkState::Lost {
        why: "connection refused".to_owned(),
        since: five,
        retry_at: m.instant + Duration::from_millis(1_500),
    };
    m.queues[0].read_at = Some(seven);
    picture("lost", &m);
    m.link.state = LinkState::Live;
    m.queues[0].read_at = Some(m.instant);
    m.toast = Some(Toast {
        text: "back after 12 s".to_owned(),
        tone: Tone::Good,
        until: m.instant,
    });
    picture("back", &m);
}

#[test]
fn what_cannot_be_known_and_what_does_not_exist() {
    let mut m = evening(MIDDLE, look());
    let mut refused = figures(500, 0, 0);
    refused.transfer_clients = Known::Unknown("NOPERM".into());
    m.queues[1] = queue("refused", m.instant, &refused, [0, 1, 1, 1, 1, 1, 1]);
    let mut plain = figures(31_000, 2, 0);
    plain.order = Known::None;
    plain.transfer_clients = Known::None;
    plain.head = Some(Due::At(NOW.plus(-1_200)));
    plain.oldest_late = Some(NOW.plus(-1_200));
    let mut row = queue("x", m.instant, &plain, [0, 0, 300, 1_700, 9_000, 20_000, 0]);
    row.queue = "zset-list:delay_queue,ready_queue"
        .parse::<Queue>()
        .unwrap();
    m.queues[0] = row;
    m.queues[2] = QueueRow {
        trouble: Some("redisson_delay_queue_timeout:{invoices} is a list, not a zset".to_owned()),
        ..QueueRow::new(Queue::redisson("invoices"))
    };
    page(&mut m, 0);
    picture("unknown_and_none", &m);
}

#[test]
fn the_lateness_of_the_last_minutes_is_a_strip_below_the_depths() {
    for (name, size) in [("80x24", SMALL), ("120x40", MIDDLE), ("200x60", LARGE)] {
        let mut m = evening(size, look());
        let lateness = &mut m.queues[0].watch.lateness;
        for second in 0..250 {
            let late_ms = if (100..120).contains(&second) {
                9_000
            } else {
                300 + second * 4
            };
            lateness.transferred(NOW.plus((second - 250) * 1_000), &[late_ms]);
        }
        m.screen = Screen::Queue;
        page(&mut m, 0);
        picture(&format!("late_strip_{name}"), &m);
    }
}

#[test]
fn names_that_are_long_wide_or_hostile() {
    let mut m = evening(SMALL, look());
    let rename = |row: &mut QueueRow, name: Vec<u8>| row.queue = Queue::redisson(name);
    rename(&mut m.queues[0], "orders-".repeat(29).into_bytes());
    rename(
        &mut m.queues[1],
        "订单延迟队列和别的东西🎉".as_bytes().to_vec(),
    );
    rename(&mut m.queues[2], b"a\x1b[2Jb\x07\nc\xff".to_vec());
    m.traffic.heard.push_back(build::announced(
        "orders",
        -100,
        b"not a number \x1b]0;x\x07",
    ));
    picture("names", &m);
}

#[test]
fn a_frozen_read_only_screen_that_reads_slowly() {
    let mut m = evening(SMALL, look());
    m.frozen = Some(NOW);
    m.now = NOW.plus(7_000);
    m.site.read_only = true;
    m.stretched_ms = Some(2_500);
    picture("frozen", &m);
}

#[test]
fn an_entry_as_text_and_as_bytes() {
    for (name, size, face, i) in [
        ("entry_text_80x24", SMALL, Face::Text, 0),
        ("entry_text_120x40", MIDDLE, Face::Text, 7),
        ("entry_hex_80x24", SMALL, Face::Hex, 1),
        ("entry_without_frame", SMALL, Face::Text, 5),
    ] {
        let mut m = evening(size, look());
        m.screen = Screen::Entry(Box::new(EntryView {
            face,
            ..EntryView::new(sample(i), BackScreen::Dashboard)
        }));
        picture(name, &m);
    }
}

#[test]
fn the_help() {
    let mut m = evening(SMALL, look());
    m.overlay = Some(Overlay::Help {
        page: HelpPage::Keys,
        scroll: 0,
    });
    picture("help", &m);
    for (name, page) in [("screen", HelpPage::Screen), ("queue", HelpPage::Queue)] {
        for (at, size) in [("80x24", SMALL), ("120x40", MIDDLE)] {
            let mut m = evening(size, look());
            m.overlay = Some(Overlay::Help { page, scroll: 0 });
            picture(&format!("help_{name}_{at}"), &m);
        }
    }
}

/// What the page of the help that is shown says, a line each.
fn help_says(m: &Model) -> String {
    let page = help::place::page(m);
    let lines = page.columns.iter().flat_map(|column| &column.lines);
    let words = lines.map(|line| match line {
        help::place::HelpLine::Keys { keys, words, .. } => format!("{keys} {words}"),
        help::place::HelpLine::Words(words) | help::place::HelpLine::Drawn(words) => words.clone(),
        help::place::HelpLine::Head(head) => head.clone(),
        help::place::HelpLine::Blank => String::new(),
    });
    words.collect::<Vec<_>>().join("\n")
}

/// The help over a whole screen, at this page.
fn helped(page: HelpPage) -> Model {
    let mut m = evening(LARGE, look());
    m.overlay = Some(Overlay::Help { page, scroll: 0 });
    m
}

#[test]
fn the_help_explains_what_stands_on_the_screen() {
    let mut m = helped(HelpPage::Screen);
    m.focus = Pane::Queues;
    let screen = help_says(&m);
    for head in [
        "waiting",
        "late",
        "oldest",
        "next",
        "order",
        "target",
        "clients",
        "depth",
        "CRIT",
        "WARN",
        "FIXED",
        "OK",
        "red",
        "skew",
        "published/min",
    ] {
        assert!(screen.contains(head), "{head}: {screen}");
    }
    m.focus = Pane::Entries;
    for (tab, word) in [
        (Tab::Waiting, "due at"),
        (Tab::Delivered, "still framed"),
        (Tab::Order, "searches it"),
        (Tab::Traffic, "all clients woken"),
        (Tab::Findings, "a command for a shell"),
        (Tab::Changes, "undone"),
    ] {
        m.tab = tab;
        // What has the keys stands first.
        let screen = help_says(&m);
        let own = screen.find(word);
        assert!(
            own.is_some() && own < screen.find("of its time"),
            "{word}: {screen}"
        );
    }
}

#[test]
fn the_help_explains_how_a_delayed_queue_works() {
    let mut m = helped(HelpPage::Queue);
    m.focus = Pane::Entries;
    for ascii in [false, true] {
        m.look.ascii = ascii;
        for size in [SMALL, (60, 18), MIDDLE] {
            m.size = size;
            let queue = help_says(&m);
            for word in ["channel", "target", "consumer", "frame", "quarantine"] {
                assert!(queue.contains(word), "{word}: {queue}");
            }
            assert!(!ascii || queue.is_ascii(), "{queue}");
        }
    }
}

#[test]
fn every_zoom() {
    for zoom in delayscope::queue::Zoom::ALL {
        let mut m = evening(SMALL, look());
        m.timeline.zoom = zoom;
        m.timeline.bar = None;
        let classes = [1_200, 9_800, 41_203, 120_034, 290_500, 537_251, 90_000];
        let mut survey = build::survey(zoom, classes);
        survey.late = [410_000, 41_000, 700, 12];
        m.queues[0].survey = Some(survey);
        picture(&format!("zoom_{zoom:?}"), &m);
    }
}

#[test]
fn more_queues_than_rows_say_which_are_in_sight() {
    let title = |m: &Model| -> String {
        let picture = draw(m);
        (0..40).map(|x| picture[(x, 1)].symbol()).collect()
    };
    let mut m = build::evening((80, 24), build::look());
    let row = m.queues[1].clone();
    m.queues.resize(40, row);
    assert_eq!(title(&m), "── Queues 1–6 of 40 ─── late ─ next <10s");
    m.top = 34;
    assert_eq!(title(&m), "── Queues 35–40 of 40 ─ late ─ next <10s");
}

#[test]
fn without_a_chosen_bar_the_highest_one_is_told() {
    let mut m = evening(MIDDLE, look());
    m.timeline.bar = None;
    let picture = draw(&m);
    let all: String = picture.content.iter().map(Cell::symbol).collect();
    let told = "peak 41,203 at 14:06:40";
    assert!(all.contains(told), "{all}");
}
