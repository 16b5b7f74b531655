//! Queues watched for a while: how late what leaves them is.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::session::Session;
use super::stop::StopSignal;
use crate::clock::instant;
use crate::clock::when::Span;
use crate::ops::refresh::{pulse, pulses};
use crate::queue::{PageAsk, Queue, QueueLateness, RecentLateness, text};
use crate::store::StoreError;

/// The pause between two looks: what is told is right to this.
const LOOK: Duration = Duration::from_millis(250);
/// Rows of a queue that is watched alone.
const ROWS: u32 = 64;

/// The lateness of what leaves each queue within the span, or until somebody ends it; none without
/// a span.
pub(super) async fn watched(
    session: &Session,
    queues: &[Queue],
    span: Option<Span>,
) -> Result<Vec<Option<RecentLateness>>, StoreError> {
    let Some(span) = span else {
        return Ok(vec![None; queues.len()]);
    };
    let mut seen = vec![QueueLateness::default(); queues.len()];
    let mut stop = StopSignal::listen();
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let began = instant();
    let mut is_over = false;
    while !is_over {
        // One look at the end of the span, so that nothing is between it and the last one.
        is_over = instant().saturating_duration_since(began) >= span.duration();
        if let [queue] = queues {
            let page = PageAsk {
                first: 0,
                count: ROWS,
            };
            let pulse = pulse(&session.store, queue, Some(page)).await?;
            seen[0].saw(queue, &pulse);
        } else {
            let read = pulses(&session.store, queues).await?;
            for ((lateness, queue), pulse) in seen.iter_mut().zip(queues).zip(&read) {
                if pulse.why_unknown().is_none() {
                    lateness.saw(queue, pulse);
                }
            }
        }
        tokio::select! {
            biased;
            () = stop.asked() => break,
            _ = looks.tick(), if !is_over => {}
            () = std::future::ready(()), if is_over => {}
        }
    }
    Ok(seen.iter().map(QueueLateness::recent).collect())
}

/// `p50 125 ms, p95 0.4 s, max 0.4 s (12 left within 10 s, ±115 ms)`.
pub(super) fn words(late: &RecentLateness) -> String {
    let error = late.error_words();
    format!(
        "p50 {}, p95 {}, max {} ({} left within {}{})",
        late.words(late.p50),
        late.words(late.p95),
        late.words(late.max),
        text::thousands(late.count as u64),
        text::span(late.span_ms.unsigned_abs()),
        error.map_or_else(String::new, |error| format!(", {error}")),
    )
}
