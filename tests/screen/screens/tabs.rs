//! The tabs beside the first one, and the findings wherever they stand.

use std::sync::Arc;

use delayscope::queue::look::{Client, Clients, ServerLook};
use delayscope::queue::{Change, Due, EntryId, Known, List, ListScore, Outcome, Queue, Tally};
use delayscope::tui::entries::EntryRow;
use delayscope::tui::hitmap::Target;
use delayscope::tui::journal::{ChangeLine, PastChange};
use delayscope::tui::layout;
use delayscope::tui::tabs;

use delayscope::tui::lists::{ListElement, ListWindow, QuarantineTime};
use delayscope::tui::look::Look;
use delayscope::tui::model::{Model, Screen};
use delayscope::tui::tabs::Tab;

use crate::desk::{cell_in, drawn};
use crate::screens::build::{NOW, evening, figures, look, queue, sample};
use crate::screens::pictures::{draw, picture};

/// The selected queue's tab, its rows loaded.
pub(crate) fn on(tab: Tab, size: (u16, u16), look: Look) -> Model {
    let mut m = evening(size, look);
    m.tab = tab;
    m.screen = Screen::Queue;
    m.lists.order = order();
    m.lists.delivered = delivered();
    let row = &mut m.queues[0];
    if let Some(pulse) = &mut row.pulse {
        pulse.order = Known::Is(1_000_002);
        // It was so in the look before, too.
        let mut before = pulse.clone();
        for ms in [1, 1_001] {
            before.at = pulse.at.plus(ms);
            row.watch.saw(&before);
        }
    }
    m
}

/// The head of an order list: two members of which timeouts knows nothing, one that could not be
/// looked up.
fn order() -> ListWindow {
    let element = |i: usize| {
        let row = sample(i);
        let score = match i {
            2 | 6 => ListScore::Drift,
            4 => ListScore::Untold("it moved while the page was read".into()),
            _ => ListScore::Is(row.score),
        };
        let told = matches!(score, ListScore::Is(_));
        let row = if told { row } else { unscored(row) };
        ListElement { row, score }
    };
    ListWindow {
        rows: (0..40).map(element).collect(),
        len: Some(1_000_002),
        ..ListWindow::default()
    }
}

fn delivered() -> ListWindow {
    let element = |i: usize| ListElement {
        row: EntryRow {
            form: None,
            id: EntryId::of_bytes(b"x"),
            ..unscored(sample(i))
        },
        score: ListScore::None,
    };
    ListWindow {
        rows: (0..3).map(element).collect(),
        len: Some(3),
        ..ListWindow::default()
    }
}

fn unscored(row: EntryRow) -> EntryRow {
    EntryRow {
        score: f64::NAN,
        due: Due::OutOfRange(f64::NAN),
        ..row
    }
}

const SMALL: (u16, u16) = (80, 24);
const MIDDLE: (u16, u16) = (120, 40);
const LARGE: (u16, u16) = (200, 60);

#[test]
fn the_order_list_with_drift() {
    picture("tab_order_80x24", &on(Tab::Order, SMALL, look()));
    picture("tab_order_120x40", &on(Tab::Order, MIDDLE, look()));
    picture("tab_order_200x60", &on(Tab::Order, LARGE, look()));
}

#[test]
fn drift_is_told_without_colour_and_in_ascii() {
    let bare = Look {
        ascii: true,
        no_color: true,
        ..look()
    };
    for size in [SMALL, MIDDLE, LARGE] {
        let all = words(&on(Tab::Order, size, bare.clone()));
        assert_eq!(all.matches("! not in timeouts").count(), 2, "{all}");
        assert!(all.contains("!2"), "{all}");
    }
}

#[test]
fn what_was_delivered() {
    picture("tab_delivered_80x24", &on(Tab::Delivered, SMALL, look()));
    picture("tab_delivered_120x40", &on(Tab::Delivered, MIDDLE, look()));
}

