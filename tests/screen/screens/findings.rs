//! The findings, as they are told: what is known, what is not yet, and what has gone.

use std::time::Duration;

use delayscope::queue::finding::{
    Act, Advice, Finding, FindingEnd, HEADLINE_COLUMNS, RULES, Remedy, Severity, Step, Trend, Watch,
};
use delayscope::queue::{Known, Pulse, Queue, ServerWatch};
use delayscope::tui::layout;

use delayscope::tui::model::{Model, Pane, Screen};
use delayscope::tui::tabs::Tab;

use crate::screens::build::{NOW, evening, figures, look, queue};
use crate::screens::pictures::{LARGE, MIDDLE, SMALL, draw, picture};
use crate::screens::tabs::sick;

fn lines(m: &Model) -> Vec<String> {
    let buf = draw(m);
    let line = |y| (0..buf.area.width).map(|x| buf[(x, y)].symbol()).collect();
    (0..buf.area.height).map(line).collect()
}

fn words(m: &Model) -> String {
    lines(m).join("\n")
}

#[test]
fn nothing_is_called_well_before_it_has_been_looked_at() {
    for size in [SMALL, MIDDLE, LARGE] {
        let mut m = evening(size, look());
        m.queues.drain(..1);
        m.queues.truncate(2);
        assert!(words(&m).contains("✓ OK"), "{size:?}");
        m.queues[1].survey = None;
        let all = words(&m);
        assert!(all.contains("checking: 1 of 2 queues read"), "{all}");
        assert!(lines(&m)[0].contains("checking 1 of 2"), "{all}");
        assert!(!all.contains("✓ OK"), "{all}");
        m.queues[1].unsurveyed = Some("NOPERM".to_owned());
        assert!(words(&m).contains("✓ OK"), "{size:?}");
        // Whether nobody is there to transfer takes two looks.
        let pulse = figures(40, 0, 0);
        m.queues[1].watch = Watch::default();
        m.queues[1].watch.saw(&pulse);
        m.queues[1].pulse = Some(pulse.clone());
        assert!(words(&m).contains("checking: 1 of 2"), "{size:?}");
        m.queues[1].watch.saw(&Pulse {
            at: pulse.at.plus(1_000),
            ..pulse
        });
        assert!(words(&m).contains("✓ OK"), "{size:?}");
    }
}

#[test]
fn what_is_late_without_a_cause_known_is_not_well() {
    let mut m = evening(SMALL, look());
    m.queues.truncate(3);
    let all = words(&m);
    let said = "orders: 12 late, oldest 0:12, checking why …";
    assert!(all.contains(said), "{all}");
    assert!(!all.contains("✓ OK"), "{all}");
    assert!(all.contains("! orders: 12 late 0:12"), "{all}");
}

#[test]
fn who_waits_for_a_server_that_another_queue_keeps_is_not_asked_why() {
    let mut m = evening(SMALL, look());
    m.queues.truncate(3);
    let late = m
        .queues
        .iter_mut()
        .find(|row| row.queue.name.text() == "orders");
    let late = late.unwrap();
    late.watch.blocked_by = Some("stock".to_owned());
    late.early = vec![(
        "target-backlog",
        "target grows; checking whether".to_owned(),
    )];
    let all = words(&m);
    let said = "orders: 12 late, oldest 0:12: Redis is blocked by transfers of stock";
    assert!(all.contains(said), "{all}");
    assert!(!all.contains("checking whether"), "{all}");
    assert!(!all.contains("✓ OK"), "{all}");
}

