//! One refresh: the pulse of a queue (small, each interval) and its survey (larger, when
//! something changed).

mod frames;
mod list;
mod whole;

use crate::clock::EpochMillis;
use crate::queue::classes::{DUE, LATE};
use crate::queue::{
    Bar, JudgedMember, Page, PageAsk, Pulse, Queue, Scale, Survey, ToldWrites, Zoom,
};
use crate::store::read::{Glance, GlanceAsk, ScoreRange, counts, glance, highest, rank_of_score};
use crate::store::{Store, StoreError};

pub use frames::frames;
pub use list::list;
pub use whole::whole_pulses;

/// Bytes of `unsigned long` where nobody says otherwise.
const LONG: usize = 8;

/// Queues that are looked at in one round trip.
const TOGETHER: usize = 64;

/// The figures of one queue and, when asked for, a page of it, all from the same instant, in one
/// round trip of at most 10 commands.
///
/// `late` counts scores from 0 to now: negative ones are never transferred by anybody, so they
/// are no late entries but a finding; they show as the head.
pub async fn pulse(
    store: &Store,
    queue: &Queue,
    page: Option<PageAsk>,
) -> Result<Pulse, StoreError> {
    let mut moves = store.moves();
    loop {
        let store = &store.of(queue).await;
        let now = now(store)?;
        let seen = glance(store, &[ask(queue, now, page)]).await?;
        hear_of_writes(store);
        let first = seen.into_iter().next();
        match first.unwrap_or_else(|| Err(away(store))) {
            Ok(glance) => return Ok(read(store, queue, page, glance)),
            Err(why) if why.code() == Some("MOVED") && moves.soon().await => {}
            Err(why) => return Err(why),
        }
    }
}

/// The figures of several queues without pages, 64 in a round trip, those at other nodes of a cluster
/// at the same time; each queue's figures are from the same instant. Those of a queue whose slot stays
/// on its way to another node are unknown, and those of a node that does not answer where others do.
pub async fn pulses(store: &Store, queues: &[Queue]) -> Result<Vec<Pulse>, StoreError> {
    let ask = async |store: Store, queues: Vec<Queue>| {
        let told = at_node(&store, &queues).await?;
        told.into_iter().collect()
    };
    let why = match store.by_node(queues, timeouts_of, ask).await {
        Err(why) if why.is_of_its_slot() || !store.node_ids().is_empty() => why,
        told => return told,
    };
    let told = pulses_apart(store, queues).await;
    if !why.is_of_its_slot() && told.iter().all(Result::is_err) {
        return Err(why);
    }
    let at = now(store)?;
    let unknown = |why: StoreError| Pulse::unknown(at, &why.to_string());
    Ok(told
        .into_iter()
        .map(|told| told.unwrap_or_else(unknown))
        .collect())
}

/// The same, where a node that fails takes nothing from the others, nor a queue whose slot is on its
/// way: figures for each queue, or why there are none.
pub async fn pulses_apart(store: &Store, queues: &[Queue]) -> Vec<Result<Pulse, StoreError>> {
    let ask = async |store: Store, queues: Vec<Queue>| at_node(&store, &queues).await;
    let told = store.by_node_apart(queues, timeouts_of, ask).await;
    told.into_iter().map(Result::flatten).collect()
}

fn timeouts_of(queue: &Queue) -> Vec<u8> {
    queue.keys().timeouts
}

/// The figures of each queue, or why its slot is not at this node.
async fn at_node(
    store: &Store,
    queues: &[Queue],
) -> Result<Vec<Result<Pulse, StoreError>>, StoreError> {
    let mut pulses = Vec::with_capacity(queues.len());
    for some in queues.chunks(TOGETHER) {
        let now = now(store)?;
        let asks: Vec<GlanceAsk> = some.iter().map(|queue| ask(queue, now, None)).collect();
        let seen = glance(store, &asks).await?;
        hear_of_writes(store);
        let read = |(queue, seen): (&Queue, Result<Glance, StoreError>)| {
            seen.map(|glance| read(store, queue, None, glance))
        };
        pulses.extend(some.iter().zip(seen).map(read));
    }
    Ok(pulses)
}