#[test]
fn what_is_in_quarantine_and_since_when() {
    let quarantined = |size| {
        let mut m = on(Tab::Quarantine, size, look());
        m.queues[0].survey.as_mut().unwrap().quarantined = Some(3);
        let element = |i: usize| {
            let row = sample(i);
            let score = ListScore::Is(row.score);
            ListElement { row, score }
        };
        m.lists.quarantine = ListWindow {
            rows: (0..3).map(element).collect(),
            len: Some(3),
            ..ListWindow::default()
        };
        let since = QuarantineTime {
            at: NOW.plus(-90_000),
            change: "01jd3vh4aa".to_owned(),
        };
        m.lists.since = Some([(sample(0).id, since)].into());
        m
    };
    picture("tab_quarantine_80x24", &quarantined(SMALL));
    picture("tab_quarantine_200x60", &quarantined(LARGE));
    let mut unseen = quarantined(MIDDLE);
    unseen.tab = Tab::Waiting;
    picture("tab_quarantine_behind_120x40", &unseen);
}

#[test]
fn the_traffic_in_full() {
    picture("tab_traffic_80x24", &on(Tab::Traffic, SMALL, look()));
    picture("tab_traffic_200x60", &on(Tab::Traffic, LARGE, look()));
}

#[test]
fn the_clients_that_listen_are_named_with_the_format_that_they_read() {
    let listens = |addr: &str, name: &str, version: &str| Client {
        addr: addr.to_owned(),
        name: name.to_owned(),
        lib_name: "redisson".to_owned(),
        lib_version: version.to_owned(),
        channels: 1,
        ..Client::default()
    };
    let told = |size| {
        let mut m = on(Tab::Traffic, size, look());
        let clients = Clients {
            total: 2,
            listed: vec![
                listens("10.0.3.7:50000", "orders-7f", "3.15.1"),
                listens("10.0.4.2:50001", "orders-9a", "3.24.3"),
            ],
            ..Clients::default()
        };
        m.server.looked(ServerLook {
            at: NOW,
            info: Known::None,
            clients: Known::Is(Arc::new(clients)),
            scripts: Known::None,
            server_us: 40,
            nodes: Vec::new(),
            views: Vec::new(),
            sentinels: Vec::new(),
        });
        words(&m)
    };
    let older = "10.0.3.7 (orders-7f, redisson 3.15.1)";
    let large = told(LARGE);
    let line = |name: &str| {
        let line = large.lines().find(|line| line.contains(name));
        line.unwrap_or_else(|| panic!("no {name}: {large}"))
    };
    assert!(line("10.0.3.7 (orders-7f").contains("reads the old format"));
    assert!(line("10.0.4.2 (orders-9a").contains("reads the new format"));
    let listen = format!("Clients that listen on this server: {older}");
    assert!(told(SMALL).contains(&listen));
}

#[test]
fn the_changes_and_their_strip() {
    picture("tab_changes_80x24", &on(Tab::Changes, SMALL, look()));
    let mut m = on(Tab::Changes, LARGE, look());
    let mut tell = |ago_ms: i64, queue: &str, change, done| {
        let mut tally = Tally::default();
        tally.add(Outcome::Done, done);
        m.changes.push(ChangeLine::from(PastChange {
            id: queue.to_owned(),
            at: NOW.plus(-ago_ms),
            change,
            queue: queue.to_owned(),
            server: "127.0.0.1:6379/0".to_owned(),
            planned: done,
            ended: Some(tally),
            under_way: false,
            undone: false,
        }));
    };
    tell(90_000, "reminders", Change::Worker, 1_204);
    tell(29_000, "emails", Change::Offer, 1);
    picture("tab_changes_200x60", &m);
}

/// The dashboard of a bad evening: two queues that nobody serves, one with a key of another type.
pub(crate) fn sick(size: (u16, u16)) -> Model {
    let mut m = evening(size, look());
    m.queues[1] = queue(
        "emails",
        m.instant,
        &figures(120, 0, 0),
        [0, 12, 30, 78, 0, 0, 0],
    );
    let mut wrong = figures(40, 0, 2);
    wrong.order = Known::Unknown("WRONGTYPE Operation against a key holding the wrong kind".into());
    let row = queue("invoices", m.instant, &wrong, [0, 0, 0, 0, 11, 29, 0]);
    m.queues[2] = row;
    m
}

#[test]
fn the_findings_at_three_sizes_and_in_their_tab() {
    for (name, size) in [("80x24", SMALL), ("120x40", MIDDLE), ("200x60", LARGE)] {
        let mut m = sick(size);
        picture(&format!("findings_{name}"), &m);
        m.tab = Tab::Findings;
        m.stands.findings.cursor = 1;
        picture(&format!("tab_findings_{name}"), &m);
    }
}