#[test]
fn who_is_late_for_another_queues_transfers_is_told_so_at_its_own_queue_alone() {
    let mut m = evening(MIDDLE, look());
    m.queues.truncate(2);
    let mut slow = Finding::new("slow-transfer", Severity::Warning, "Slow transfers.");
    slow.evidence
        .figures
        .insert("block_ms".to_owned(), 90.into());
    m.queues[0].findings = vec![slow];
    let mut late = Finding::new("stuck-client", Severity::Note, "Redis is blocked by that.");
    late.follows = Some("slow-transfer");
    m.queues[1].findings = vec![late.clone()];
    m.queues[1].watch.blocked_by = Some(m.queues[0].queue.name.text().into_owned());
    assert!(!words(&m).contains("is blocked by that"), "{}", words(&m));
    (late.gone, late.lasted_ms) = (Some(NOW.plus(-5_000)), 8_000);
    m.queues[1].gone = vec![late];
    assert!(!words(&m).contains("is blocked by that"), "{}", words(&m));
    m.queues[1].gone.clear();
    (m.screen, m.cursor) = (Screen::Queue, 1);
    assert!(words(&m).contains("is blocked by that"), "{}", words(&m));
    // Where the other one says nothing of it, it is told here too.
    (m.screen, m.cursor) = (Screen::Dashboard, 0);
    m.queues[0].findings.clear();
    assert!(words(&m).contains("is blocked by that"), "{}", words(&m));
}

/// One queue with a finding whose command is longer than a row, and one that has gone.
fn outside(size: (u16, u16)) -> Model {
    let mut m = evening(size, look());
    m.queues.truncate(1);
    let mut found = Finding::new(
        "wrong-type",
        Severity::Critical,
        "A key of this queue has the wrong type: commands fail.",
    )
    .details("orders is a string; a list belongs there.");
    *found.repair = Remedy {
        sentence: "Rename that key, then find out who writes it:".into(),
        step: Step::Outside,
        lines: vec![format!(
            "redis-cli RENAMENX 'orders of the {}' 'taken:orders'",
            "very ".repeat(8)
        )],
    };
    let gone = |id, headline: &str, ending| {
        let mut gone = Finding::new(id, Severity::Critical, headline);
        (gone.gone, gone.lasted_ms, gone.ending) = (Some(NOW.plus(-5_000)), 67_000, ending);
        gone.repair.sentence = Advice::of("Rewrite that entry").by(Act::Repair, ".");
        gone
    };
    m.queues[0].findings = vec![found];
    m.queues[0].gone = vec![
        gone(
            "poison",
            "An entry in the old format blocks this queue.",
            FindingEnd::Repaired,
        ),
        gone(
            "drift",
            "Entries are missing from the order list.",
            FindingEnd::ByItself,
        ),
    ];
    m
}

#[test]
fn a_command_stands_whole_and_what_has_gone_asks_for_nothing() {
    for (name, size) in [("80x24", SMALL), ("120x40", MIDDLE), ("200x60", LARGE)] {
        let mut m = outside(size);
        for tab in [Tab::Waiting, Tab::Findings] {
            m.tab = tab;
            let all = words(&m);
            assert!(
                all.contains("very ' 'taken:orders'") || all.contains("  'taken:orders'"),
                "{all}"
            );
            assert!(all.contains("5 findings 1"), "{all}");
            assert!(!all.contains("Rewrite"), "{all}");
        }
        let all = words(&m);
        for told in [
            "✓ FIXED orders: 5.0 s ago (lasted 1:07), was: An entry in the old format",
            "✓       orders: cleared 5.0 s ago (lasted 1:07), was: Entries are missing",
        ] {
            assert!(all.contains(told), "{told}: {all}");
        }
        m.tab = Tab::Waiting;
        picture(&format!("findings_outside_{name}"), &m);
    }
}

#[test]
fn what_was_repaired_is_told_also_where_the_cursor_has_gone_elsewhere() {
    for size in [SMALL, MIDDLE, LARGE] {
        let mut m = sick(size);
        let last = m.queues.len() - 1;
        let mut gone = Finding::new("ttl", Severity::Critical, "All of it is deleted in 9:28.");
        (gone.gone, gone.lasted_ms) = (Some(NOW.plus(-5_000)), 67_000);
        gone.ending = FindingEnd::ByItself;
        m.queues[last].gone = vec![gone.clone()];
        let by_itself = words(&m);
        gone.ending = FindingEnd::Repaired;
        m.queues[last].gone = vec![gone];
        let name = m.queues[last].queue.name.text().into_owned();
        let fixed = format!("✓ FIXED {name}");
        assert!(!by_itself.contains(&fixed), "{by_itself}");
        let all = words(&m);
        assert!(m.cursor != last && all.contains(&fixed), "{size:?}: {all}");
    }
}

