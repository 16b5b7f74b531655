use super::super::tests::START;
use super::super::{Finding, OpenQuestion, Severity};
use super::*;

fn found(figure: Option<u64>) -> Diagnosis {
    let mut finding = Finding::new("drift", Severity::Warning, "The order list differs.");
    finding.figure = figure;
    Diagnosis {
        findings: vec![finding],
        ..Diagnosis::default()
    }
}

fn at(ms: i64) -> EpochMillis {
    START.plus(ms)
}

#[test]
fn a_finding_says_since_when_and_how_its_figure_moves() {
    let mut ledger = FindingLedger::default();
    let said = ledger.enter(found(Some(100)), at(0));
    assert_eq!(
        (said.findings[0].since, said.findings[0].trend),
        (Some(at(0)), None)
    );
    let said = ledger.enter(found(Some(150)), at(5_000));
    let trend = said.findings[0].trend.unwrap();
    assert_eq!((trend.per_s, trend.done_in_ms), (10.0, None));
    assert_eq!(said.findings[0].since, Some(at(0)));
    let said = ledger.enter(found(Some(20)), at(8_000));
    let trend = said.findings[0].trend.unwrap();
    assert_eq!((trend.per_s, trend.done_in_ms), (-10.0, Some(2_000)));
}

#[test]
fn what_we_took_of_it_ourselves_goes_on_by_no_rate() {
    let mut ledger = FindingLedger::default();
    ledger.enter(found(Some(200)), at(0));
    ledger.repaired = Some(at(20_000));
    let said = ledger.enter(found(Some(50)), at(21_000));
    assert_eq!(said.findings[0].trend, None);
    // From then on it moves by itself.
    let said = ledger.enter(found(Some(60)), at(26_000));
    let trend = said.findings[0].trend.unwrap();
    assert_eq!((trend.per_s, trend.done_in_ms), (2.0, None));
}

#[test]
fn where_our_worker_has_come_no_client_is_what_we_have_repaired() {
    let one = |id, words: &str| Diagnosis {
        findings: vec![Finding::new(id, Severity::Note, words)],
        ..Diagnosis::default()
    };
    let alone = || one(id::NO_TRANSFER_CLIENT, "No client runs.");
    for (then, ending) in [
        (
            one(id::OWN_WORKER, "Our worker runs."),
            FindingEnd::Repaired,
        ),
        (Diagnosis::default(), FindingEnd::ByItself),
    ] {
        let mut ledger = FindingLedger::default();
        ledger.enter(alone(), at(0));
        let said = ledger.enter(then, at(3_000));
        assert_eq!(said.gone[0].ending, ending);
    }
}

#[test]
fn what_has_gone_says_so_for_a_moment_and_what_comes_back_has_never_gone() {
    let mut ledger = FindingLedger::default();
    ledger.enter(found(None), at(0));
    let said = ledger.enter(Diagnosis::default(), at(4_000));
    assert_eq!(said.gone[0].gone, Some(at(4_000)));
    let said = ledger.enter(found(None), at(5_000));
    assert_eq!((said.gone.len(), said.findings[0].since), (0, Some(at(0))));
    ledger.enter(Diagnosis::default(), at(6_000));
    let said = ledger.enter(Diagnosis::default(), at(15_999));
    assert_eq!(said.gone.len(), 1);
    let said = ledger.enter(Diagnosis::default(), at(16_000));
    assert_eq!(said.gone.len(), 0);
}

#[test]
fn what_has_gone_is_told_as_it_was_at_its_worst() {
    let found = |figure, severity| {
        let mut said = found(Some(figure));
        said.findings[0].severity = severity;
        said.findings[0].headline = format!("{figure} late.");
        said
    };
    let mut ledger = FindingLedger::default();
    let (note, critical) = (Severity::Note, Severity::Critical);
    for (second, (figure, severity)) in (0..).zip([
        (30, note),
        (10, critical),
        (20, critical),
        (3, critical),
        (50, note),
    ]) {
        ledger.enter(found(figure, severity), at(second * 10_000));
    }
    let gone = ledger.enter(Diagnosis::default(), at(67_000)).gone;
    assert_eq!(gone[0].headline, "20 late.");
    assert_eq!(gone[0].lasted_ms, 67_000);
    assert_eq!((gone[0].severity, gone[0].figure), (critical, Some(20)));
}

