//! `show`: one queue in figures, and when its entries fall due.

use std::io::{self, Write};

use anyhow::Context as _;
use serde_json::{Map, Value, json};

use super::output::Output;
use super::session::{Session, meant};
use super::stand_ins::StandIns;
use super::{CommandOutcome, lateness, queues, shape, times};
use crate::args;
use crate::config::Config;
use crate::ops::presence::is_there;
use crate::ops::refresh::{pulse, survey};
use crate::queue::classes::{self, TimeClass};
use crate::queue::finding;
use crate::queue::{Bar, Known, Pulse, Queue, RecentLateness, Severity, Survey, Zoom, shell, text};

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Prints one queue.
pub(super) async fn run<W: Write>(
    asked: &args::Show,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let queue = meant(&asked.queue, config);
    let session = Session::open(config).await?.at(&queue).await?;
    let late = lateness::watched(&session, std::slice::from_ref(&queue), asked.span).await;
    let late = late.with_context(|| format!("could not watch queue {:?}", queue.name.text()))?;
    let mut shown = ShownQueue::read(&session, &queue, config).await?;
    shown.late = late.into_iter().next().flatten();
    if out.is_json() {
        out.json(&Value::Object(shown.object(&queue)))?;
    } else {
        shown.print(&queue, config, out)?;
    }
    Ok(CommandOutcome::Done)
}

/// The facts that are shown of a queue.
pub(super) struct ShownQueue {
    /// Its figures.
    pub(super) pulse: Pulse,
    survey: Survey,
    /// The lateness of what has left it, where it was watched.
    late: Option<RecentLateness>,
    stand_ins: StandIns,
    skew_ms: i64,
}

impl ShownQueue {
    /// Reads it, at the zoom that suits its entries.
    pub(super) async fn read(
        session: &Session,
        queue: &Queue,
        config: &Config,
    ) -> anyhow::Result<Self> {
        let what = || format!("could not read queue {:?}", queue.name.text());
        let pulse = pulse(&session.store, queue, None)
            .await
            .with_context(what)?;
        let first = survey(&session.store, queue, Some(Zoom::default()), None)
            .await
            .with_context(what)?;
        let there = is_there(&session.store, queue, &pulse).await;
        if !there.with_context(what)? {
            return Err(queues::no_such(queue, config));
        }
        let survey = match fitting(&first) {
            zoom if first.zoom == Some(zoom) => first,
            zoom => survey(&session.store, queue, Some(zoom), None)
                .await
                .with_context(what)?,
        };
        let skew_ms = session.store.clock().unwrap_or(session.clock).skew_ms();
        Ok(Self {
            stand_ins: StandIns::look(&session.store, &[&pulse]).await,
            pulse,
            survey,
            late: None,
            skew_ms,
        })
    }

    /// Its fields.
    pub(super) fn object(&self, queue: &Queue) -> Map<String, Value> {
        let mut fields = object(queue, (&self.pulse, &self.survey), self.late, self.skew_ms);
        let ours = self.stand_ins.of(queue, &self.pulse);
        fields.insert("stand_in_workers".into(), json!(ours));
        fields
    }

    /// It for people.
    pub(super) fn print<W: Write>(
        &self,
        queue: &Queue,
        config: &Config,
        out: &mut Output<W>,
    ) -> io::Result<()> {
        print(queue, self, config, out)
    }
}

/// The closest zoom that has every entry that is due within a day; all when there is none.
fn fitting(survey: &Survey) -> Zoom {
    let [ten_s, minute, ten, hour, six, day, later] = survey.classes;
    let within: u64 = survey.classes[..6].iter().sum();
    match () {
        () if later > 0 && within == 0 => Zoom::All,
        () if day + later > 0 => Zoom::Day,
        () if six > 0 => Zoom::SixHours,
        () if hour > 0 => Zoom::Hour,
        () if ten > 0 || minute + ten_s == 0 => Zoom::TenMinutes,
        () => Zoom::Minute,
    }
}

