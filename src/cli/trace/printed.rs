//! Events and lives as lines, of those messages that were asked for.

use std::io::{self, Write};

use anyhow::bail;
use serde_json::{Map, Value, json};

use super::super::output::{Column, Output};
use super::super::{codec, pick, shape, times};
use crate::args::{self, LineSubject};
use crate::clock::EpochMillis;
use crate::payload::{DecodedPayload, Habit};
use crate::queue::filter::{EntryParts, Filter};
use crate::queue::{Due, Form, Queue, text};
use crate::trace::life::{FirstAsk, Moment};
use crate::trace::record::Precision;
use crate::trace::{ClientNames, Event, EventKind, Life, MessageFate, TracedMessage};

const EVENTS: [Column; 6] = [
    Column::left("TIME", 12),
    Column::left("EVENT", 11),
    QUEUE,
    Column::left("ID", 16),
    Column::left("BY", 15).optional(),
    Column::left("WHAT", 20),
];
const MESSAGES: [Column; 8] = [
    Column::left("OFFERED", 12),
    Column::left("DUE", 12).optional(),
    QUEUE,
    Column::left("ID", 16),
    Column::left("FATE", 9),
    Column::right("LATE", 9),
    Column::right("IN TARGET", 9),
    Column::left("TEXT", 15),
];

/// The column that names a line's queue, where more than one is followed.
const QUEUE: Column = Column::left("QUEUE", 12).optional();
/// The place of that column in both tables.
const QUEUE_AT: usize = 2;

/// The width of a moment with its date.
const DATED: usize = 23;

/// The choice of lines that are printed, with their count so far.
pub(super) struct LinePrinter {
    by: LineSubject,
    ids: Vec<String>,
    filter: Filter,
    late_over_us: Option<i64>,
    habit: Habit,
    raw: bool,
    /// The precision of the times that are printed.
    pub(super) precision: Precision,
    most: u64,
    lines: u64,
    /// Lines that match beside those.
    not_shown: u64,
    /// More than one queue is followed, so that lines name theirs.
    names_queues: bool,
    /// The columns of the table, once its titles are printed.
    columns: Vec<Column>,
}