#[test]
fn what_is_over_has_the_time_that_it_had_while_it_stood_and_is_not_told_when_it_was_a_moments() {
    let long_ago = || {
        let mut said = found(None);
        said.findings[0].since = Some(at(-500_000));
        said
    };
    let after = |seen_ms| {
        let mut ledger = FindingLedger::default();
        let before = ledger.enter(Diagnosis::default(), at(-60_000)).findings;
        assert_eq!(before, []);
        ledger.enter(long_ago(), at(0));
        let gone = ledger.enter(Diagnosis::default(), at(seen_ms)).gone;
        ledger.enter(Diagnosis::default(), at(seen_ms + 10_000));
        let lasted = gone.first().map(|gone| gone.lasted_ms);
        (lasted, ledger.passed().next().map(|one| one.since))
    };
    assert_eq!(after(2_999), (None, None));
    assert_eq!(after(32_000), (Some(32_000), Some(at(-500_000))));
}

#[test]
fn what_was_so_at_the_first_look_was_so_before_it() {
    let mut ledger = FindingLedger::default();
    assert!(ledger.enter(found(None), at(0)).findings[0].before);
    assert!(ledger.enter(found(None), at(9_000)).findings[0].before);
    let mut ledger = FindingLedger::default();
    ledger.enter(Diagnosis::default(), at(0));
    assert!(!ledger.enter(found(None), at(3_000)).findings[0].before);
}

#[test]
fn what_has_been_gone_for_a_moment_is_history_and_an_unborne_suspicion_is_none() {
    let mut ledger = FindingLedger::default();
    ledger.enter(found(Some(3)), at(0));
    ledger.enter(found(Some(9)), at(20_000));
    ledger.enter(Diagnosis::default(), at(30_000));
    assert_eq!(ledger.passed().count(), 0, "still told as gone");
    ledger.enter(Diagnosis::default(), at(40_000));
    let passed: Vec<_> = ledger.passed().collect();
    assert_eq!(
        (passed[0].since, passed[0].until, passed[0].figure),
        (at(0), at(30_000), Some(9))
    );
    let mut suspected = found(None);
    suspected.findings[0].open = Some(OpenQuestion::new("3 wait", "whether", None).into());
    let mut ledger = FindingLedger::default();
    ledger.enter(suspected, at(0));
    assert_eq!(ledger.enter(Diagnosis::default(), at(30_000)).gone, []);
    ledger.enter(Diagnosis::default(), at(40_000));
    assert_eq!(ledger.passed().count(), 0);
}

#[test]
fn what_gets_less_bad_is_told_so_when_it_has_stayed_so_and_what_gets_worse_at_once() {
    let (warning, critical) = (Severity::Warning, Severity::Critical);
    let told = |ledger: &mut FindingLedger, ms, severity, follows| {
        let mut said = found(None);
        (said.findings[0].severity, said.findings[0].follows) = (severity, follows);
        ledger.enter(said, at(ms)).findings[0].severity
    };
    let mut ledger = FindingLedger::default();
    for ms in (0..20_000).step_by(2_000) {
        let severity = [critical, warning][usize::from(ms % 4_000 > 0)];
        assert_eq!(told(&mut ledger, ms, severity, None), critical, "{ms}");
    }
    assert_eq!(told(&mut ledger, 20_000, critical, None), critical);
    for (ms, expected) in [(21_000, critical), (25_999, critical), (26_000, warning)] {
        assert_eq!(told(&mut ledger, ms, warning, None), expected, "{ms}");
    }
    assert_eq!(told(&mut ledger, 27_000, critical, None), critical);
    let mut said = found(None);
    (said.findings[0].severity, said.findings[0].follows) = (warning, Some("poison"));
    let cause = Finding::new("poison", warning, "That.");
    said.findings.insert(0, cause);
    let findings = ledger.enter(said, at(28_000)).findings;
    assert_eq!(findings[1].severity, warning, "it is explained");
}

#[test]
fn what_cannot_be_looked_at_any_more_has_not_gone() {
    let mut ledger = FindingLedger::default();
    ledger.enter(found(None), at(0));
    let blind = Diagnosis {
        blind: vec![("drift", "NOPERM".to_owned())],
        ..Diagnosis::default()
    };
    assert_eq!(ledger.enter(blind, at(1_000)).gone, []);
}