/// The worst finding takes more room than there is.
fn long(size: (u16, u16)) -> Model {
    use delayscope::queue::finding::{Act, Advice, Finding, Remedy, Severity, Step};
    let mut m = sick(size);
    for queue in &mut m.queues {
        let details = "Entry e74f9728a3b1c2d4, late by 1:04, was written by Redisson up to 3.21.0; \
                       the running clients (Redisson 3.21.1 or later) fail on it. 15 late behind it; \
                       the 12 before it are delivered again every 5 s by each client.";
        let headline = "An entry in the old format blocks this queue.";
        let mut found = Finding::new("poison", Severity::Critical, headline).details(details);
        *found.repair = Remedy {
            sentence: Advice::of("Rewrite that entry")
                .by(Act::Repair, ". The clients go on by themselves."),
            step: Step::Outside,
            lines: Vec::new(),
        };
        queue.findings = vec![found];
    }
    m
}

#[test]
fn the_row_of_the_entry_that_a_finding_is_about_bears_its_sign_and_colour() {
    use delayscope::queue::{Finding, Severity, Suspect};
    let mut m = evening(MIDDLE, look());
    let row = m.entries.rows[1].clone();
    let payload = row.content.as_ref().unwrap().text.clone();
    let shown = format!("✖ {}", &payload[..8]);
    assert!(!words(&m).contains(&shown), "{}", words(&m));
    let mut found = Finding::new("poison", Severity::Critical, "One entry blocks all.");
    found.suspects = vec![Suspect {
        id: row.id,
        score: row.score,
        says: None,
    }];
    m.queues[m.cursor].findings = vec![found];
    assert!(words(&m).contains(&shown), "{}", words(&m));
    picture("guilty_entry_120x40", &m);
}

/// Three queues, each with another long finding, and something that follows from each.
fn long_and_different(size: (u16, u16)) -> Model {
    use delayscope::queue::finding::{Act, Advice, Finding, Severity};
    let mut m = long(size);
    let one = m.queues[0].findings[0].clone();
    m.queues.truncate(3);
    let told = [
        "An entry in the old format blocks this queue.",
        "Two incompatible Redisson versions share this queue.",
        "No Redisson client runs for this queue.",
    ];
    for (queue, headline) in m.queues.iter_mut().zip(told) {
        let mut effect = Finding::new("drift", Severity::Note, "Side effect: 4 are missing.");
        effect.follows = Some("poison");
        let mut found = one.clone();
        headline.clone_into(&mut found.headline);
        found.repair.sentence =
            Advice::of("Rewrite that entry in the format that all clients read")
                .by(Act::Repair, ". They go on by themselves.");
        queue.findings = vec![found, effect];
    }
    m
}