#[test]
fn the_panes_stand_still_while_what_is_wrong_grows_and_shrinks() {
    for size in [SMALL, MIDDLE, LARGE] {
        let mut m = sick(size);
        let high = |m: &Model| {
            let areas = layout::areas(m);
            (areas.findings.outer.h, areas.news.h, areas.entries.outer.h)
        };
        let before = high(&m);
        for per_s in [-1234.5, 0.0, 98_765.4] {
            for queue in &mut m.queues {
                for found in &mut queue.findings {
                    let done_in_ms = (per_s < 0.0).then_some(123_456_789);
                    found.trend = Some(Trend { per_s, done_in_ms });
                }
            }
            assert_eq!(high(&m), before, "{size:?}");
        }
    }
}

#[test]
fn what_went_by_itself_is_not_told_as_over_while_entries_are_late_and_nobody_knows_why() {
    let told = |late_ms: Option<i64>, ending| {
        let mut m = evening(MIDDLE, look());
        m.queues.truncate(1);
        let row = &mut m.queues[0];
        row.findings = Vec::new();
        let mut gone = Finding::new("mixed-fleet", Severity::Critical, "Two versions.");
        (gone.gone, gone.lasted_ms, gone.ending) = (Some(NOW.plus(-3_000)), 67_000, ending);
        row.gone = vec![gone];
        let pulse = row.pulse.as_mut().unwrap();
        pulse.oldest_late = late_ms.map(|late_ms| pulse.at.plus(-late_ms));
        words(&m).contains("Two versions.")
    };
    assert!(!told(Some(60_000), FindingEnd::ByItself));
    assert!(told(None, FindingEnd::ByItself));
    assert!(told(Some(60_000), FindingEnd::Repaired));
}

#[test]
fn of_eight_sick_queues_all_are_told_without_a_key_at_120x40() {
    let told = |sick: usize| {
        let mut m = evening(MIDDLE, look());
        for n in m.queues.len()..8 {
            m.queues.push(queue(
                &format!("queue-{n}"),
                m.instant,
                &figures(40, 0, 2),
                [0, 0, 0, 0, 11, 29, 0],
            ));
        }
        for (n, row) in m.queues.iter_mut().enumerate() {
            let headline = format!("Trouble {n}.");
            let mut found = Finding::new("drift", Severity::Warning, headline);
            found.repair.sentence = Advice::of(format!("Mend it {n}")).by(Act::Repair, ".");
            row.findings = (n < sick).then_some(found).into_iter().collect();
        }
        let all = words(&m);
        let told = (0..8).filter(|n| all.contains(&format!("Trouble {n}.")));
        (told.count(), m)
    };
    assert_eq!(told(4).0, 4);
    assert_eq!(told(6).0, 6);
    let (count, m) = told(8);
    assert_eq!(count, 8);
    picture("eight_sick_120x40", &m);
}

#[test]
fn what_was_wrong_before_is_told_below() {
    let mut m = evening(MIDDLE, look());
    m.queues.truncate(1);
    let row = &mut m.queues[0];
    row.watch = Watch::default();
    // Nobody was there to transfer for 20 s, and then somebody came.
    let mut at = NOW.plus(-60_000);
    for (clients, seconds) in [(0, 20), (4, 40)] {
        for _ in 0..seconds {
            at = at.plus(1_000);
            let mut pulse = figures(40, 12, clients);
            pulse.at = at;
            pulse.oldest_late = Some(NOW.plus(-90_000));
            row.watch.saw(&pulse);
            row.pulse = Some(pulse);
            row.survey.as_mut().unwrap().at = at;
            row.diagnose(&ServerWatch::default());
        }
    }
    m.tab = Tab::Findings;
    let all = words(&m);
    assert!(all.contains("Earlier"), "{all}");
    assert!(all.contains("14:01:30  orders: "), "{all}");
    assert!(all.contains("(for 0:51)"), "{all}");
    picture("tab_findings_earlier", &m);
}

#[test]
fn a_key_is_named_only_for_the_selected_queue_and_where_it_can_change_something() {
    let mut m = sick(LARGE);
    let all = words(&m);
    assert!(!all.contains("(w"), "{all}");
    m.cursor = 3;
    assert!(words(&m).contains("(w)"));
    m.site.read_only = true;
    let all = words(&m);
    assert!(!all.contains("(w"), "{all}");
    assert!(all.contains("or the worker here."), "{all}");
}