impl LinePrinter {
    /// The choice that the flags make; an error for an id or a filter that cannot be read.
    pub(super) fn new(asked: &args::Trace, names_queues: bool) -> anyhow::Result<Self> {
        for id in &asked.ids {
            if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                bail!("{id:?} is no id: an id is 16 hex digits, of which the first ones will do.");
            }
        }
        Ok(Self {
            by: asked.by,
            ids: asked.ids.iter().map(|id| id.to_ascii_lowercase()).collect(),
            filter: pick::filter(asked.grep.as_deref().unwrap_or(""))?,
            late_over_us: asked
                .late_over
                .map(|span| span.signed_ms().saturating_mul(1_000)),
            habit: codec::chosen(asked.payloads.codec.as_deref())?,
            raw: asked.payloads.raw,
            precision: Precision::Micro,
            most: asked.limit.unwrap_or(u64::MAX),
            lines: 0,
            not_shown: 0,
            names_queues,
            columns: Vec::new(),
        })
    }

    /// Lines printed so far.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// Lines that match and were not printed, since as many were as were asked for.
    pub(super) fn not_shown(&self) -> u64 {
        self.not_shown
    }

    /// Counts a line that matches; false when as many were printed as were asked for.
    fn is_shown(&mut self) -> bool {
        let is_shown = !self.is_full();
        let count = if is_shown {
            &mut self.lines
        } else {
            &mut self.not_shown
        };
        *count += 1;
        is_shown
    }

    /// True when no message needs to be looked into to know that it matches.
    fn matches_all(&self) -> bool {
        self.ids.is_empty() && self.filter.is_empty()
    }

    /// True once as many lines were printed as were asked for.
    pub(super) fn is_full(&self) -> bool {
        self.lines >= self.most
    }

    /// Prints a row of the table; before the first one its titles. `moments`: those that the row
    /// begins with, in µs since the epoch.
    fn row<W: Write>(
        &mut self,
        moments: &[Option<i64>],
        (queue, db): (&Queue, u32),
        mut cells: Vec<String>,
        out: &mut Output<W>,
    ) -> io::Result<()> {
        if self.columns.is_empty() {
            self.columns = self.columns_for(moments);
            out.titles(&self.columns)?;
        }
        if self.names_queues {
            cells.insert(QUEUE_AT, queue_words(queue, db));
        }
        out.row(&self.columns, &cells)
    }

    /// The columns of a table whose first row begins with these moments: with room for their dates.
    fn columns_for(&self, moments: &[Option<i64>]) -> Vec<Column> {
        let mut columns = match self.by {
            LineSubject::Event => EVENTS.to_vec(),
            LineSubject::Message => MESSAGES.to_vec(),
        };
        if moments.iter().flatten().any(|us| times::is_dated(*us)) {
            for (column, _) in columns.iter_mut().zip(moments) {
                column.least = DATED;
            }
        }
        if !self.names_queues {
            columns.remove(QUEUE_AT);
        }
        columns
    }

    /// Prints an event, if it was asked for.
    pub(super) fn event<W: Write>(
        &mut self,
        event: &Event,
        names: &ClientNames,
        out: &mut Output<W>,
    ) -> io::Result<()> {
        let is_late = match event.kind {
            EventKind::Transferred { late_us, .. } => self.is_late(late_us),
            _ => self.late_over_us.is_none(),
        };
        if !is_late {
            return Ok(());
        }
        if self.is_full() && self.matches_all() {
            self.not_shown += 1;
            return Ok(());
        }
        let Some(message) = &event.message else {
            if self.matches_all() {
                return self.bare(event, names, out);
            }
            return Ok(());
        };
        let due = match event.kind {
            EventKind::Offered { due }
            | EventKind::Requeued { due }
            | EventKind::EditedFrom { due, .. } => Some(due),
            _ => None,
        };
        let Some(decoded) = self.chosen(message, due, event.at_us) else {
            return Ok(());
        };
        if !self.is_shown() {
            return Ok(());
        }
        if out.is_json() {
            let mut fields = event_fields(event);
            names_fields(&mut fields, addresses_of_event(event), |by| {
                (names.now(by), names.library(by))
            });
            self.precision_field(&mut fields);
            self.message_fields(&mut fields, message, decoded);
            return out.json(&Value::Object(fields));
        }
        let what = format!("{}{}", what(event, self.precision, names), decoded.text);
        let cells = vec![
            self.time(event.at_us),
            event.kind.word().to_owned(),
            message.id().to_string(),
            by(event.by.as_deref(), names),
            what,
        ];
        self.row(&[event.at_us], (&event.queue, event.db), cells, out)
    }

    /// Prints what happened to a queue.
    fn bare<W: Write>(
        &mut self,
        event: &Event,
        names: &ClientNames,
        out: &mut Output<W>,
    ) -> io::Result<()> {
        self.lines += 1;
        if out.is_json() {
            let mut fields = event_fields(event);
            names_fields(&mut fields, addresses_of_event(event), |by| {
                (names.now(by), names.library(by))
            });
            self.precision_field(&mut fields);
            return out.json(&Value::Object(fields));
        }
        let queue = text::printable_bytes(event.queue.name.as_bytes());
        let cells = vec![
            self.time(event.at_us),
            event.kind.word().to_owned(),
            "-".to_owned(),
            by(event.by.as_deref(), names),
            format!("{}{queue}", what(event, self.precision, names)),
        ];
        self.row(&[event.at_us], (&event.queue, event.db), cells, out)
    }

    /// Prints a life, if it was asked for.
    pub(super) fn life<W: Write>(
        &mut self,
        life: &Life,
        end_us: Option<i64>,
        names: &ClientNames,
        out: &mut Output<W>,
    ) -> io::Result<()> {
        let fate = life.fate(end_us);
        let due = life.due.and_then(Due::at);
        let late_us = match fate {
            MessageFate::Late if life.transferred.is_none() => end_us
                .zip(due)
                .map(|(end, due)| end - due.get().saturating_mul(1_000)),
            _ => life.late_us,
        };
        if !self.is_late(late_us) {
            return Ok(());
        }
        if self.is_full() && self.matches_all() {
            self.not_shown += 1;
            return Ok(());
        }
        let Some(decoded) = self.chosen(&life.message, life.due, end_us) else {
            return Ok(());
        };
        if !self.is_shown() {
            return Ok(());
        }
        if out.is_json() {
            let mut fields = life_fields(life, fate, late_us);
            names_fields(&mut fields, addresses_of_life(life), |by| {
                (names.always(by), names.only_library(by))
            });
            self.precision_field(&mut fields);
            self.message_fields(&mut fields, &life.message, decoded);
            return out.json(&Value::Object(fields));
        }
        let again = match life.transfers {
            0 | 1 => String::new(),
            times => format!("(transferred {times} times) "),
        };
        let in_vain = match life.in_vain {
            0 => String::new(),
            others => format!("({others} more in vain) "),
        };
        let unasked = if life.asked == Some(FirstAsk::Never) {
            "(no Redisson client asked) "
        } else {
            ""
        };
        let edited = match (&life.edited_from, &life.ended) {
            (_, Some((EventKind::EditedInto { into }, _))) => format!("(now {into}) "),
            (Some((from, _)), _) => format!("(edited from {from}) "),
            _ => String::new(),
        };
        let unheard = match life.announced_to {
            Some(0) => "(announced to nobody) ",
            _ => "",
        };
        let steps = self.steps(life, names);
        let mark = if life.is_presumed { "?" } else { "" };
        let offered_us = life.offered.as_ref().and_then(|offered| offered.at_us);
        let due_us = due.and_then(|due| due.get().checked_mul(1_000));
        let cells = vec![
            self.time(offered_us),
            life.due.map_or_else(dash, |due| due_time(due, None)),
            life.message.id().to_string(),
            format!("{}{mark}", fate.word()),
            late_us.map_or_else(dash, |us| late_span(us, self.precision)),
            life.waited_us()
                .map_or_else(dash, |us| waited_span(us, self.precision)),
            format!(
                "{edited}{again}{in_vain}{unheard}{unasked}{}{steps}",
                decoded.text
            ),
        ];
        let of = (&*life.message.queue, life.message.db);
        self.row(&[offered_us, due_us], of, cells, out)
    }

    /// Words for the steps of a life between its offer and its transfer, behind its text: who knew that it
    /// would fall due, since when it listened, and when somebody asked.
    fn steps(&self, life: &Life, names: &ClientNames) -> String {
        let at = |us: i64| match life.offered.as_ref().and_then(|offered| offered.at_us) {
            Some(beside) => whole(times::exact_beside(us, beside), self.precision),
            None => exact(us, self.precision),
        };
        let time_of = |moment: &Moment| moment.at_us.map_or_else(dash, at);
        let mut steps = Vec::new();
        if let Some(armed) = &life.armed {
            let who = by(armed.by.as_deref(), names);
            steps.push(format!("timer set {} by {who}", time_of(armed)));
        }
        if let Some(listening) = &life.listening {
            steps.push(format!("which listens since {}", time_of(listening)));
        }
        if let Some(asked_us) = asked_us(life) {
            steps.push(format!("first asked for {}", at(asked_us)));
        }
        if steps.is_empty() {
            return String::new();
        }
        format!(" ({})", steps.join(", "))
    }

    /// True when a lateness, in µs, is above the one that was asked for, or none was.
    fn is_late(&self, late_us: Option<i64>) -> bool {
        let over = self.late_over_us;
        over.is_none_or(|over| late_us.is_some_and(|late| late > over))
    }

    /// The decoded payload of a message; none when the flags leave it out.
    fn chosen(
        &self,
        message: &TracedMessage,
        due: Option<Due>,
        at_us: Option<i64>,
    ) -> Option<DecodedPayload> {
        let id = message.id();
        let name = id.to_string();
        if !self.ids.is_empty() && !self.ids.iter().any(|asked| name.starts_with(asked)) {
            return None;
        }
        let decoded = self.habit.decode(message.payload());
        let whole = decoded.whole();
        let seen = EntryParts {
            id,
            due,
            codec: decoded.codec.name(),
            text: &whole,
        };
        let now = EpochMillis::new(at_us.map_or(0, |us| us.div_euclid(1_000)));
        let matches = self.filter.is_empty() || self.filter.matches(&seen, now);
        drop(whole);
        matches.then_some(decoded)
    }

    /// The precision of the times of a line, where that is not a millisecond.
    fn precision_field(&self, fields: &mut Map<String, Value>) {
        if self.precision != Precision::Micro {
            fields.insert("precision_ms".into(), ms(Some(self.precision.error_us())));
        }
    }

    /// A moment of the log, as precisely as it is known.
    fn time(&self, us: Option<i64>) -> String {
        us.map_or_else(dash, |us| exact(us, self.precision))
    }

    fn message_fields(
        &self,
        fields: &mut Map<String, Value>,
        message: &TracedMessage,
        says: DecodedPayload,
    ) {
        let form = message.form().map_or("none", Form::word);
        fields.insert("form".into(), form.into());
        fields.insert("codec".into(), says.codec.name().into());
        fields.insert("value".into(), says.value);
        fields.insert("text".into(), says.text.into());
        if self.raw {
            fields.insert("frame_hex".into(), hex::encode(&message.member).into());
            fields.insert("payload_hex".into(), hex::encode(message.payload()).into());
        }
    }
}

