//! The summary of a log, printed behind its lines.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::super::output::Output;
use super::super::{say, times};
use super::printed::{exact, ms, signed, whole};
use crate::ops::trace::{LiveCost, LiveEnd};
use crate::queue::{Known, text};
use crate::trace::aof::Damage;
use crate::trace::figures::{Figures, Spread, TracedClient};
use crate::trace::record::{LONGEST_RECORD, Precision};
use crate::trace::{ClientNames, MessageFate};

/// Clients that are named for people.
const MOST_CLIENTS: usize = 10;
/// Columns of the longest bar of a histogram.
const HISTOGRAM_COLUMNS: u64 = 40;
/// Names of the connections of one host that are said for people.
const MOST_NAMES: usize = 3;

/// Counts beside the figures of the log: fates, and records that were not read.
#[derive(Default)]
pub(super) struct TraceSummary {
    fates: BTreeMap<&'static str, u64>,
    unreadable: u64,
    too_long: u64,
    joined: u64,
    /// Lines that match and were not printed, since `--limit` had been.
    pub(super) not_shown: u64,
    /// The name of one of these lines, and of several.
    pub(super) shows: (&'static str, &'static str),
    /// The reading ended with the last line of `--limit`.
    pub(super) ended_by_limit: bool,
    skipped_snapshot: bool,
    damage: Vec<(String, Damage)>,
    /// Other parts of the log follow one that is damaged.
    is_damaged_amid: bool,
    live: Option<(LiveEnd, LiveCost)>,
}

/// The end of a log: records left out, a snapshot skipped, damage.
pub(super) struct LogEnd {
    pub(super) unreadable: u64,
    pub(super) too_long: u64,
    pub(super) joined: u64,
    pub(super) skipped_snapshot: bool,
    pub(super) damage: Option<Damage>,
}

impl TraceSummary {
    /// A log, or a part of one, was read to its end.
    pub(super) fn read(&mut self, name: &str, ended: &LogEnd, is_last: bool) {
        self.is_damaged_amid |= ended.damage.is_some() && !is_last;
        self.unreadable += ended.unreadable;
        self.too_long += ended.too_long;
        self.joined += ended.joined;
        self.skipped_snapshot |= ended.skipped_snapshot;
        let damage = ended.damage.map(|damage| (name.to_owned(), damage));
        self.damage.extend(damage);
    }

    /// True when a part of the log began with a snapshot.
    pub(super) fn skipped_snapshot(&self) -> bool {
        self.skipped_snapshot
    }

    /// A live trace has ended.
    pub(super) fn lived(&mut self, end: LiveEnd, cost: LiveCost) {
        self.unreadable += cost.unreadable;
        self.live = Some((end, cost));
    }

    /// True of a live trace.
    pub(super) fn is_live(&self) -> bool {
        self.live.is_some()
    }

    /// Counts what became of a message.
    pub(super) fn count(&mut self, fate: MessageFate) {
        *self.fates.entry(fate.word()).or_default() += 1;
    }

    /// As the last line of JSON, or for people on standard error.
    pub(super) fn print<W: Write>(
        &self,
        figures: &Figures,
        names: &ClientNames,
        out: &mut Output<W>,
    ) -> io::Result<()> {
        if out.is_json() {
            return out.json(&self.object(figures, names));
        }
        for line in self.lines(figures, names) {
            say::note(&line);
        }
        Ok(())
    }

    /// The figures of a log that most logs have no need of: each is there where it says something.
    fn more(&self, figures: &Figures) -> Map<String, Value> {
        let mut fields = Map::new();
        if figures.precision != Precision::Micro {
            let error = ms(Some(figures.precision.error_us()));
            fields.insert("precision_ms".into(), error);
        }
        for (name, count) in [("too_long", self.too_long), ("joined_lines", self.joined)] {
            if count > 0 {
                fields.insert(name.into(), count.into());
            }
        }
        if self.not_shown > 0 {
            fields.insert("not_shown".into(), self.not_shown.into());
        }
        if self.ended_by_limit {
            fields.insert("ended_by_limit".into(), true.into());
        }
        if self.is_damaged_amid {
            fields.insert("damaged_amid".into(), true.into());
        }
        if figures.has_more_queues {
            fields.insert("has_more_queues".into(), true.into());
        }
        fields
    }

