//! What the server and the queues can be like: each state as a picture.

#![expect(
    clippy::unwrap_used,
    reason = "a failure in the harness is a failed test"
)]

use std::time::Duration;

use delayscope::clock::ServerClock;
use delayscope::queue::{Due, Form, Known, LinkState, Optional, Queue, frame};
use delayscope::tui::entry::{BackScreen, EntryView, Face};
use delayscope::tui::help::HelpPage;
use delayscope::tui::look::Look;
use delayscope::tui::model::{Model, Overlay, Screen};
use delayscope::tui::queues::{Discovery, QueueRow};
use delayscope::tui::tabs::Tab;
use delayscope::tui::theme::Theme;

use crate::screens::build::{NOW, bare, entry, evening, figures, look, page, queue};
use crate::screens::pictures::{LARGE, MIDDLE, SMALL, draw, picture};

/// A picture as lines of text.
fn lines(m: &Model) -> Vec<String> {
    let buf = draw(m);
    let line = |y| (0..buf.area.width).map(|x| buf[(x, y)].symbol()).collect();
    (0..buf.area.height).map(line).collect()
}

/// The server is away with these words since five seconds.
fn away(m: &mut Model, why: &str) {
    m.link.state = LinkState::Lost {
        why: why.to_owned(),
        since: m.instant.checked_sub(Duration::from_secs(5)).unwrap(),
        retry_at: m.instant + Duration::from_millis(400),
    };
}

const WRONGPASS: &str = "WRONGPASS invalid username-password pair or user is disabled.";

/// The password is wrong from the beginning.
pub(crate) fn denied(size: (u16, u16), look: Look) -> Model {
    let mut m = bare(size, look);
    (m.link.clock, m.link.facts) = (None, None);
    away(&mut m, WRONGPASS);
    m
}

#[test]
fn a_wrong_password_says_what_is_wrong_and_what_to_do() {
    picture("denied_80x24", &denied(SMALL, look()));
    picture("denied_120x40", &denied(MIDDLE, look()));
    for (w, h) in [(60, 18), (80, 24), (120, 40), (200, 60)] {
        let all = lines(&denied((w, h), look()));
        assert!(all[0].contains("✖ login failed"), "{}", all[0]);
        let all = all[1..].join(" ");
        let told = all.to_lowercase().matches("login").count();
        assert_eq!(told, 1, "it is told once: {all}");
        assert!(all.contains("retry in 1 s · ^R now"), "{all}");
        assert!(all.contains("REDISCLI_AUTH"), "{all}");
        assert!(all.contains("WRONGPASS"), "{all}");
    }
}

#[test]
fn a_password_that_was_changed_meanwhile_keeps_the_picture() {
    let mut m = evening(SMALL, look());
    away(&mut m, WRONGPASS);
    m.queues[0].read_at = m.instant.checked_sub(Duration::from_secs(6));
    picture("denied_later_80x24", &m);
    m.size = LARGE;
    page(&mut m, 0);
    assert!(!lines(&m)[0].contains("login"), "it is told once");
    let banner = lines(&m).swap_remove(1);
    for said in ["check user and password", "showing 14:02:08", "WRONGPASS"] {
        assert!(banner.contains(said), "{banner}");
    }
}

#[test]
fn what_other_servers_say_of_a_password_is_known_too() {
    let state = |why: &str| {
        let mut m = bare(SMALL, look());
        away(&mut m, why);
        m.link.state
    };
    assert!(state("NOAUTH Authentication required.").is_denied());
    assert!(state("ERR invalid password").is_denied());
    assert!(!state("Connection refused").is_denied());
    assert!(!LinkState::Live.is_denied());
}

#[test]
fn a_picture_that_is_old_says_so_although_the_link_is_live() {
    let mut m = evening(SMALL, look());
    m.queues[0].read_at = m.instant.checked_sub(Duration::from_secs(7));
    picture("stale_80x24", &m);
    let header = lines(&m).swap_remove(0);
    assert!(header.contains("stale 7 s"), "{header}");
}

