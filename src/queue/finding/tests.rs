//! What the tests of the rules share, and of all of them together.

use super::*;
use crate::queue::{Due, Known};

/// The server's time of the first pulse.
pub(crate) const START: EpochMillis = EpochMillis::new(1_700_000_000_000);

/// A pulse at `ms` after the start: so many entries, the oldest late by that, so many clients.
pub(crate) fn pulse(ms: i64, waiting: u64, late_ms: Option<i64>, clients: u64) -> Pulse {
    let at = START.plus(ms);
    let oldest_late = late_ms.map(|late| at.plus(-late));
    Pulse {
        at,
        waiting: Known::Is(waiting),
        late: Known::Is(u64::from(late_ms.is_some())),
        head: oldest_late.map(Due::At),
        oldest_late,
        next: None,
        order: Known::Is(waiting),
        target: Known::Is(0),
        transfer_clients: Known::Is(clients),
        first: None,
        beside_bytes: 0,
        page: None,
        server_us: 0,
    }
}

/// A survey that saw nothing but so many members set aside.
pub(crate) fn survey(aside: Option<u64>) -> Survey {
    Survey {
        at: START,
        zoom: None,
        scale: None,
        no_time: 0,
        bars: Vec::new(),
        beyond: 0,
        late: [0; 4],
        handing_over: 0,
        classes: [0; 7],
        keys: Vec::new(),
        aside,
        frames: None,
        server_us: 0,
    }
}

/// What the rules say after these pulses and that survey.
pub(crate) fn after(queue: &Queue, pulses: &[Pulse], survey: Option<&Survey>) -> Diagnosis {
    let mut watch = Watch::default();
    for pulse in pulses {
        watch.saw(pulse);
    }
    if let Some(survey) = survey {
        watch.surveyed(survey);
    }
    let server = ServerWatch::default();
    diagnose(queue, (pulses.last(), survey), &mut watch, &server)
}

#[test]
fn a_healthy_queue_is_proven_to_be_so() {
    let pulses = [pulse(0, 5, None, 2), pulse(2_000, 5, None, 2)];
    let said = after(&Queue::redisson("q"), &pulses, Some(&survey(None)));
    assert_eq!((said.findings.len(), said.fine), (0, RULES.len()));
}

#[test]
fn before_the_first_pulse_nothing_is_said() {
    let said = after(&Queue::redisson("q"), &[], None);
    assert_eq!(said, Diagnosis::default());
}

#[test]
fn the_worst_finding_comes_first() {
    let mut last = pulse(40_000, 5, None, 0);
    last.order = Known::Unknown("WRONGTYPE Operation against a key".into());
    let said = after(&Queue::redisson("q"), &[pulse(0, 5, None, 0), last], None);
    let ids: Vec<_> = said.findings.iter().map(|f| f.id).collect();
    assert_eq!(ids, ["wrong-type", "no-transfer-client"]);
}