#[test]
fn what_to_do_is_not_cut_for_the_sake_of_what_follows_from_it() {
    // Columns from so few that it takes two lines to so many that it takes one.
    let mut seen = 0;
    for columns in 120..=200 {
        for rows in [40, 45, 50] {
            let m = long_and_different((columns, rows));
            let all = words(&m);
            let cut = all.lines().filter(|line| line.contains("→ Rewrite that"));
            let cut: Vec<&str> = cut.filter(|line| line.contains('…')).collect();
            assert!(
                cut.is_empty() || !all.contains("Side effect"),
                "{columns}×{rows}: {cut:?}\n{all}"
            );
            seen += usize::from(all.contains("Side effect"));
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn what_to_do_is_never_what_is_cut() {
    for size in [SMALL, (100, 30), MIDDLE, (140, 40), (160, 45), LARGE] {
        let mut m = long(size);
        let all = words(&m);
        assert!(
            all.contains("Rewrite that entry (R). The clients go on by themselves."),
            "{all}"
        );
        m.tab = Tab::Findings;
        m.screen = Screen::Queue;
        let all = words(&m);
        assert!(all.contains("Rewrite that entry (R). The clients"), "{all}");
        let buf = draw(&m);
        let at = |y: u16| (0..m.size.0).map(move |x| (x, y));
        let cell = (0..m.size.1).flat_map(at).find(|at| {
            let word =
                (0..7).map(|i| buf[(at.0.saturating_add(i).min(m.size.0 - 1), at.1)].symbol());
            word.collect::<String>() == "Rewrite"
        });
        let modifier = buf[cell.unwrap()].modifier;
        assert!(
            !modifier.contains(ratatui::style::Modifier::DIM),
            "{size:?}"
        );
    }
    picture("findings_long_80x24", &long(SMALL));
    picture("findings_long_120x40", &long(MIDDLE));
}

#[test]
fn however_long_the_evidence_the_other_checks_have_their_row() {
    let shown = |evidence: usize| {
        let mut m = long(SMALL);
        for queue in &mut m.queues {
            let lines = (0..evidence).map(|i| format!("evidence {i}"));
            queue.findings[0].evidence.words = lines.collect();
        }
        (m.tab, m.screen) = (Tab::Findings, Screen::Queue);
        words(&m)
    };
    let all = shown(30);
    assert!(all.contains("other checks"), "{all}");
    assert!(
        all.contains("evidence 0 ") && !all.contains("evidence 29"),
        "{all}"
    );
    assert_eq!(all.matches('…').count(), 1, "what is cut is told: {all}");
    for evidence in 0..30 {
        assert!(shown(evidence).contains("other checks"), "{evidence}");
    }
    assert!(!shown(3).contains('…'));
}

#[test]
fn where_nothing_is_wrong_that_is_proven_in_one_line() {
    for size in [SMALL, MIDDLE, LARGE] {
        let mut m = evening(size, look());
        m.queues.drain(..1);
        m.queues.truncate(2);
        let all = words(&m);
        assert!(all.contains(" checks"), "{all}");
        assert!(!all.contains("CRIT"), "{all}");
    }
}

#[test]
fn a_rule_that_cannot_look_says_so() {
    let mut m = evening(LARGE, look());
    m.queues.truncate(1);
    let mut refused = figures(7, 0, 0);
    refused.transfer_clients = Known::Unknown("NOPERM".into());
    m.queues[0] = queue("orders", m.instant, &refused, [0; 7]);
    let all = words(&m);
    assert!(all.contains(" checks"), "{all}");
    assert!(
        all.contains("cannot check for \"no client\": NOPERM"),
        "{all}"
    );
}

#[test]
fn a_layout_without_an_order_list_says_why() {
    let mut m = on(Tab::Order, SMALL, look());
    m.queues[0].queue = "zset-list:delay,ready".parse::<Queue>().unwrap();
    let all = words(&m);
    assert!(all.contains("A zset-list queue has no order list"), "{all}");
}

#[test]
fn deep_inside_a_list_the_title_says_which_key_reads_it_again() {
    let mut m = on(Tab::Order, MIDDLE, look());
    let window = m.lists.of_mut(List::Order);
    window.first = 500_000;
    (window.stand.top, window.stand.cursor) = (500_000, 500_000);
    let all = words(&m);
    assert!(all.contains("not refreshed, ^R reads again"), "{all}");
    assert!(all.contains("500,001"), "{all}");
}

#[test]
fn the_bar_of_the_tabs_cuts_no_word_and_no_figure() {
    for w in 40..=210 {
        let m = on(Tab::Waiting, (w, 24), look());
        let slot = layout::areas(&m).entries;
        let (picture, hits) = (draw(&m), drawn(&m));
        let line: String = (0..w)
            .map(|x| picture[(x, slot.outer.y)].symbol())
            .collect();
        assert!(!line.contains('…'), "{w}: {line}");
        for label in tabs::place::bar(&m, slot).labels {
            let (x, y) = cell_in(&hits, &m, Target::Tab(label.tab)).unwrap();
            let at = x + u16::from(label.tab == m.tab);
            assert_eq!(picture[(at, y)].symbol(), &label.name[..1], "{w}: {line}");
            assert!(
                line.contains(&format!("{}{}", label.name, label.badge)),
                "{w}: {line}"
            );
        }
    }
}

/// A picture as one text.
fn words(m: &Model) -> String {
    let picture = draw(m);
    let line = |y| (0..m.size.0).map(move |x| (x, y));
    let rows = (0..m.size.1).map(|y| line(y).map(|at| picture[at].symbol()).collect::<String>());
    rows.collect::<Vec<_>>().join("\n")
}