#[test]
fn figures_of_a_row_that_was_not_read_for_long_are_dimmed_and_do_not_go_on() {
    let theme = Theme::of(&look());
    let mut m = evening(MIDDLE, look());
    let row = m.queues.iter().position(|row| {
        let late = row.pulse.as_ref().and_then(|pulse| pulse.oldest_late);
        late.is_some()
    });
    let row = row.unwrap();
    let name = m.queues[row].queue.name.to_string();
    let ages = |m: &Model| {
        let lines = lines(m);
        let y = lines
            .iter()
            .position(|line| line.contains(&format!(" {name} ")));
        let y = y.unwrap();
        // The third figure of a row is the age of its oldest late entry.
        let age = lines[y]
            .split_whitespace()
            .find(|word| word.contains(':'))
            .unwrap();
        let at = lines[y].find(age).unwrap();
        let x = u16::try_from(lines[y][..at].chars().count()).unwrap();
        let drawn = draw(m);
        (age.to_owned(), drawn[(x, u16::try_from(y).unwrap())].fg)
    };
    assert_eq!(Some(ages(&m).1), theme.late.fg);
    // Time goes on, and this row alone is not read.
    let mut then = |ms: u64| {
        m.instant += Duration::from_millis(ms);
        m.now = m.now.plus(i64::try_from(ms).unwrap());
        for (i, other) in m.queues.iter_mut().enumerate() {
            other.read_at = (i != row).then_some(m.instant).or(other.read_at);
        }
        ages(&m)
    };
    let (stale, colour) = then(60_000);
    assert_eq!(Some(colour), theme.dim.fg);
    assert_eq!(then(60_000).0, stale);
}

#[test]
fn a_clock_that_is_wrong_is_told_and_by_much_in_red() {
    let theme = Theme::of(&look());
    for (skew_ms, said, colour) in [
        (200, None, None),
        (312, Some("skew +312 ms"), theme.warn.fg),
        (-3_400, Some("skew -3.4 s"), theme.late.fg),
        (7_500_000, Some("skew +2h 05m"), theme.late.fg),
    ] {
        let mut m = evening(MIDDLE, look());
        m.link.clock = Some(ServerClock::set(NOW, m.instant, skew_ms));
        let header = lines(&m).swap_remove(0);
        let at = header.find("skew");
        assert_eq!(at.is_some(), said.is_some(), "{header}");
        if let (Some(at), Some(said)) = (at, said) {
            assert!(header.contains(said), "{header}");
            let x = u16::try_from(header[..at].chars().count()).unwrap();
            assert_eq!(Some(draw(&m)[(x, 0)].fg), colour, "{header}");
        }
    }
}

/// Three hundred queues, found while the looking goes on.
pub(crate) fn hundreds(size: (u16, u16), look: Look) -> Model {
    let mut m = evening(size, look);
    for i in 0..296 {
        let waiting = (i * 7_919) % 50_000;
        let name = format!("tenant-{i:03}:reminders");
        let classes = [0, 0, waiting / 9, waiting / 3, waiting / 2, 0, 0];
        m.queues.push(queue(
            &name,
            m.instant,
            &figures(waiting, 0, 2 + i % 3),
            classes,
        ));
    }
    m.table.discovery = Discovery::Looking {
        looked: 480_000,
        keys: 1_200_000,
    };
    m
}

#[test]
fn hundreds_of_queues_at_three_sizes() {
    picture("hundreds_80x24", &hundreds(SMALL, look()));
    let mut m = hundreds(MIDDLE, look());
    m.queues.swap(0, 150);
    (m.cursor, m.top) = (150, 148);
    picture("hundreds_120x40", &m);
    picture("hundreds_200x60", &hundreds(LARGE, look()));
}