#[test]
fn the_key_that_mends_is_the_first_hint_and_moves_no_other_one() {
    for size in [SMALL, MIDDLE, LARGE] {
        let mut m = sick(size);
        let hints = |m: &Model| lines(m).pop().unwrap_or_default();
        for focus in [Pane::Entries, Pane::Queues, Pane::Timeline] {
            m.focus = focus;
            let [well, ill] = [0, 3].map(|cursor| {
                m.cursor = cursor;
                hints(&m)
            });
            assert!(well.starts_with(" R repair"), "{well}");
            assert_eq!(well, ill);
        }
        m.tab = Tab::Findings;
        assert!(hints(&m).starts_with(" R repair"), "{}", hints(&m));
    }
}

#[test]
fn what_was_late_for_a_moment_when_it_was_read_long_ago_does_not_get_later() {
    let mut m = evening(MIDDLE, look());
    let name = {
        let row = &mut m.queues[1];
        let pulse = row.pulse.as_mut().unwrap();
        pulse.at = NOW.plus(-20_000);
        (pulse.late, pulse.oldest_late) = (Known::Is(1), Some(NOW.plus(-21_000)));
        row.read_at = m.instant.checked_sub(Duration::from_secs(20));
        row.queue.name.text().into_owned()
    };
    assert!(!m.queues[1].sick(NOW));
    let line = |m: &Model| {
        let lines = lines(m).into_iter();
        lines.skip(1).find(|line| line.contains(&name)).unwrap()
    };
    assert!(line(&m).contains(" 0:01 "), "{}", line(&m));
    m.queues[1].read_at = Some(m.instant);
    assert!(line(&m).contains(" 0:21 "), "{}", line(&m));
}

#[test]
fn what_is_late_counts_as_a_problem_once_every_rule_has_had_its_time() {
    let mut m = evening(MIDDLE, look());
    let row = &mut m.queues[0];
    let mut pulse = row.pulse.clone().unwrap();
    assert!(row.sick(NOW) && !row.has_problem(NOW));
    let later = NOW.plus(36_000);
    pulse.at = later;
    row.watch.saw(&pulse);
    row.pulse = Some(pulse);
    assert!(row.has_problem(later));
}

#[test]
fn where_nobody_is_subscribed_that_is_said_before_a_rule_has_decided() {
    let mut m = evening(SMALL, look());
    m.queues.truncate(3);
    m.queues[0].pulse.as_mut().unwrap().transfer_clients = Known::Is(0);
    let all = words(&m);
    let said = "orders: No Redisson client listens here: 12 late, oldest 0:12";
    assert!(all.contains(said), "{all}");
    assert!(all.contains("! orders: no client, 12 late 0:12"), "{all}");
}

#[test]
fn what_is_wrong_with_the_selected_queue_is_told_before_what_is_wrong_elsewhere() {
    for size in [SMALL, MIDDLE, LARGE] {
        let mut m = evening(size, look());
        let found = |id, severity, headline: &str, sentence: &str| {
            let mut found = Finding::new(id, severity, headline).details("12 late.".to_owned());
            found.repair.sentence = Advice::of(sentence).by(Act::Repair, ".");
            found
        };
        let (lost, drift) = (
            "All entries are lost in 9:00.",
            "Entries are missing there.",
        );
        let critical = found("ttl", Severity::Critical, lost, "Remove the expiry");
        let warning = found("drift", Severity::Warning, drift, "Repair the order list");
        for queue in &mut m.queues {
            (queue.findings, queue.gone) = (Vec::new(), Vec::new());
        }
        m.queues[0].findings = vec![critical];
        m.queues[1].findings = vec![warning];
        let [own, other] = [0, 1].map(|i| m.queues[i].queue.name.to_string());
        let heads = |m: &Model| {
            let all = lines(m);
            let of = |line: &String| line.contains("CRIT") || line.contains("WARN");
            all.into_iter().filter(of).collect::<Vec<_>>()
        };
        m.cursor = 1;
        let told = heads(&m);
        assert!(told[0].contains(&format!("{other}: {drift}")), "{told:#?}");
        assert!(told[1].contains(&format!("{own}: {lost}")), "{told:#?}");
        assert!(words(&m).contains("Repair the order list (R)."), "{size:?}");
        m.cursor = 0;
        assert!(heads(&m)[0].contains(lost), "{size:?}");
        // Nothing is wrong here: the worst of all.
        m.cursor = 2;
        assert!(heads(&m)[0].contains(lost), "{size:?}");
    }
}