#[test]
fn growth_is_reckoned_from_when_the_figure_was_known_first() {
    let mut ledger = FindingLedger::default();
    ledger.enter(found(None), at(0));
    let mut sampled = found(Some(10));
    sampled.findings[0].sampled = true;
    assert_eq!(ledger.enter(sampled, at(4_000)).findings[0].trend, None);
    ledger.enter(found(Some(100)), at(5_000));
    let said = ledger.enter(found(Some(100)), at(10_000));
    let trend = said.findings[0].trend.unwrap();
    assert!(trend.per_s.abs() < f64::EPSILON, "{trend:?}");
}

#[test]
fn what_followed_from_another_one_is_given_a_moment_to_go_with_it() {
    let mut follows = found(Some(1));
    follows.findings[0].severity = Severity::Note;
    follows.findings[0].follows = Some("poison");
    let mut alone = found(Some(1));
    alone.findings[0].severity = Severity::Warning;
    let mut ledger = FindingLedger::default();
    ledger.enter(follows, at(0));
    let mut severity = |ms| {
        let findings = ledger.enter(alone.clone(), at(ms)).findings;
        findings.first().map(|found| found.severity)
    };
    assert_eq!(severity(1_000), None);
    assert_eq!(severity(2_400), None);
    assert_eq!(severity(2_500), Some(Severity::Warning));
}

#[test]
fn what_follows_from_what_has_lost_its_own_cause_is_not_told_either() {
    let all = |parts: &[(&'static str, Option<&'static str>)]| Diagnosis {
        findings: parts
            .iter()
            .map(|(id, follows)| Finding {
                follows: *follows,
                ..Finding::new(id, Severity::Note, "That.")
            })
            .collect(),
        ..Diagnosis::default()
    };
    let mut ledger = FindingLedger::default();
    let fleet = ("mixed-fleet", None);
    ledger.enter(all(&[fleet, ("poison", Some("mixed-fleet"))]), at(0));
    let left = all(&[("poison", None), ("mixed-frames", Some("poison"))]);
    let mut told = |ms| ledger.enter(left.clone(), at(ms)).findings.len();
    assert_eq!(
        told(1_000),
        0,
        "whether the entry still blocks is seen in a moment"
    );
    assert_eq!(told(2_500), 2);
}

#[test]
fn a_jump_of_minutes_ago_is_no_part_of_the_rate() {
    let mut ledger = FindingLedger::default();
    ledger.enter(found(Some(300)), at(0));
    ledger.enter(found(Some(550)), at(2_000));
    let mut rate = None;
    for s in 1..=20_u32 {
        let said = ledger.enter(
            found(Some(550 + 3 * u64::from(s))),
            at(2_000 + 10_000 * i64::from(s)),
        );
        rate = said.findings[0].trend.map(|trend| trend.per_s);
    }
    assert_eq!(rate, Some(0.3));
}

#[test]
fn what_followed_from_a_cause_that_has_gone_is_not_told_alone_until_the_next_looks_have_decided() {
    let drift = |follows| {
        let mut said = found(Some(1));
        said.findings[0].follows = follows;
        said
    };
    let mut both = drift(Some("poison"));
    both.findings.push(Finding::new(
        "poison",
        Severity::Critical,
        "An entry blocks.",
    ));
    let mut ledger = FindingLedger::default();
    ledger.enter(both, at(0));
    let mut told = |ms| ledger.enter(drift(None), at(ms)).findings.len();
    assert_eq!(told(4_000), 1, "its cause was told too long ago");
    let mut ledger = FindingLedger::default();
    let mut both = drift(Some("poison"));
    both.findings.push(Finding::new(
        "poison",
        Severity::Critical,
        "An entry blocks.",
    ));
    ledger.enter(both, at(0));
    let mut told = |ms| ledger.enter(drift(None), at(ms)).findings.len();
    assert_eq!((told(1_000), told(2_400), told(2_500)), (0, 0, 1));
}