/// Payloads that are wide, that are pictures, that would command the terminal; names alike.
pub(crate) fn wild(size: (u16, u16), look: Look) -> Model {
    let mut m = evening(size, look);
    let framed = |payload: &[u8]| frame::encode(Form::ByteId, [7; 8], payload);
    let payloads: [&[u8]; 7] = [
        "{\"订单\":\"延迟队列\",\"状态\":\"已取消\",\"备注\":\"请在三十分钟内付款,否则自动取消\"}"
            .as_bytes(),
        "🎉 done 👩\u{200d}💻 ❤\u{fe0f} 🇩🇪 👍🏽".as_bytes(),
        b"\x1b]0;owned\x07\x1b[2J\r\n\t\x00\x7fend",
        "right \u{202e}to left\u{2066} and zero\u{200b}width".as_bytes(),
        "e\u{301}e\u{301}e\u{301} Ελληνικά العربية עברית".as_bytes(),
        b"",
        b"\xff\xfe\xfd not text",
    ];
    for (i, payload) in payloads.iter().enumerate() {
        if let Some(row) = m.entries.rows.get_mut(i) {
            let wait = i64::try_from(i).unwrap() * 9_000 - 5_000;
            *row = entry(framed(payload), wait);
        }
    }
    m.queues[0].queue = Queue::redisson("orders-".repeat(29).into_bytes());
    m.queues[1].queue = Queue::redisson("订单延迟队列和别的东西🎉");
    m
}

#[test]
fn payloads_that_are_wide_or_hostile() {
    picture("wild_80x24", &wild(SMALL, look()));
    picture("wild_120x40", &wild(MIDDLE, look()));
    let mut m = wild(MIDDLE, look());
    m.screen = Screen::Entry(Box::new(EntryView::new(
        m.entries.rows[2].clone(),
        BackScreen::Queue,
    )));
    picture("wild_entry_120x40", &m);
}

/// An entry of a megabyte, opened.
fn megabyte(size: (u16, u16), look: Look, face: Face) -> Model {
    let mut m = evening(size, look);
    let line = r#"{"sku":"A-7","n":2,"note":"as ordered"},"#;
    let payload = format!("[{}0]", line.repeat(1_048_576 / line.len()));
    let row = entry(
        frame::encode(Form::ByteId, [7; 8], payload.as_bytes()),
        60_000,
    );
    m.entries.rows[1] = row.clone();
    m.screen = Screen::Entry(Box::new(EntryView {
        face,
        scroll: 4_000,
        ..EntryView::new(row, BackScreen::Dashboard)
    }));
    m
}

#[test]
fn a_payload_of_a_megabyte_as_text_and_as_bytes() {
    picture("megabyte_text", &megabyte(SMALL, look(), Face::Text));
    picture("megabyte_hex", &megabyte(MIDDLE, look(), Face::Hex));
    let mut m = megabyte(SMALL, look(), Face::Text);
    m.screen = Screen::Dashboard;
    let row = lines(&m)
        .into_iter()
        .find(|line| line.contains("A-7\",\"n\""));
    assert!(row.unwrap().trim_end().ends_with('…'), "cut in the list");
}

/// A server that refuses what is optional, and to this user even the order list.
pub(crate) fn refused(size: (u16, u16), look: Look) -> Model {
    let mut m = evening(size, look);
    let why = "NOPERM this user has no permissions to run the 'pubsub|numsub' command";
    let mut pulse = figures(1_000_000, 12, 0);
    pulse.oldest_late = Some(NOW.plus(-12_187));
    pulse.transfer_clients = Known::Unknown(why.into());
    pulse.order = Known::Unknown("NOPERM No permissions to access a key".into());
    let mut row = queue("orders", m.instant, &pulse, [0; 7]);
    row.survey = None;
    row.unsurveyed = Some("prod-1:6379/0 refused to count what is due: NOPERM no 'zcount'".into());
    m.queues.truncate(1);
    m.queues[0] = row;
    m.traffic.heard.clear();
    let refusals = [Optional::NumSub, Optional::PSubscribe, Optional::Info];
    for command in refusals {
        m.link.refused.0.insert(command, why.to_owned());
    }
    m.link.facts = None;
    m
}

#[test]
fn what_the_server_refuses_is_a_question_mark_with_the_reason() {
    picture("refused_80x24", &refused(SMALL, look()));
    picture("refused_120x40", &refused(MIDDLE, look()));
    let mut m = refused(MIDDLE, look());
    m.tab = Tab::Order;
    let all = lines(&m).join("\n");
    assert!(all.contains("The list cannot be read: NOPERM"), "{all}");
    m.tab = Tab::Traffic;
    let all = lines(&m).join("\n");
    assert!(all.contains("PSUBSCRIBE does not work: NOPERM"), "{all}");
}