/// The longest headline that a rule may have (`HEADLINE_COLUMNS`; no rule has a longer one, which
/// each scene of `cli findings::mended` holds), and it does not end in a word like another.
fn longest_headline(id: &str) -> String {
    let filler = "of a queue ".repeat(HEADLINE_COLUMNS);
    let mut headline = format!("{id} {filler}");
    headline.truncate(HEADLINE_COLUMNS - "w end.".len());
    headline + "w end."
}

#[test]
fn no_headline_of_any_rule_is_cut_on_a_screen_of_80_columns() {
    for rule in RULES {
        let headline = longest_headline(rule.id);
        let mut m = evening(SMALL, look());
        for (i, row) in m.queues.iter_mut().enumerate() {
            row.queue = Queue::redisson(format!("queue-{i}-with-a-name-longer-than-its-column"));
            let mut found = Finding::new(rule.id, Severity::Critical, headline.clone());
            found = found.details("Evidence that is longer than a row of this screen. ".repeat(4));
            let advice = "Do something that takes some words to say, and then some more";
            found.repair.sentence = Advice::of(advice).by(Act::Repair, ".");
            (row.findings, row.gone) = (vec![found], Vec::new());
        }
        for screen in [Screen::Dashboard, Screen::Queue] {
            m.screen = screen;
            for tab in Tab::ALL {
                m.tab = tab;
                for cursor in 0..m.queues.len() {
                    m.cursor = cursor;
                    let all = lines(&m);
                    let whole = all.iter().filter(|line| line.contains(&headline)).count();
                    let begun = all.iter().filter(|line| line.contains(rule.id)).count();
                    assert!(whole > 0 && begun == whole, "{all:#?}");
                }
            }
        }
    }
}

#[test]
fn where_not_all_of_all_findings_fits_each_has_its_headline_and_one_is_told_whole() {
    let mut m = evening(SMALL, look());
    let more = (0..4).map(|_| m.queues[1].clone()).collect::<Vec<_>>();
    m.queues.extend(more);
    for (i, row) in m.queues.iter_mut().enumerate() {
        row.queue = Queue::redisson(format!("queue-{i}"));
        let headline = format!("Problem {i} stands.");
        let mut found = Finding::new("drift", Severity::Critical, headline);
        found = found.details(format!("Details of {i}. ").repeat(9));
        found.repair.sentence = Advice::of(format!("Repair {i}")).by(Act::Repair, ".");
        (row.findings, row.gone) = (vec![found], Vec::new());
    }
    (m.tab, m.focus) = (Tab::Findings, Pane::Entries);
    for cursor in 0..8 {
        m.stands.findings.cursor = cursor;
        m.stands.findings.top = delayscope::tui::findings::tab::top(&m, m.stands.findings);
        let all = words(&m);
        let told = (0..8).filter(|i| all.contains(&format!("Problem {i} stands.")));
        assert_eq!(told.count(), 8, "{all}");
        let whole = (0..8).filter(|i| all.contains(&format!("Repair {i} (R)")));
        assert_eq!(whole.count(), 1, "{all}");
    }
}

#[test]
fn what_followed_from_a_cause_is_not_told_as_over_beside_it() {
    let mut m = outside(MIDDLE);
    let (cause, mut effect) = (m.queues[0].gone[0].clone(), m.queues[0].gone[1].clone());
    effect.follows = Some(cause.id);
    m.queues[0].gone = vec![cause, effect];
    m.tab = Tab::Findings;
    let all = words(&m);
    assert!(
        all.contains("was: An entry in the old format blocks"),
        "{all}"
    );
    assert!(!all.contains("was: Entries are missing"), "{all}");
}