#[test]
fn what_a_cause_takes_in_is_not_over_and_goes_untold_with_its_cause() {
    let taken_in = || Diagnosis {
        findings: vec![Finding::new(
            "mixed-fleet",
            Severity::Critical,
            "Two versions.",
        )],
        taken_in: vec!["drift"],
        ..Diagnosis::default()
    };
    let mut ledger = FindingLedger::default();
    ledger.enter(found(Some(1)), at(0));
    let gone = |said: Diagnosis| said.gone.len();
    assert_eq!(gone(ledger.enter(taken_in(), at(20_000))), 0);
    ledger.enter(taken_in(), at(24_000));
    let mut held = taken_in();
    ledger.hold(&mut held, true);
    assert_eq!(held.findings.len(), 1, "it is told with its cause");
    let back = ledger.enter(found(Some(1)), at(25_000));
    let since = back.findings[0].since;
    assert_eq!(since, Some(at(0)), "it was there all along");
    ledger.enter(taken_in(), at(30_000));
    let said = ledger.enter(Diagnosis::default(), at(40_000));
    let gone_ids: Vec<_> = said.gone.iter().map(|gone| gone.id).collect();
    assert_eq!(gone_ids, ["mixed-fleet"], "its cause is what is over");
    // What was just told as gone, and is taken in, has not gone.
    ledger.enter(found(Some(1)), at(70_000));
    assert_eq!(gone(ledger.enter(Diagnosis::default(), at(80_000))), 1);
    assert_eq!(gone(ledger.enter(taken_in(), at(81_000))), 0);
}

#[test]
fn what_was_taken_in_and_ends_before_its_cause_is_told_as_over() {
    let cause = |taken_in| {
        let finding = Finding::new("mixed-fleet", Severity::Critical, "Two versions.");
        Diagnosis {
            findings: vec![finding],
            taken_in,
            ..Diagnosis::default()
        }
    };
    let mut ledger = FindingLedger::default();
    ledger.enter(found(Some(1)), at(0));
    ledger.enter(cause(vec!["drift"]), at(20_000));
    let said = ledger.enter(cause(Vec::new()), at(30_000));
    let gone: Vec<_> = said.gone.iter().map(|gone| gone.id).collect();
    assert_eq!(gone, ["drift"]);
    // What its rule cannot decide now has not ended.
    let mut ledger = FindingLedger::default();
    ledger.enter(found(Some(1)), at(0));
    ledger.enter(cause(vec!["drift"]), at(20_000));
    let mut kept = cause(Vec::new());
    kept.kept.push("drift");
    assert_eq!(ledger.enter(kept, at(30_000)).gone.len(), 0);
    let back = ledger.enter(found(Some(1)), at(40_000));
    let drift = back.findings.iter().find(|found| found.id == "drift");
    assert_eq!(drift.unwrap().since, Some(at(0)));
}

#[test]
fn what_went_after_a_change_of_ours_was_fixed_and_what_went_by_itself_has_cleared() {
    let fixed = |repaired: Option<i64>| {
        let mut ledger = FindingLedger::default();
        ledger.enter(found(None), at(0));
        ledger.repaired = repaired.map(at);
        ledger.enter(Diagnosis::default(), at(40_000)).gone[0].ending == FindingEnd::Repaired
    };
    assert!(fixed(Some(35_000)));
    assert!(!fixed(None));
    assert!(!fixed(Some(-5_000)), "it was not there yet");
    assert!(!fixed(Some(5_000)), "long ago");
}

#[test]
fn what_somebody_is_at_is_told_on_when_it_has_gone() {
    let mut ledger = FindingLedger::default();
    ledger.enter(found(None), at(0));
    ledger.held = Some("drift");
    ledger.enter(Diagnosis::default(), at(6_000));
    let said = ledger.enter(Diagnosis::default(), at(60_000));
    assert_eq!(said.gone.len(), 1);
    ledger.held = None;
    let said = ledger.enter(Diagnosis::default(), at(61_000));
    assert_eq!(said.gone.len(), 0);
}

#[test]
fn what_comes_again_long_after_it_has_gone_is_another_one_also_where_somebody_is_at_it() {
    let mut ledger = FindingLedger::default();
    ledger.enter(found(None), at(0));
    ledger.held = Some("drift");
    ledger.enter(Diagnosis::default(), at(6_000));
    let again = ledger.enter(found(None), at(7_200_000));
    assert_eq!(again.findings[0].since, Some(at(7_200_000)));
    assert_eq!(ledger.passed().count(), 1);
}

#[test]
fn the_time_that_is_left_goes_down_in_a_headline_that_is_not_made_anew() {
    let mut said = found(None);
    let mut lost = Finding::new(
        "ttl",
        Severity::Critical,
        "All is lost in 2:00: a key expires.",
    );
    lost.ends = Some(at(120_000));
    said.findings = vec![lost];
    let said = FindingLedger::default().enter(said, at(0));
    let told = |ms| said.findings[0].headline_at(at(ms)).into_owned();
    assert_eq!(told(0), "All is lost in 2:00: a key expires.");
    assert_eq!(told(30_000), "All is lost in 1:30: a key expires.");
}
