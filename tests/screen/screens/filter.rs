//! A filter, marks, a jump and other orders, as they look.

use delayscope::queue::Filter;
use delayscope::tui::entries;
use delayscope::tui::entries::Entries;
use delayscope::tui::filter::{ActiveFilter, EntrySort, Hit, Search};
use delayscope::tui::look::Look;
use delayscope::tui::marks::{MarkRule, MarkScope, ToggledEntry};
use delayscope::tui::model::{Model, Pane};
use delayscope::tui::prompt::{Prompt, PromptKind};
use delayscope::tui::queues::QueueSort;
use delayscope::tui::tabs::Tab;

use crate::screens::build::{NOW, evening, look, sample};
use crate::screens::pictures::{LARGE, MIDDLE, SMALL, draw, picture};

/// The evening, filtered: `sure` of the sample entries match.
pub(crate) fn filtered(size: (u16, u16), text: &str, search: Search) -> Model {
    let mut m = evening(size, look());
    let Ok(filter) = Filter::parse(text) else {
        panic!("no filter: {text}")
    };
    let rows: Vec<_> = (0..60)
        .map(sample)
        .filter(|r| r.matches(&filter, NOW))
        .collect();
    let hit = |(i, row): (usize, &entries::EntryRow)| Hit {
        member: row.member.clone(),
        score: Some(row.score),
        sure: true,
        gone: i == 2,
    };
    let hits: Vec<Hit> = rows.iter().enumerate().map(hit).collect();
    m.filtered = Some(Box::new(ActiveFilter {
        filter,
        at: NOW,
        tab: Tab::Waiting,
        found: hits.len() as u64,
        hits,
        looked: 400_000,
        of: 1_000_000,
        search,
        stale: false,
        whole: Entries::default(),
    }));
    m.entries = Entries {
        rows,
        ..Entries::default()
    };
    m
}

pub(crate) fn typing(m: &mut Model, kind: PromptKind, text: &str) {
    m.prompt = Some(Prompt::new(kind, text));
}

#[test]
fn a_search_under_way_at_three_sizes() {
    for (name, size) in [("80x24", SMALL), ("120x40", MIDDLE), ("200x60", LARGE)] {
        let m = filtered(size, "cancel c-0", Search::Running(1));
        picture(&format!("filter_{name}"), &m);
    }
}

#[test]
fn a_filter_that_is_typed_filters_and_shows_how() {
    let mut m = filtered(MIDDLE, "cancel", Search::Running(1));
    typing(&mut m, PromptKind::Filter, "cancel");
    picture("filter_typed", &m);
    typing(&mut m, PromptKind::Filter, "cancel codec:krio");
    m.prompt.as_mut().unwrap().error = Some("no codec is called \"krio\"".to_owned());
    m.size = SMALL;
    picture("filter_wrong", &m);
    m.filtered = None;
    typing(&mut m, PromptKind::Filter, "");
    picture("filter_empty", &m);
}

#[test]
fn a_search_that_is_through() {
    let mut m = filtered(MIDDLE, "sku late", Search::Done);
    m.look.no_color = true;
    picture("filter_done_no_color", &m);
    let mut m = filtered(SMALL, "orderId", Search::Done);
    m.look = Look {
        ascii: true,
        ..look()
    };
    let filtered = m.filtered.as_mut().unwrap();
    filtered.found = 312_400;
    filtered.stale = true;
    picture("filter_first_of_many_ascii", &m);
}

#[test]
fn nothing_found_says_what_was_looked_through_and_what_can_be_typed() {
    for (name, search) in [
        ("running", Search::Running(1)),
        ("done", Search::Done),
        ("stopped", Search::Stopped),
        ("failed", Search::Failed("NOPERM no \x1b[2J".to_owned())),
    ] {
        let m = filtered(SMALL, "unicorn", search);
        picture(&format!("filter_nothing_{name}"), &m);
    }
}

#[test]
fn marked_entries_at_three_sizes() {
    for (name, size) in [("80x24", SMALL), ("120x40", MIDDLE), ("200x60", LARGE)] {
        let mut m = evening(size, look());
        for i in [0, 2, 3] {
            let row = m.entries.rows[i].clone();
            let toggled = ToggledEntry {
                score: Some(row.score),
                marked: true,
                places: vec![0],
            };
            m.marks.toggled.insert(row.member, toggled);
        }
        picture(&format!("marks_{name}"), &m);
    }
    let mut m = evening(SMALL, look());
    m.look.ascii = true;
    m.marks.rules.push(MarkRule {
        what: MarkScope::Due(NOW, NOW.plus(60_000)),
        count: 41_203,
        exact: false,
    });
    picture("marks_rule_ascii", &m);
}

#[test]
fn a_time_that_is_typed_says_which_moment_it_is() {
    let mut m = evening(SMALL, look());
    typing(&mut m, PromptKind::Jump, "");
    picture("jump_empty", &m);
    let said = |ms: i64| {
        let mut m = m.clone();
        typing(&mut m, PromptKind::Jump, "x");
        m.prompt.as_mut().unwrap().moment = Some(NOW.plus(ms));
        let picture = draw(&m);
        let line: String = (0..80).map(|x| picture[(x, 23)].symbol()).collect();
        // The keys stand at the right.
        let said = line.split('⏎').next().unwrap_or_default();
        said.trim().to_owned()
    };
    assert_eq!(said(471_000), "@x   14:10:00 today, in 7:51");
    assert_eq!(said(-471_000), "@x   13:54:18 today, 7:51 ago");
    assert_eq!(said(86_400_000), "@x   14:02:09 tomorrow, in 1d 00h");
    assert_eq!(said(-86_400_000), "@x   14:02:09 yesterday, 1d 00h ago");
    let far = said(864_000_000);
    assert!(far.starts_with("@x   2026-11-30 14:02:09"), "{far}");
}

#[test]
fn other_orders_are_told() {
    let mut m = evening(MIDDLE, look());
    m.table.sort = QueueSort::Name;
    m.entry_sort = EntrySort::Last;
    m.focus = Pane::Queues;
    let picture = draw(&m);
    let all: String = picture
        .content
        .iter()
        .map(ratatui::buffer::Cell::symbol)
        .collect();
    assert!(all.contains("by name ▴"), "{all}");
    assert!(all.contains("due in ▾"), "{all}");
    m.size = SMALL;
    let picture = draw(&m);
    let all: String = picture
        .content
        .iter()
        .map(ratatui::buffer::Cell::symbol)
        .collect();
    assert!(all.contains("last first"), "{all}");
}