/// Due times in bars (of `zoom`, when asked for) and classes, and what the queue's keys are; one
/// round trip, all from the same instant.
///
/// How wide the bars of [`Zoom::All`] are follows from the last due time. While those of `held`
/// (the scale of the survey before) still suit it, they are kept; else another round trip or two
/// look for the last due time, whose member comes with it, and count again.
pub async fn survey(
    store: &Store,
    queue: &Queue,
    zoom: Option<Zoom>,
    held: Option<Scale>,
) -> Result<Survey, StoreError> {
    let store = &store.of(queue).await;
    let Some(zoom) = zoom else {
        return look(store, queue, None).await;
    };
    if let Some(scale) = zoom.scale() {
        return look(store, queue, Some((zoom, scale))).await;
    }
    if let Some(scale) = held {
        let seen = look(store, queue, Some((zoom, scale))).await?;
        let last = seen.bars.iter().rposition(|bar| bar.count > 0);
        if seen.beyond <= seen.no_time && scale.suits(last) {
            return Ok(seen);
        }
    }
    let now = now(store)?;
    let times = (queue.score(now), queue.no_time());
    let last = highest(store, &queue.keys().timeouts, times).await?;
    let last = last.and_then(|score| queue.due(score).at());
    let scale = match last {
        Some(last) => Scale::reaching(now, last),
        None => held.unwrap_or_default(),
    };
    look(store, queue, Some((zoom, scale))).await
}

/// A survey with the bars of the closest zoom that shows four fifths of what falls due: a round trip
/// or two more than one of a given zoom.
pub async fn fitting_survey(store: &Store, queue: &Queue) -> Result<Survey, StoreError> {
    let store = &store.of(queue).await;
    let zoom = Zoom::fitting(&look(store, queue, None).await?.classes);
    let seen = survey(store, queue, Some(zoom), None).await?;
    if !seen.shows_most() {
        return survey(store, queue, Some(zoom.wider()), None).await;
    }
    Ok(seen)
}

/// Counts the due times in the bars of a scale.
async fn look(
    store: &Store,
    queue: &Queue,
    bars: Option<(Zoom, Scale)>,
) -> Result<Survey, StoreError> {
    let now = now(store)?;
    let (zoom, scale) = bars.unzip();
    let plan = SurveyPlan::new(queue, now, scale);
    let seen = counts(store, &queue.keys(), &plan.ranges, now).await?;
    let bars = plan.edges.len().saturating_sub(1);
    let count = |i: usize| seen.counts.get(i).copied().unwrap_or(0);
    let classes = plan.late + LATE.len() + 1;
    let no_time = classes + DUE.len();
    Ok(Survey {
        at: seen.at,
        zoom,
        scale,
        bars: (0..bars)
            .map(|i| Bar {
                from: plan.edges[i],
                to: plan.edges[i + 1],
                count: count(i),
            })
            .collect(),
        beyond: if zoom.is_some() { count(bars) } else { 0 },
        late: std::array::from_fn(|i| count(plan.late + i)),
        handing_over: count(classes - 1),
        classes: std::array::from_fn(|i| count(classes + i)),
        no_time: count(no_time),
        micros: [count(no_time + 1), count(no_time + 2)],
        keys: seen.keys,
        aside: seen.aside,
        quarantined: seen.quarantined,
        held: seen.held,
        frames: None,
        server_us: seen.server_us,
    })
}

/// The rank in timeouts of the first entry with the score `least` or a higher one; the number of
/// entries when there is none.
pub async fn rank_at(store: &Store, queue: &Queue, least: f64) -> Result<u64, StoreError> {
    let store = &store.of(queue).await;
    rank_of_score(store, &queue.keys().timeouts, least, false).await
}

fn now(store: &Store) -> Result<EpochMillis, StoreError> {
    store
        .clock()
        .map(|clock| clock.now())
        .ok_or_else(|| away(store))
}