/// The fields of an event, but for what its message says.
fn event_fields(event: &Event) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("event".into(), event.kind.word().into());
    fields.insert("at_ms".into(), ms(event.at_us));
    shape::name(&mut fields, &event.queue.name);
    fields.insert("db".into(), event.db.into());
    let id = event
        .message
        .as_ref()
        .map(|message| message.id().to_string());
    fields.insert("id".into(), json!(id));
    fields.insert("by".into(), address(event.by.as_deref()));
    match event.kind {
        EventKind::Offered { due } | EventKind::Requeued { due } => {
            if event.is_presumed {
                fields.insert("presumed".into(), true.into());
            }
            fields.insert("due_ms".into(), shape::due_ms(Some(due)));
            let delay = due.at().zip(event.at_us);
            let delay = delay.map(|(due, at)| due.get().saturating_sub(at.div_euclid(1_000)));
            fields.insert("delay_ms".into(), json!(delay));
        }
        EventKind::EditedInto { into } => {
            fields.insert("into".into(), into.to_string().into());
        }
        EventKind::EditedFrom { from, due } => {
            fields.insert("from".into(), from.to_string().into());
            fields.insert("due_ms".into(), shape::due_ms(Some(due)));
        }
        EventKind::Announced { to } => {
            fields.insert("to".into(), json!(to));
        }
        EventKind::Transferred {
            late_us,
            place,
            of,
            stays,
        } => {
            fields.insert("late_ms".into(), ms(late_us));
            fields.insert("place".into(), place.into());
            fields.insert("of".into(), of.into());
            fields.insert("stays".into(), stays.into());
            if event.is_presumed {
                fields.insert("presumed".into(), true.into());
            }
        }
        EventKind::Consumed { waited_us } => {
            fields.insert("in_target_ms".into(), ms(waited_us));
            fields.insert("presumed".into(), event.is_presumed.into());
        }
        EventKind::InVain { ref won } => {
            fields.insert("won_by".into(), address(won.by.as_deref()));
            fields.insert("after_ms".into(), ms(after_us(event, won)));
        }
        _ if event.is_presumed => {
            fields.insert("presumed".into(), true.into());
        }
        _ => {}
    }
    fields
}

