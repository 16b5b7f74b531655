//! A queue's line: the fields that `queues`, `watch` and `show` share, and the row for people.

use serde_json::{Map, Number, Value, json};

use super::output::Column;
use super::times;
use crate::queue::finding::Diagnosis;
use crate::queue::{Due, Known, Pulse, Queue, QueueName, RecentLateness, Severity, text};

/// The row of a queue.
pub(super) const COLUMNS: [Column; 10] = [
    Column::left("QUEUE", 12),
    Column::right("WAITING", 7),
    Column::right("LATE", 4),
    Column::right("OLDEST", 7),
    Column::right("NEXT", 7),
    Column::left("AT", 8).optional(),
    Column::right("ORDER", 7).optional(),
    Column::right("TARGET", 6),
    Column::right("CLIENTS", 7),
    Column::left("", 1),
];

/// A queue's fields; more may be put behind them. `left_late`: how late what has left it was, where it
/// was watched.
pub(super) fn fields(
    queue: &Queue,
    pulse: &Pulse,
    found: &Diagnosis,
    left_late: Option<RecentLateness>,
) -> Map<String, Value> {
    let mut why = Map::new();
    let mut figure = |name: &str, known: &Known<u64>| {
        if let Known::Unknown(reason) = known {
            why.insert(name.to_owned(), (**reason).into());
        }
        json!(known.get())
    };
    let waiting = figure("waiting", &pulse.waiting);
    let late = figure("late", &pulse.late);
    let order = figure("order", &pulse.order);
    let target = figure("target", &pulse.target);
    let clients = figure("transfer_clients", &pulse.transfer_clients);
    let mut fields = Map::new();
    name(&mut fields, &queue.name);
    fields.insert("layout".into(), queue.layout.word().into());
    fields.insert("waiting".into(), waiting);
    fields.insert("late".into(), late);
    fields.insert(
        "oldest_due_ms".into(),
        json!(pulse.oldest_late.map(crate::clock::EpochMillis::get)),
    );
    fields.insert("next_due_ms".into(), due_ms(pulse.next));
    fields.insert(
        "lateness_ms".into(),
        left_late.map_or(Value::Null, lateness),
    );
    fields.insert("order".into(), order);
    fields.insert("target".into(), target);
    fields.insert("transfer_clients".into(), clients);
    fields.insert("server_ms".into(), pulse.at.get().into());
    let ids = found.findings.iter().map(|finding| finding.id);
    fields.insert("findings".into(), ids.collect());
    fields.insert("cost_us".into(), pulse.server_us.into());
    fields.insert("order_differs".into(), json!(differs(pulse)));
    if !why.is_empty() {
        fields.insert("why".into(), why.into());
    }
    fields
}

/// Adds the nodes of the cluster of whose queues nothing is known, when there are some.
pub(super) fn add_away(fields: &mut Map<String, Value>, nodes: &[String]) {
    if !nodes.is_empty() {
        fields.insert("nodes_away".into(), json!(nodes));
    }
}

/// The lateness of what has left a queue.
fn lateness(late: RecentLateness) -> Value {
    json!({
        "count": late.count,
        "p50": late.p50.middle(),
        "p95": late.p95.middle(),
        "max": late.max.middle(),
        "error": late.error(),
        "span": late.span_ms,
    })
}

/// A queue's name as `queue`; its bytes too when it is no UTF-8.
pub(super) fn name(fields: &mut Map<String, Value>, name: &QueueName) {
    fields.insert("queue".into(), name.text().into());
    if std::str::from_utf8(name.as_bytes()).is_err() {
        fields.insert("queue_hex".into(), hex::encode(name.as_bytes()).into());
    }
}

/// A due time in epoch ms; null when there is none or it is out of range.
pub(super) fn due_ms(due: Option<Due>) -> Value {
    json!(due.and_then(Due::at).map(crate::clock::EpochMillis::get))
}

/// A score as a number (null when it is not finite) and as Redis prints it.
pub(super) fn score(fields: &mut Map<String, Value>, score: Option<f64>) {
    let number = score.and_then(|s| {
        let integer = score_text(s).parse::<i64>().ok().map(Number::from);
        integer.or_else(|| Number::from_f64(s))
    });
    fields.insert("score".into(), number.map_or(Value::Null, Value::Number));
    fields.insert("score_text".into(), json!(score.map(score_text)));
}