    fn object(&self, figures: &Figures, names: &ClientNames) -> Value {
        let clients = figures.clients(names);
        let clients = clients.iter().map(|client| client_object(client, names));
        let mut object = json!({
            "event": "summary",
            "from_ms": ms(figures.first_us),
            "to_ms": ms(figures.last_us),
            "commands": figures.commands,
            "messages": figures.messages,
            "fates": self.fates,
            "events": figures.events,
            "transferred_again": figures.transfers_again,
            "messages_transferred_again": figures.delivered_again,
            "never_delivered": figures.never_delivered,
            "nobody_asked": figures.nobody_asked,
            "late_ms": whole_spread_object(&figures.lateness, figures.precision),
            "in_target_ms": whole_spread_object(&figures.in_target, figures.precision),
            "clients": clients.collect::<Vec<_>>(),
            "unreadable": self.unreadable,
            "forgotten": figures.forgotten,
            "skipped_snapshot": self.skipped_snapshot,
            "damaged_at_byte": self.damage.first().map(|(_, damage)| damage.offset),
            "monitor": self.live.as_ref().map(|(end, cost)| cost_object(end, cost)),
        });
        if let Some(fields) = object.as_object_mut() {
            fields.extend(self.more(figures));
        }
        object
    }

    fn lines(&self, figures: &Figures, names: &ClientNames) -> Vec<String> {
        let mut lines = Vec::new();
        let fates = self
            .fates
            .iter()
            .map(|(fate, n)| format!("{} {fate}", text::thousands(*n)));
        let span = match (figures.first_us, figures.last_us) {
            (Some(first), Some(last)) => {
                let last = whole(times::exact_beside(last, first), figures.precision);
                format!(" from {} to {last}", exact(first, figures.precision))
            }
            _ => String::new(),
        };
        lines.push(format!(
            "{}{span}; {}: {}",
            text::counted(figures.commands, "command", "commands"),
            text::counted(figures.messages, "message", "messages"),
            fates.collect::<Vec<_>>().join(", "),
        ));
        if self.not_shown > 0 {
            let (one, several) = self.shows;
            let more = text::counted(self.not_shown, one, several);
            lines.push(format!(
                "{more} more would be shown: --limit was reached before"
            ));
        }
        if self.ended_by_limit {
            lines.push("reading ended at --limit: what came later is not counted".to_owned());
        }
        if figures.delivered_again > 0 {
            let messages = text::counted(figures.delivered_again, "message was", "messages were");
            let times = text::counted(figures.transfers_again, "time", "times");
            lines.push(format!(
                "{messages} transferred again, {times}: consumers get them twice"
            ));
        }
        if figures.never_delivered > 0 {
            let messages = text::counted(figures.never_delivered, "message is", "messages are");
            lines.push(format!(
                "{messages} gone without delivery: removed, deleted, expired or renamed"
            ));
        }
        if figures.nobody_asked > 0 {
            let messages = text::counted(figures.nobody_asked, "message is", "messages are");
            lines.push(format!(
                "{messages} late, and no Redisson client asked since the due time"
            ));
        }
        let error = text::span(figures.precision.error_us().unsigned_abs() / 1_000);
        let is_rough = figures.precision != Precision::Micro;
        if let Some(late) = spread_words(&figures.lateness) {
            let more = if is_rough {
                format!(", each up to {error} more: the log has whole seconds")
            } else {
                String::new()
            };
            lines.push(format!("transferred after the due time: {late}{more}"));
            lines.extend(histogram_lines(&figures.lateness, figures.precision));
        }
        if let Some(waited) = spread_words(&figures.in_target) {
            let about = if is_rough {
                format!(", each ±{error}")
            } else {
                String::new()
            };
            lines.push(format!("in the target list: {waited}{about}"));
            lines.extend(histogram_lines(&figures.in_target, figures.precision));
        }
        let clients = figures.clients(names);
        for client in clients.iter().take(MOST_CLIENTS) {
            lines.push(client_words(client, names));
        }
        let more = clients.len().saturating_sub(MOST_CLIENTS);
        if more > 0 {
            lines.push(format!("{more} more clients: see --json"));
        }
        lines.extend(self.left_out(figures));
        lines.extend(self.live.as_ref().map(|(_, cost)| cost_words(cost)));
        lines
    }