fn object(
    queue: &Queue,
    (pulse, survey): (&Pulse, &Survey),
    late: Option<RecentLateness>,
    skew_ms: i64,
) -> Map<String, Value> {
    let found = finding::once(queue, pulse, Some(survey));
    let mut fields = shape::fields(queue, pulse, &found, late);
    let unread = uncounted(pulse);
    let count = |count: u64| unread.is_none().then_some(count);
    let bars = survey.bars.iter().map(
        |bar| json!({"from_ms": bar.from.get(), "to_ms": bar.to.get(), "count": count(bar.count)}),
    );
    let order = whole_order(pulse, survey.aside).get();
    let differs = order.zip(pulse.waiting.get());
    let differs = differs.map(|(order, waiting)| order != waiting);
    fields.insert("order".into(), json!(order));
    fields.insert("order_differs".into(), json!(differs));
    fields.insert("aside".into(), json!(survey.aside));
    fields.insert("quarantined".into(), json!(survey.quarantined));
    fields.insert("histogram".into(), bars.collect());
    fields.insert("beyond".into(), json!(count(survey.beyond)));
    if let (Some(why), Some(Value::Object(all))) = (unread, fields.get_mut("why")) {
        for name in ["histogram", "beyond"] {
            all.insert(name.into(), why.into());
        }
    }
    let keys = queue.keys();
    let name = |key: Option<&Vec<u8>>| json!(key.map(|k| String::from_utf8_lossy(k)));
    fields.insert(
        "keys".into(),
        json!({
            "timeouts": name(Some(&keys.timeouts)),
            "order": name(keys.order.as_ref()),
            "target": name(Some(&keys.target)),
            "channel": name(keys.channel.as_ref()),
            "quarantine": name(Some(&keys.quarantine)),
        }),
    );
    fields.insert("key_types".into(), key_types(survey));
    fields.insert("clock_skew_ms".into(), skew_ms.into());
    fields
}

/// Says why nothing could be counted by due time, which is not the same as nothing being due: the
/// pulse counts what is late with the command that the survey counts with.
fn uncounted(pulse: &Pulse) -> Option<&str> {
    match &pulse.late {
        Known::Unknown(why) => Some(why),
        _ => None,
    }
}

/// The order list with what is set aside of it.
fn whole_order(pulse: &Pulse, aside: Option<u64>) -> Known<u64> {
    match (&pulse.order, aside) {
        (Known::Is(order), Some(aside)) => Known::Is(order.saturating_add(aside)),
        (order, _) => order.clone(),
    }
}

fn key_types(survey: &Survey) -> Value {
    let one = |key: &crate::queue::KeyFacts| {
        let mut fields = Map::new();
        fields.insert("key".into(), String::from_utf8_lossy(&key.key).into());
        fields.insert("type".into(), key.kind.as_str().into());
        fields.insert("wanted".into(), key.wanted.into());
        fields.insert("expires_in_ms".into(), json!(key.expires_in_ms));
        Value::Object(fields)
    };
    survey.keys.iter().map(one).collect()
}

fn print<W: Write>(
    queue: &Queue,
    shown: &ShownQueue,
    config: &Config,
    out: &mut Output<W>,
) -> io::Result<()> {
    let (pulse, survey, skew_ms) = (&shown.pulse, &shown.survey, shown.skew_ms);
    let name = text::printable_bytes(queue.name.as_bytes());
    let layout = queue.layout.word();
    out.whole(&format!("{name} · {layout} · {}", config.endpoint))?;
    out.whole("")?;
    let ours = shown.stand_ins.remark(queue, pulse);
    figures(pulse, survey.aside, ours, out)?;
    if let Some(n) = survey.quarantined.filter(|n| *n > 0) {
        let n = text::thousands(n);
        let key = text::printable_bytes(&queue.keys().quarantine);
        out.whole(&format!("{:17}{n:>12}   kept in {key}", "quarantined"))?;
    }
    if let Some(late) = &shown.late {
        out.whole(&format!("{:17}{}", "left late by", lateness::words(late)))?;
    }
    out.whole("")?;
    match uncounted(pulse) {
        Some(why) => {
            for name in ["late by", "due in"] {
                out.whole(&format!("{name:17}unknown: {why}"))?;
            }
        }
        None => timeline(survey, out)?,
    }
    out.whole("")?;
    for key in &survey.keys {
        let shown = text::printable_bytes(&key.key);
        let mark = match key.kind.as_str() {
            "none" => "  (not there)".to_owned(),
            kind if kind != key.wanted => format!("  ! should be a {}", key.wanted),
            _ => String::new(),
        };
        let expiry = key.expires_in_ms.map_or_else(String::new, |ms| {
            format!("  ! expires in {}", text::age(ms))
        });
        out.whole(&format!("{:17}{shown}  {}{mark}{expiry}", "key", key.kind))?;
    }
    if let Some(channel) = queue.keys().channel {
        out.whole(&format!(
            "{:17}{}",
            "channel",
            text::printable_bytes(&channel)
        ))?;
    }
    out.whole(&format!("{:17}{skew_ms} ms", "clock skew"))?;
    let found = finding::once(queue, pulse, Some(survey));
    let late = pulse.late.get() > Some(0);
    if late || found.worst() >= Some(Severity::Warning) {
        let command = shell::about(&config.programs().ours, "doctor", queue, &[]);
        let asks = if late { "why" } else { "problems" };
        out.whole("")?;
        out.whole(&format!("{asks:17}{command}"))?;
    }
    Ok(())
}