/// The time at which a client of Redisson first asked for a message that was due, in µs since the epoch.
fn asked_us(life: &Life) -> Option<i64> {
    match life.asked {
        Some(FirstAsk::At(at_us)) => Some(at_us),
        Some(FirstAsk::Never) | None => None,
    }
}

/// The time from a transfer to what came after it, in µs.
fn after_us(event: &Event, won: &Moment) -> Option<i64> {
    event
        .at_us
        .zip(won.at_us)
        .map(|(at, won)| at.saturating_sub(won))
}

/// The fields of a life, but for what its message says.
fn life_fields(life: &Life, fate: MessageFate, late_us: Option<i64>) -> Map<String, Value> {
    let at = |moment: Option<&Moment>| ms(moment.and_then(|moment| moment.at_us));
    let by = |moment: Option<&Moment>| address(moment.and_then(|m| m.by.as_deref()));
    let ended = life.ended.as_ref().map(|(_, moment)| moment);
    let mut fields = Map::new();
    shape::name(&mut fields, &life.message.queue.name);
    fields.insert("db".into(), life.message.db.into());
    fields.insert("id".into(), life.message.id().to_string().into());
    fields.insert("fate".into(), fate.word().into());
    fields.insert("offered_ms".into(), at(life.offered.as_ref()));
    fields.insert("offered_by".into(), by(life.offered.as_ref()));
    if let Some((from, moment)) = &life.edited_from {
        fields.insert("edited_from".into(), from.to_string().into());
        fields.insert("edited_ms".into(), at(Some(moment)));
        fields.insert("edited_by".into(), by(Some(moment)));
    }
    if let Some((EventKind::EditedInto { into }, _)) = &life.ended {
        fields.insert("edited_into".into(), into.to_string().into());
    }
    fields.insert("due_ms".into(), shape::due_ms(life.due));
    fields.insert("announced_ms".into(), ms(life.announced_us));
    fields.insert("announced_to".into(), json!(life.announced_to));
    fields.insert("armed_ms".into(), at(life.armed.as_ref()));
    fields.insert("armed_by".into(), by(life.armed.as_ref()));
    fields.insert("listening_ms".into(), at(life.listening.as_ref()));
    fields.insert("listening_by".into(), by(life.listening.as_ref()));
    fields.insert("asked_ms".into(), ms(asked_us(life)));
    if life.asked == Some(FirstAsk::Never) {
        fields.insert("nobody_asked".into(), true.into());
    }
    fields.insert("requeued".into(), life.requeued.into());
    fields.insert("transferred_ms".into(), at(life.transferred.as_ref()));
    fields.insert("transferred_by".into(), by(life.transferred.as_ref()));
    fields.insert("late_ms".into(), ms(late_us));
    fields.insert("transfers".into(), life.transfers.into());
    fields.insert("in_vain".into(), life.in_vain.into());
    let in_vain_by = life.in_vain_by.iter().map(|by| address(Some(&**by)));
    fields.insert("in_vain_by".into(), in_vain_by.collect());
    fields.insert("consumed_ms".into(), at(life.consumed.as_ref()));
    fields.insert("consumed_by".into(), by(life.consumed.as_ref()));
    fields.insert("in_target_ms".into(), ms(life.waited_us()));
    fields.insert("deliveries".into(), life.deliveries.into());
    fields.insert("presumed".into(), life.is_presumed.into());
    fields.insert("ended_ms".into(), at(ended));
    fields.insert("ended_by".into(), by(ended));
    fields
}