    /// Lines about the parts of the log that are not told, with the reason.
    pub(super) fn left_out(&self, figures: &Figures) -> Vec<String> {
        let mut lines = Vec::new();
        if self.unreadable > 0 {
            let records = text::counted(self.unreadable, "record was", "records were");
            lines.push(format!("{records} left out: cut, or damaged"));
        }
        if self.too_long > 0 {
            let records = text::counted(self.too_long, "record was", "records were");
            let most = text::bytes(LONGEST_RECORD as u64);
            lines.push(format!("{records} left out: longer than {most}"));
        }
        if self.joined > 0 {
            let lines_were = text::counted(self.joined, "line was", "lines were");
            lines.push(format!(
                "{lines_were} joined to the one before: the width of a terminal had broken records"
            ));
        }
        if self.skipped_snapshot {
            lines.push(
                "the snapshot before the commands was skipped: the offers of what it holds are \
                 not told"
                    .to_owned(),
            );
        }
        for (name, damage) in &self.damage {
            let offset = text::thousands(damage.offset);
            lines.push(if damage.in_snapshot {
                format!(
                    "{name} has no whole snapshot before its commands, so that none of them was \
                     read: its end was not found up to byte {offset}"
                )
            } else if damage.is_cut {
                format!("{name} ends inside the command at byte {offset}, which was left out")
            } else {
                format!("{name} is damaged from byte {offset} on: what follows was not read")
            });
        }
        if self.is_damaged_amid {
            lines.push(
                "the parts behind that were read: what became of messages that were under way is presumed"
                    .to_owned(),
            );
        }
        if figures.commands > 0 && figures.last_us.is_none() {
            lines.push(
                "the log has no times, so nothing is said of lateness: an append-only file has \
                 them with aof-timestamp-enabled"
                    .to_owned(),
            );
        }
        if figures.scripts > 0 && figures.script_commands == 0 {
            let scripts = text::counted(figures.scripts, "script", "scripts");
            lines.push(format!(
                "{scripts} of these queues left no commands in the log, so nothing is told of them: their \
                 lines begin with a time and [0 lua]. Save all that MONITOR prints, unfiltered"
            ));
        }
        if figures.has_more_queues {
            lines.push(
                "there are more queues than memory is taken for: name one to be told of it"
                    .to_owned(),
            );
        }
        if figures.forgotten > 0 {
            let messages = text::counted(figures.forgotten, "message was", "messages were");
            lines.push(format!(
                "{messages} told before their end: more were under way than memory is taken for"
            ));
        }
        lines
    }
}

fn cost_object(end: &LiveEnd, cost: &LiveCost) -> Value {
    json!({
        "ended_by": end.word(),
        "span_ms": u64::try_from(cost.span.as_millis()).unwrap_or(u64::MAX),
        "bytes": cost.bytes,
        "most_commands_per_s": cost.most_per_s,
        "most_waiting_bytes": cost.most_waiting.get(),
    })
}

/// Tells its cost to the server, for people.
fn cost_words(cost: &LiveCost) -> String {
    let waiting = match &cost.most_waiting {
        Known::Is(most) => format!("at most {} waited there to be sent", text::bytes(*most)),
        Known::Unknown(why) => format!("how much waited there could not be seen ({why})"),
        Known::None => "nothing waited there".to_owned(),
    };
    format!(
        "MONITOR ran for {} and is off: the server copied {} to us, ran {} commands/s at most, and \
         {waiting}",
        text::span(u64::try_from(cost.span.as_millis()).unwrap_or(u64::MAX)),
        text::bytes(cost.bytes),
        text::thousands(cost.most_per_s),
    )
}

/// The names of a client's connections.
fn names_of<'a>(client: &'a TracedClient, names: &'a ClientNames) -> BTreeSet<&'a [u8]> {
    match &client.name {
        Some(name) => BTreeSet::from([&name[..]]),
        None if client.is_whole_host => names.of_host(&client.host),
        None => BTreeSet::new(),
    }
}

/// Their libraries: where they are told apart from others of their host, their own.
fn libraries_of(client: &TracedClient, names: &ClientNames) -> BTreeSet<Vec<u8>> {
    if client.is_whole_host {
        return names.libraries_of_host(&client.host);
    }
    let own = client.addresses.iter();
    own.filter_map(|address| names.library(address)).collect()
}

fn client_object(traced: &TracedClient, of: &ClientNames) -> Value {
    let client = &traced.figures;
    let mut fields = Map::new();
    let host = String::from_utf8_lossy(&traced.host);
    fields.insert("host".into(), host.into());
    let names = names_of(traced, of).into_iter();
    let names: Vec<_> = names.map(String::from_utf8_lossy).collect();
    if !names.is_empty() {
        fields.insert("names".into(), json!(names));
    }
    let libraries = libraries_of(traced, of).into_iter();
    let libraries: Vec<_> = libraries
        .map(|library| String::from_utf8_lossy(&library).into_owned())
        .collect();
    if !libraries.is_empty() {
        fields.insert("libraries".into(), json!(libraries));
    }
    fields.insert("offered".into(), client.offered.into());
    fields.insert("transferred".into(), client.transferred.into());
    fields.insert("consumed".into(), client.consumed.into());
    fields.insert("transfers_won".into(), client.transfers_won.into());
    fields.insert("transfers_in_vain".into(), client.transfers_in_vain.into());
    fields.insert("transfers_failed".into(), client.transfers_failed.into());
    fields.insert("retries_missed".into(), client.retries_missed.into());
    let formats = client.eras.iter().map(|era| era.format());
    fields.insert("formats".into(), formats.collect());
    fields.insert("races_won".into(), client.races_won.into());
    fields.insert("races_lost".into(), client.races_lost.into());
    let clocks = client.clocks.told();
    fields.insert("clock_ms".into(), ms(clocks.first().copied()));
    if clocks.len() > 1 {
        let clocks = clocks.into_iter().map(|us| ms(Some(us)));
        fields.insert("clocks_ms".into(), clocks.collect());
    }
    Value::Object(fields)
}