/// The plain layout: no order list, no channel.
pub(crate) fn plain(size: (u16, u16), look: Look, tab: Tab) -> Model {
    let mut m = evening(size, look);
    let mut pulse = figures(31_000, 2, 0);
    (pulse.order, pulse.transfer_clients) = (Known::None, Known::None);
    pulse.head = Some(Due::At(NOW.plus(-1_200)));
    pulse.oldest_late = Some(NOW.plus(-1_200));
    let classes = [0, 0, 300, 1_700, 9_000, 20_000, 0];
    m.queues[0] = QueueRow {
        queue: "zset-list:delay_queue,ready_queue".parse().unwrap(),
        ..queue("x", m.instant, &pulse, classes)
    };
    m.tab = tab;
    m.screen = Screen::Queue;
    page(&mut m, 0);
    m
}

#[test]
fn a_plain_queue_has_neither_order_list_nor_channel() {
    picture("plain_waiting", &plain(SMALL, look(), Tab::Waiting));
    picture("plain_order", &plain(SMALL, look(), Tab::Order));
    picture("plain_traffic", &plain(MIDDLE, look(), Tab::Traffic));
}

#[test]
fn a_session_that_may_not_change_anything_says_so_at_every_size() {
    for (size, word) in [(SMALL, " RO"), (MIDDLE, "READ-ONLY"), (LARGE, "READ-ONLY")] {
        let mut m = evening(size, look());
        m.site.read_only = true;
        let header = lines(&m).swap_remove(0);
        assert!(header.contains(word), "{header}");
    }
    let mut m = evening(MIDDLE, look());
    m.site.read_only = true;
    picture("read_only", &m);
}

#[test]
fn where_one_is_and_what_time_it_is_never_give_way_and_the_alarm_has_fewer_words_first() {
    for (w, h) in [
        (60, 18),
        (80, 24),
        (100, 30),
        (120, 40),
        (160, 50),
        (200, 60),
    ] {
        let mut m = evening((w, h), look());
        m.site.read_only = true;
        m.queues[1].trouble = Some("WRONGTYPE".to_owned());
        for screen in [Screen::Dashboard, Screen::Queue] {
            m.screen = screen;
            let header = lines(&m).swap_remove(0);
            for word in [
                "prod-1:6379/0",
                "14:02:09",
                if w < 100 { "RO" } else { "READ-ONLY" },
            ] {
                assert!(header.contains(word), "no {word} in {header}");
            }
            let inside = matches!(m.screen, Screen::Queue);
            assert!(!inside || header.contains("› orders"), "{header}");
            assert!(w < 120 || header.contains("ms/s"), "no cost in {header}");
        }
    }
    let mut m = evening(MIDDLE, look());
    m.queues[1].trouble = Some("WRONGTYPE".to_owned());
    let header = lines(&m).swap_remove(0);
    assert!(header.contains("✖ 2 of 4 have problems"), "{header}");
}

/// Every state of this file, and one with the help over it.
pub(crate) fn all(size: (u16, u16), look: &Look) -> Vec<Model> {
    let mut help = hundreds(size, look.clone());
    help.overlay = Some(Overlay::Help {
        page: HelpPage::Keys,
        scroll: 0,
    });
    let mut lost = wild(size, look.clone());
    away(&mut lost, WRONGPASS);
    let plain = |tab| plain(size, look.clone(), tab);
    vec![
        denied(size, look.clone()),
        hundreds(size, look.clone()),
        wild(size, look.clone()),
        refused(size, look.clone()),
        plain(Tab::Order),
        plain(Tab::Traffic),
        plain(Tab::Delivered),
        help,
        lost,
    ]
}

#[test]
fn what_fell_due_since_the_last_reading_is_due_now_until_the_row_should_have_been_read() {
    let next_of = |past_ms: i64| {
        let mut m = evening(MIDDLE, look());
        let pulse = m.queues[1].pulse.as_mut().unwrap();
        pulse.next = Some(Due::At(NOW.plus(-past_ms)));
        let all = lines(&m);
        let row = all.iter().find(|line| line.contains("emails")).unwrap();
        row.split_whitespace().nth(5).unwrap().to_owned()
    };
    assert_eq!(next_of(4_000), "now");
    assert_eq!(next_of(6_000), "?");
}