/// µs as ms; null for none.
pub(super) fn ms(us: Option<i64>) -> Value {
    json!(us.map(|us| us.div_euclid(1_000)))
}

fn address(by: Option<&[u8]>) -> Value {
    json!(by.map(String::from_utf8_lossy))
}

pub(super) fn dash() -> String {
    "-".to_owned()
}

/// An address for people: `mail-1 (10.0.3.7:51342, redisson 3.52.0)`.
fn by(address: Option<&[u8]>, names: &ClientNames) -> String {
    let Some(address) = address else {
        return dash();
    };
    let printed = text::printable_bytes(address);
    let library = names.library(address);
    let library = library.map(|library| text::printable_bytes(&library));
    match (names.now(address), library) {
        (Some(name), Some(library)) => {
            format!("{} ({printed}, {library})", text::printable_bytes(name))
        }
        (Some(name), None) => format!("{} ({printed})", text::printable_bytes(name)),
        (None, Some(library)) => format!("{printed} ({library})"),
        (None, None) => printed,
    }
}

/// Adds the names and the libraries of the connections at these addresses, of those that have one.
fn names_fields<'a>(
    fields: &mut Map<String, Value>,
    addresses: impl Iterator<Item = &'a [u8]>,
    known: impl Fn(&[u8]) -> (Option<&'a [u8]>, Option<Vec<u8>>),
) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (mut names, mut libraries) = (Map::new(), Map::new());
    for address in addresses {
        let (name, library) = known(address);
        names.extend(name.map(|name| (text(address), text(name).into())));
        libraries.extend(library.map(|library| (text(address), text(&library).into())));
    }
    for (field, known) in [("names", names), ("libraries", libraries)] {
        if !known.is_empty() {
            fields.insert(field.into(), known.into());
        }
    }
}