fn away(store: &Store) -> StoreError {
    StoreError::NotConnected {
        server: store.endpoint().to_string(),
        why: "it has not answered yet".to_owned(),
    }
}

fn ask(queue: &Queue, now: EpochMillis, page: Option<PageAsk>) -> GlanceAsk {
    GlanceAsk {
        keys: queue.keys(),
        now: queue.score(now),
        page,
    }
}

/// Looks into what was written beside all else: figures do not wait for that, and the next ones bring
/// it.
fn hear_of_writes(store: &Store) {
    let store = store.clone();
    tokio::spawn(async move { store.hear_of_writes().await });
}

fn read(store: &Store, queue: &Queue, page: Option<PageAsk>, glance: Glance) -> Pulse {
    let twin = queue.twin();
    let written = |key: &[u8]| {
        let ago = store.written_ago(key)?;
        let ms = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
        Some(glance.at.plus(-ms))
    };
    let told = ToldWrites {
        twin: twin.and_then(|name| written(name.as_bytes())),
        own: written(&queue.keys().target),
    };
    let is_told = told.twin.is_some() || told.own.is_some();
    let first = glance.first;
    Pulse {
        at: glance.at,
        waiting: glance.waiting,
        late: glance.late,
        head: glance.head.map(|score| queue.due(score)),
        oldest_late: glance.oldest.and_then(|score| queue.due(score).at()),
        next: glance.next.map(|score| queue.due(score)),
        order: glance.order,
        target: glance.target,
        transfer_clients: glance.subscribers,
        first: first.map(|(member, score)| JudgedMember::new(queue, &member, Some(score), LONG)),
        told: is_told.then(|| Box::new(told)),
        beside_bytes: glance.beside_bytes,
        page: page.zip(glance.page).map(|(ask, rows)| Page {
            first: ask.first,
            rows,
        }),
        server_us: glance.server_us,
        took_ms: glance.took_ms,
    }
}

/// The lateness, in ms, below which an entry counts as being handed over.
const HANDING_OVER_MS: i64 = 2_000;

/// The ranges of scores that a survey counts: bars, beyond, late classes, handing over, classes,
/// those that are no time, those that are microseconds.
struct SurveyPlan {
    edges: Vec<EpochMillis>,
    ranges: Vec<ScoreRange>,
    /// The index in `ranges` where the late classes begin.
    late: usize,
}

impl SurveyPlan {
    fn new(queue: &Queue, now: EpochMillis, scale: Option<Scale>) -> Self {
        let at = |t: EpochMillis| queue.score(t).to_string();
        let below = |t: EpochMillis| format!("({}", at(t));
        // What is due at this very moment is late, so the future begins after it.
        let from = |t: EpochMillis| if t == now { below(t) } else { at(t) };
        let edges = scale.map_or_else(Vec::new, |scale| scale.edges(now));
        let mut ranges: Vec<ScoreRange> = edges
            .windows(2)
            .map(|bar| (from(bar[0]), below(bar[1])))
            .collect();
        ranges.extend(edges.last().map(|&end| (from(end), "+inf".to_owned())));
        let late = ranges.len();
        let mut oldest = "0".to_owned();
        for class in LATE {
            let end = now.plus(-class.edge_ms);
            let until = if end == now { at(end) } else { below(end) };
            ranges.push((oldest, until));
            oldest = at(end);
        }
        ranges.push((below(now.plus(-HANDING_OVER_MS)), at(now)));
        let mut start = now;
        for class in DUE {
            let end = (class.edge_ms < i64::MAX).then(|| now.plus(class.edge_ms));
            ranges.push((from(start), end.map_or_else(|| "+inf".to_owned(), below)));
            start = end.unwrap_or(start);
        }
        ranges.push((queue.no_time().to_string(), "+inf".to_owned()));
        if let Some(micros) = queue.in_micros(now) {
            let range = |two: &[f64]| (two[0].to_string(), format!("({}", two[1]));
            ranges.extend(micros.windows(2).map(range));
        }
        Self {
            edges,
            ranges,
            late,
        }
    }
}