fn figures<W: Write>(
    pulse: &Pulse,
    aside: Option<u64>,
    ours: Option<String>,
    out: &mut Output<W>,
) -> io::Result<()> {
    let next = match pulse.next {
        Some(_) => format!(
            "next {} ({})",
            times::left(pulse.next, pulse.at),
            times::due(pulse.next, pulse.at)
        ),
        None => String::new(),
    };
    let oldest = pulse.oldest_late.map_or_else(String::new, |due| {
        format!(
            "oldest {} ({})",
            text::age(pulse.at.since(due)),
            times::local(due, pulse.at)
        )
    });
    let order = whole_order(pulse, aside);
    let mut remarks: Vec<String> = Vec::new();
    if let (Some(order), Some(waiting)) = (order.get(), pulse.waiting.get())
        && order != waiting
    {
        remarks.push(format!("≠ {} in timeouts", text::thousands(waiting)));
    }
    remarks.extend(aside.map(|n| format!("{} of it in a list of their own", text::thousands(n))));
    let rows = [
        ("waiting", &pulse.waiting, next),
        ("late", &pulse.late, oldest),
        ("order list", &order, remarks.join(", ")),
        ("target", &pulse.target, String::new()),
        ("clients", &pulse.transfer_clients, ours.unwrap_or_default()),
    ];
    for (name, known, remark) in rows {
        let remark = match known {
            Known::Unknown(why) => format!("unknown: {why}"),
            _ => remark,
        };
        let figure = shape::figure(known);
        let missing = 12_usize.saturating_sub(text::width(&figure));
        out.whole(&format!("{name:17}{:missing$}{figure}   {remark}", ""))?;
    }
    Ok(())
}

fn timeline<W: Write>(survey: &Survey, out: &mut Output<W>) -> io::Result<()> {
    let counted = |all: &[TimeClass], counts: &[u64]| -> String {
        let one = |(class, count): (&TimeClass, &u64)| {
            format!("{}: {}", class.name, text::thousands(*count))
        };
        let some = all.iter().zip(counts).filter(|(_, count)| **count > 0);
        let parts: Vec<String> = some.map(one).collect();
        if parts.is_empty() {
            "nothing".to_owned()
        } else {
            parts.join("  ")
        }
    };
    let late = counted(&classes::LATE, &survey.late);
    out.whole(&format!("{:17}{late}", "late by"))?;
    let due = counted(&classes::DUE, &survey.classes);
    out.whole(&format!("{:17}{due}", "due in"))?;
    let most = survey.bars.iter().map(|bar| bar.count).max().unwrap_or(0);
    if most > 0 {
        let label = match (survey.zoom, survey.scale) {
            (Some(Zoom::All), Some(scale)) => format!("all, {} a bar", scale.width()),
            (zoom, _) => zoom.map_or("", Zoom::label).to_owned(),
        };
        let bars: String = survey.bars.iter().map(|b| level(b.count, most)).collect();
        let most = text::thousands(most);
        out.whole(&format!("{:17}{label}, highest bar {most}", "next"))?;
        out.whole(&format!("  now ▕{bars}▏"))?;
        out.whole(&format!("       {}", scale(&survey.bars)))?;
    }
    Ok(())
}

/// The scale under the bars: at the end of each fourth of them, the time since the first one.
fn scale(bars: &[Bar]) -> String {
    let Some(first) = bars.first() else {
        return String::new();
    };
    let quarters = (1..=4).map(|quarter| bars.len() * quarter / 4);
    let mut line = String::new();
    for end in quarters.filter(|end| *end > 0) {
        let left = text::countdown(bars[end - 1].to.since(first.from));
        let mark = format!("{left}┘");
        let before = end.saturating_sub(text::width(&line) + text::width(&mark));
        line.push_str(&" ".repeat(before));
        // Where there is no room for it, the next one tells as much.
        if text::width(&line) + text::width(&mark) <= end {
            line.push_str(&mark);
        }
    }
    line
}

fn level(count: u64, most: u64) -> char {
    if count == 0 || most == 0 {
        return ' ';
    }
    let top = u128::from(LEVELS.len() as u64 - 1);
    let index = u128::from(count) * top / u128::from(most);
    LEVELS[usize::try_from(index).unwrap_or(0).min(LEVELS.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_entry_is_seen_beside_a_million() {
        assert_eq!(level(0, 1_000_000), ' ');
        assert_eq!(level(1, 1_000_000), '▁');
        assert_eq!(level(1_000_000, 1_000_000), '█');
        assert_eq!(level(u64::MAX, u64::MAX), '█');
    }
}