/// The addresses of an event.
pub(super) fn addresses_of_event(event: &Event) -> impl Iterator<Item = &[u8]> {
    let won_by = match &event.kind {
        EventKind::InVain { won } => won.by.as_deref(),
        _ => None,
    };
    event.by.as_deref().into_iter().chain(won_by)
}

/// The addresses of a life.
fn addresses_of_life(life: &Life) -> impl Iterator<Item = &[u8]> {
    let ended = life.ended.as_ref().map(|(_, moment)| moment);
    let moments = [
        life.offered.as_ref(),
        life.edited_from.as_ref().map(|(_, moment)| moment),
        life.armed.as_ref(),
        life.listening.as_ref(),
        life.transferred.as_ref(),
        life.consumed.as_ref(),
        ended,
    ];
    let moments = moments.into_iter().flatten();
    let by = moments.filter_map(|moment| moment.by.as_deref());
    by.chain(life.in_vain_by.iter().map(|by| &**by))
}

/// A queue for people, with its database where that is not the first one.
fn queue_words(queue: &Queue, db: u32) -> String {
    let name = text::printable_bytes(queue.name.as_bytes());
    match db {
        0 => name,
        db => format!("{name} (db {db})"),
    }
}

/// A moment of the log in this machine's zone, to the millisecond.
pub(super) fn time(us: Option<i64>) -> String {
    us.map_or_else(dash, times::exact)
}

/// A moment of a log, in µs since the epoch, as precisely as that tells it.
pub(super) fn exact(us: i64, precision: Precision) -> String {
    whole(times::exact(us), precision)
}

/// The words of a moment without what a log does not tell.
pub(super) fn whole(moment: String, precision: Precision) -> String {
    match (precision, moment.rsplit_once('.')) {
        (Precision::Second, Some((whole, _))) => whole.to_owned(),
        _ => moment,
    }
}

/// The lateness of something that happened at a time of a log, for people.
fn late_span(us: i64, precision: Precision) -> String {
    match precision {
        Precision::Micro => signed(us),
        Precision::Second => {
            let most = us.saturating_add(precision.error_us());
            format!("{} to {}", signed(us), signed(most))
        }
    }
}