fn client_words(traced: &TracedClient, names: &ClientNames) -> String {
    let client = &traced.figures;
    let of_host = names_of(traced, names);
    let mut known: Vec<_> = of_host
        .iter()
        .take(MOST_NAMES)
        .map(|n| text::printable_bytes(n))
        .collect();
    if let Some(last) = known.last_mut()
        && of_host.len() > MOST_NAMES
    {
        *last = format!("{last} and {} more", of_host.len() - MOST_NAMES);
    }
    let libraries = libraries_of(traced, names).into_iter();
    known.extend(
        libraries
            .take(MOST_NAMES)
            .map(|one| text::printable_bytes(&one)),
    );
    let in_brackets = if known.is_empty() {
        String::new()
    } else {
        format!(" ({})", known.join(", "))
    };
    let mut line = format!(
        "{}{in_brackets}: offered {}, transferred {}, consumed {}",
        text::printable_bytes(&traced.host),
        text::thousands(client.offered),
        text::thousands(client.transferred),
        text::thousands(client.consumed),
    );
    for (count, what) in [
        (client.transfers_in_vain, "in vain"),
        (client.transfers_failed, "failed"),
    ] {
        if count > 0 {
            let transfers = text::counted(count, "transfer", "transfers");
            line = format!("{line}, {transfers} {what}");
        }
    }
    if client.retries_missed > 0 {
        let (one, several) = ("failed transfer", "failed transfers");
        let transfers = text::counted(client.retries_missed, one, several);
        line = format!("{line}, {transfers} not repeated within 6 s");
    }
    if !client.eras.is_empty() {
        let formats: Vec<_> = client.eras.iter().map(|era| era.format()).collect();
        let noun = if formats.len() > 1 {
            "formats"
        } else {
            "format"
        };
        line = format!("{line}, {} {noun}", formats.join(" and "));
    }
    let races = client.races_won + client.races_lost;
    if races > 0 {
        let won = text::thousands(client.races_won);
        line = format!(
            "{line}, first in {won} of {}",
            text::counted(races, "race", "races")
        );
    }
    match &client.clocks.told()[..] {
        [] => {}
        // Below a ms nothing can be told from the way of a command.
        [us] if us.abs() < 1_000 => {}
        [us] => line = format!("{line}, its clock {}", clock_words(*us)),
        several => {
            let clocks: Vec<_> = several.iter().map(|us| clock_words(*us)).collect();
            let clocks = clocks.join(" and ");
            line = format!("{line}, several clients: one clock {clocks}");
        }
    }
    line
}

fn clock_words(us: i64) -> String {
    let side = if us < 0 { "behind" } else { "ahead of" };
    let by = text::span((us / 1_000).unsigned_abs());
    format!("{by} {side} the server's")
}

pub(super) fn spread_object(spread: &Spread) -> Value {
    json!({
        "count": spread.count(),
        "min": ms(spread.least()),
        "p50": ms(spread.permille(500)),
        "p95": ms(spread.permille(950)),
        "p99": ms(spread.permille(990)),
        "max": ms(spread.most()),
    })
}

/// The same with its histogram.
fn whole_spread_object(spread: &Spread, precision: Precision) -> Value {
    let mut object = spread_object(spread);
    let steps = spread
        .histogram(precision)
        .map(|(to, count)| json!({"to_ms": to, "count": count}));
    object["histogram"] = steps.collect();
    object
}

/// The histogram of spans for people, a line for each edge; none of fewer than two spans.
fn histogram_lines(spread: &Spread, precision: Precision) -> Vec<String> {
    if spread.count() < 2 {
        return Vec::new();
    }
    let most = spread
        .histogram(precision)
        .map(|(_, count)| count)
        .max()
        .unwrap_or(1);
    let line = |(to, count): (Option<i64>, u64)| {
        let edge = to.map_or_else(
            || "longer".to_owned(),
            |ms| format!("up to {}", text::span(ms.unsigned_abs())),
        );
        let bar = usize::try_from((count * HISTOGRAM_COLUMNS).div_ceil(most)).unwrap_or(0);
        let line = format!(
            "{edge:>13} {:>9}  {}",
            text::thousands(count),
            "#".repeat(bar)
        );
        line.trim_end().to_owned()
    };
    spread.histogram(precision).map(line).collect()
}

pub(super) fn spread_words(spread: &Spread) -> Option<String> {
    let at = |permille| spread.permille(permille).map(signed);
    Some(format!(
        "p50 {}, p95 {}, p99 {}, at most {}",
        at(500)?,
        at(950)?,
        at(990)?,
        signed(spread.most()?),
    ))
}