fn score_text(score: f64) -> String {
    if score.is_infinite() {
        return if score > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let size = score.abs();
    if size >= 1e17 || (size > 0.0 && size < 1e-4) {
        // As C's %.17g: a sign and two digits at least.
        let text = format!("{score:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let sign = if exponent.starts_with('-') { '-' } else { '+' };
        return format!("{digits}e{sign}{:0>2}", exponent.trim_start_matches('-'));
    }
    score.to_string()
}

/// A queue's row for people. `worst`: how bad what was found in it is; a sign at the end says it.
pub(super) fn row(queue: &Queue, pulse: &Pulse, worst: Option<Severity>) -> Vec<String> {
    let now = pulse.at;
    let sign = match worst {
        Some(Severity::Critical) => "✖",
        Some(Severity::Warning) => "▲",
        Some(Severity::Note) | None if is_overdue(pulse) || differs(pulse) == Some(true) => "!",
        Some(Severity::Note) | None => "",
    };
    vec![
        text::printable_bytes(queue.name.as_bytes()),
        figure(&pulse.waiting),
        figure(&pulse.late),
        pulse
            .oldest_late
            .map_or_else(|| "-".to_owned(), |due| text::age(now.since(due))),
        times::left(pulse.next, now),
        times::due(pulse.next, now),
        order(pulse),
        figure(&pulse.target),
        figure(&pulse.transfer_clients),
        sign.to_owned(),
    ]
}

/// Tells whether timeouts and order list hold different numbers of entries; none where one of them
/// is not known, or there is no order list.
pub(super) fn differs(pulse: &Pulse) -> Option<bool> {
    let (waiting, order) = (pulse.waiting.get()?, pulse.order.get()?);
    Some(waiting != order)
}

/// The length of the order list, with a sign where that is not the number of what waits.
fn order(pulse: &Pulse) -> String {
    let length = figure(&pulse.order);
    match differs(pulse) {
        Some(true) => format!("{length} {DIFFERS}"),
        Some(false) | None => length,
    }
}

/// The sign of an order list that differs from timeouts.
pub(super) const DIFFERS: &str = "≠";

/// Lateness of the oldest entry from which a queue is marked, in ms: a client tries again each 5 s.
const OVERDUE_MS: i64 = 10_000;

/// True where the oldest entry is so late that somebody should ask why.
pub(super) fn is_overdue(pulse: &Pulse) -> bool {
    let oldest = pulse.oldest_late;
    oldest.is_some_and(|due| pulse.at.since(due) >= OVERDUE_MS)
}

/// Remarks beside the figures of rows: why some are unknown, each reason once.
pub(super) fn remarks(rows: &[(&Queue, &Pulse)]) -> Vec<String> {
    let mut reasons: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for (queue, pulse) in rows {
        for (what, known) in [
            ("waiting", &pulse.waiting),
            ("order list", &pulse.order),
            ("target", &pulse.target),
            ("clients", &pulse.transfer_clients),
        ] {
            let Known::Unknown(why) = known else { continue };
            let name = text::printable_bytes(queue.name.as_bytes());
            match reasons.iter_mut().find(|(w, y, _)| (*w, *y) == (what, why)) {
                Some((_, _, names)) => names.push(name),
                None => reasons.push((what, why, vec![name])),
            }
        }
    }
    let remark = |(what, why, names): (&str, &str, Vec<String>)| match names.as_slice() {
        [name] => format!("{name}: {what} unknown: {why}"),
        names => format!("{what} unknown in {} queues: {why}", names.len()),
    };
    reasons.into_iter().map(remark).collect()
}

/// A figure: `?` when it cannot be had, `—` when the layout has no such thing.
pub(super) fn figure(known: &Known<u64>) -> String {
    match known {
        Known::Is(n) => text::thousands(*n),
        Known::Unknown(_) => "?".to_owned(),
        Known::None => "—".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::EpochMillis;

    fn pulse() -> Pulse {
        Pulse {
            at: EpochMillis::new(1_700_000_000_000),
            waiting: Known::Is(1_200),
            late: Known::Is(2),
            head: Some(Due::At(EpochMillis::new(1_699_999_990_000))),
            oldest_late: Some(EpochMillis::new(1_699_999_990_000)),
            next: Some(Due::OutOfRange(1e17)),
            order: Known::Unknown("WRONGTYPE".into()),
            target: Known::Is(0),
            transfer_clients: Known::None,
            first: None,
            told: None,
            beside_bytes: 0,
            page: None,
            server_us: 40,
            took_ms: 0,
        }
    }

    #[test]
    fn a_queue_has_the_fields_that_others_build_on() {
        let shown = Value::Object(fields(
            &Queue::redisson("orders"),
            &pulse(),
            &Diagnosis::default(),
            None,
        ));
        assert_eq!(
            shown,
            json!({
                "queue": "orders", "layout": "redisson", "waiting": 1200, "late": 2,
                "oldest_due_ms": 1_699_999_990_000_i64, "next_due_ms": null, "lateness_ms": null, "order": null,
                "target": 0, "transfer_clients": null, "server_ms": 1_700_000_000_000_i64,
                "findings": [], "cost_us": 40, "order_differs": null,
                "why": {"order": "WRONGTYPE"}
            })
        );
    }

    #[test]
    fn a_name_that_is_no_text_comes_as_bytes_too() {
        let mut fields = Map::new();
        name(&mut fields, &QueueName::new(*b"a\xff"));
        assert_eq!(fields["queue_hex"], "61ff");
        assert_eq!(fields["queue"], "a\u{fffd}");
    }

    #[test]
    fn a_score_is_a_number_and_text_as_redis_prints_it() {
        let cases = [
            (
                1_700_000_000_123.0,
                json!(1_700_000_000_123_i64),
                "1700000000123",
            ),
            (1_700_000_000.25, json!(1_700_000_000.25), "1700000000.25"),
            (-5.0, json!(-5), "-5"),
            (1e17, json!(1e17), "1e+17"),
            (f64::INFINITY, Value::Null, "inf"),
        ];
        for (value, number, text) in cases {
            let mut fields = Map::new();
            score(&mut fields, Some(value));
            assert_eq!(fields["score"], number);
            assert_eq!(fields["score_text"], text);
        }
    }

    #[test]
    fn unknown_is_not_zero_and_not_absent() {
        let row = row(&Queue::redisson("a\nb"), &pulse(), Some(Severity::Critical));
        assert_eq!(row[..2], ["a\\nb", "1,200"]);
        assert_eq!(row[3], "0:10");
        assert_eq!(row[6], "?");
        assert_eq!(row[8..], ["—", "✖"]);
        let (q, pulse) = (Queue::redisson("q"), pulse());
        let one = (&q, &pulse);
        assert_eq!(remarks(&[one]), ["q: order list unknown: WRONGTYPE"]);
        assert_eq!(
            remarks(&[one, one]),
            ["order list unknown in 2 queues: WRONGTYPE"]
        );
    }
}