/// The span between two times of a log, for people.
fn waited_span(us: i64, precision: Precision) -> String {
    let error = precision.error_us();
    match precision {
        Precision::Micro => signed(us),
        Precision::Second => {
            let least = us.saturating_sub(error).max(0);
            format!("{} to {}", signed(least), signed(us.saturating_add(error)))
        }
    }
}

/// A due time; `beside`: the moment, in µs since the epoch, that stands in the same line.
fn due_time(due: Due, beside: Option<i64>) -> String {
    match due {
        Due::At(moment) => match (moment.get().checked_mul(1_000), beside) {
            (Some(us), Some(beside)) => times::exact_beside(us, beside),
            (us, _) => time(us),
        },
        Due::OutOfRange(score) => format!("score {score:e}"),
    }
}

/// A span of µs for people, with a sign where it is negative.
pub(super) fn signed(us: i64) -> String {
    let ms = us.div_euclid(1_000);
    let sign = if ms < 0 { "-" } else { "" };
    format!("{sign}{}", text::span(ms.unsigned_abs()))
}

/// The words of an event before its message's text, for people.
fn what(event: &Event, precision: Precision, names: &ClientNames) -> String {
    match event.kind {
        EventKind::Offered { due } => format!("due {}: ", due_time(due, event.at_us)),
        EventKind::Requeued { due } => {
            let mark = if event.is_presumed { " (presumed)" } else { "" };
            format!("due {} now{mark}: ", due_time(due, event.at_us))
        }
        EventKind::EditedInto { into } => format!("into {into}: "),
        EventKind::EditedFrom { from, due } => {
            format!("from {from}, due {}: ", due_time(due, event.at_us))
        }
        EventKind::Announced { to } => match to {
            Some(0) => "new head, nobody listened: ".to_owned(),
            Some(to) => format!(
                "new head, {} listened: ",
                text::counted(to, "client", "clients")
            ),
            None => "new head: ".to_owned(),
        },
        EventKind::Transferred {
            late_us,
            place,
            of,
            stays,
        } => {
            let error = precision.error_us();
            let late = match late_us {
                Some(us) if error > 0 && us < 0 && us + error > 0 => {
                    format!("{} early to {} late", signed(-us), signed(us + error))
                }
                Some(us) if error > 0 && us < 0 => {
                    format!("{} to {} early", signed(-us - error), signed(-us))
                }
                Some(us) if error > 0 => format!("{} late", late_span(us, precision)),
                Some(us) if us < 0 => format!("{} early", signed(-us)),
                Some(us) => format!("{} late", signed(us)),
                None => "due time not in the log".to_owned(),
            };
            let batch = if of > 1 {
                format!(", {place} of {of}")
            } else {
                String::new()
            };
            let stays = if stays { ", still in timeouts" } else { "" };
            let mark = if event.is_presumed { " (presumed)" } else { "" };
            format!("{late}{batch}{stays}{mark}: ")
        }
        EventKind::Consumed { waited_us } => {
            let mark = if event.is_presumed { " (presumed)" } else { "" };
            match waited_us {
                Some(us) => {
                    let waited = waited_span(us, precision);
                    format!("after {waited} in target{mark}: ")
                }
                None => format!("from target{mark}: "),
            }
        }
        EventKind::InVain { ref won } => match after_us(event, won) {
            Some(after) => format!(
                "{} transferred it {} before: ",
                by(won.by.as_deref(), names),
                signed(after)
            ),
            None => format!("{} transferred it before: ", by(won.by.as_deref(), names)),
        },
        EventKind::Failed => "a transfer ended half-way: ".to_owned(),
        _ if event.is_presumed => "(presumed) ".to_owned(),
        _ => String::new(),
    }
}
