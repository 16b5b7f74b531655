//! All that is known of one message, a line each, what happened in the order of time.

use super::super::author::{self, Author};
use super::super::{LATE_MS, LifeExit, LifeStep, MessageLife, MonitoredLife, words_of_end};
use crate::clock::EpochMillis;
use crate::payload::Codec;
use crate::queue::text;
use crate::trace::life::Moment;
use crate::tui::model::Model;
use crate::tui::moments;
use crate::tui::widget::wrap::wrapped;

/// Columns of the times and the names of facts.
pub const LABEL: u16 = 14;

/// Rows of the payload.
const MOST_ROWS: usize = 8;

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub struct CardLine {
    /// Its time, or the name of a fact; empty where the line before goes on.
    pub label: String,
    /// Its words.
    pub words: String,
    /// Their weight.
    pub tone: CardTone,
}

/// The weight of a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CardTone {
    /// As it should be.
    Plain,
    /// Something beside what matters.
    Dim,
    /// Late, or more often than once.
    Late,
    /// Not what a message is for.
    Warn,
}

/// The lines, each of so many columns at most.
#[must_use]
pub fn lines(model: &Model, life: &MessageLife, columns: usize) -> Vec<CardLine> {
    let room = columns.saturating_sub(usize::from(LABEL)).max(8);
    let mut lines = facts(life, room);
    let mut steps = Steps {
        model,
        life,
        all: Vec::new(),
    };
    steps.beginning();
    steps.way();
    steps.end();
    // What has no time of its own stays behind what it is said of.
    steps.all.sort_by_key(|step| step.order);
    for step in steps.all {
        let zone = model.look.zone;
        let at = step.at.map(|at| moments::long(zone, at, model.now));
        let label = at.unwrap_or_default();
        lines.extend(rows(&label, &step.words, step.tone, room));
    }
    if life.told == MonitoredLife::default() && model.lives.tracing.is_none() {
        lines.extend(rows("", "", CardTone::Plain, room));
        let words = "Who offered, transferred and took it is known only of what happens while \
                     MONITOR runs.";
        lines.extend(rows("", words, CardTone::Dim, room));
    }
    lines
}

/// A line, and those that it goes on in.
fn rows(label: &str, words: &str, tone: CardTone, room: usize) -> Vec<CardLine> {
    let mut label = label.to_owned();
    let rows = wrapped(words, room).into_iter();
    let rows = rows.map(|words| CardLine {
        label: std::mem::take(&mut label),
        words,
        tone,
    });
    rows.collect()
}

/// Its payload, and what it is called by.
fn facts(life: &MessageLife, room: usize) -> Vec<CardLine> {
    let says = match (life.text.is_empty(), life.codec) {
        (true, Codec::Unknown) => "too large to be shown here",
        (true, _) => "empty",
        (false, _) => &life.text,
    };
    let mut lines = rows("payload", says, CardTone::Plain, room);
    if lines.len() > MOST_ROWS {
        lines.truncate(MOST_ROWS);
        lines[MOST_ROWS - 1].words.push('…');
    }
    lines.extend(rows("codec", life.codec.name(), CardTone::Dim, room));
    lines.extend(rows("id", &life.id.to_string(), CardTone::Dim, room));
    lines.extend(rows("", "", CardTone::Plain, room));
    lines
}

/// Something that happened to it.
struct CardStep {
    /// When; none of what is said of the step before, or where that is not known.
    at: Option<EpochMillis>,
    /// Its place in the order of time.
    order: EpochMillis,
    words: String,
    tone: CardTone,
}

struct Steps<'a> {
    model: &'a Model,
    life: &'a MessageLife,
    all: Vec<CardStep>,
}

impl Steps<'_> {
    fn say(&mut self, at: Option<EpochMillis>, words: String, tone: CardTone) {
        let before = self.all.last().map(|step| step.order);
        let order = at.or(before).unwrap_or(self.life.seen);
        self.all.push(CardStep {
            at,
            order,
            words,
            tone,
        });
    }

    fn by(&self, moment: Option<&Moment>) -> String {
        Author::of(&self.model.lives.names, moment).whole()
    }

    /// From its offer to its due time.
    fn beginning(&mut self) {
        let life = self.life;
        let told = &life.told;
        if let Some(at) = told.offered.as_ref().and_then(time) {
            let ms = life.due.since(at);
            let delay = if life.is_due_known && ms >= 0 && life.requeues == 0 {
                format!(", to be due after {}", rounded(ms))
            } else {
                String::new()
            };
            let by = self.by(told.offered.as_ref());
            self.say(Some(at), format!("offered{by}{delay}"), CardTone::Plain);
        } else {
            let words = "first seen: it was offered before".to_owned();
            self.say(Some(life.seen), words, CardTone::Dim);
        }
        if life.requeues > 0 {
            let times = text::counted(life.requeues, "time", "times");
            let by = self.by(told.requeued.as_ref());
            let at = told.requeued.as_ref().and_then(time);
            let words = format!("given another due time, or put back{by}, {times}");
            self.say(at, words, CardTone::Warn);
        }
        if let Some(at) = life.announced {
            let published = "its due time was published";
            let (words, tone) = match told.announced_to {
                Some(0) => (format!("{published}, and nobody listened"), CardTone::Late),
                Some(count) => {
                    let count = text::counted(count, "client", "clients");
                    (format!("{published} to {count}"), CardTone::Plain)
                }
                None => (published.to_owned(), CardTone::Plain),
            };
            self.say(Some(at), words, tone);
        }
        self.due();
    }

    fn due(&mut self) {
        let life = self.life;
        if !life.is_due_known {
            let words = "when it was due was not seen".to_owned();
            self.say(None, words, CardTone::Dim);
            return;
        }
        let left = life.due.since(self.model.now);
        let (words, tone) = match life.left {
            None if left < 0 => {
                let late = text::countdown(-left);
                (format!("due, and late by {late}"), CardTone::Late)
            }
            None => (
                format!("due, in {}", text::countdown(left)),
                CardTone::Plain,
            ),
            Some(left) if left.at < life.due => ("would have been due".to_owned(), CardTone::Dim),
            Some(_) => ("due".to_owned(), CardTone::Plain),
        };
        self.say(Some(life.due), words, tone);
    }

    /// The words for how long after its due time, and their weight.
    fn after(&self, at: EpochMillis) -> (String, CardTone) {
        if !self.life.is_due_known {
            return (String::new(), CardTone::Plain);
        }
        let ms = at.since(self.life.due);
        let side = if ms < 0 { "before" } else { "after" };
        let words = format!(", {} {side} it was due", text::span(ms.unsigned_abs()));
        let tone = if ms > LATE_MS {
            CardTone::Late
        } else {
            CardTone::Plain
        };
        (words, tone)
    }

    /// From timeouts to target and out of it.
    fn way(&mut self) {
        let life = self.life;
        let told = &life.told;
        if let Some(at) = told.transferred.as_ref().and_then(time) {
            let (after, tone) = self.after(at);
            let by = self.by(told.transferred.as_ref());
            self.say(Some(at), format!("transferred{by}{after}"), tone);
            self.rivals();
        } else if told.ended.is_none()
            && let Some(left) = life.left
        {
            self.left(left);
        }
        self.repeated();
        if let Some(at) = told.consumed.as_ref().and_then(time) {
            let (after, tone) = self.after(at);
            let by = self.by(told.consumed.as_ref());
            let waited = told.transferred.as_ref().and_then(time);
            let waited = waited.map_or_else(String::new, |since| {
                let ms = at.since(since).max(0).unsigned_abs();
                format!(", after {} in target", text::span(ms))
            });
            self.say(Some(at), format!("taken{by}{after}{waited}"), tone);
        } else if let Some(taken) = life.taken {
            let (after, tone) = self.after(taken.at);
            let words = format!("taken{after}{}", within(taken));
            self.say(Some(taken.at), words, tone);
        } else if life.left.is_some() && life.exit.is_transfer() && told.ended.is_none() {
            let words = "in target, or taken since: that was not seen".to_owned();
            self.say(None, words, CardTone::Dim);
        }
        if told.deliveries > 1 {
            let times = text::counted(told.deliveries, "time", "times");
            self.say(None, format!("taken {times}"), CardTone::Late);
        }
    }

    /// It left timeouts, as a refresh has seen.
    fn left(&mut self, left: LifeStep) {
        let (after, tone) = self.after(left.at);
        let within = within(left);
        let (words, tone) = match self.life.exit {
            LifeExit::Ours(change) => {
                let words = format!("{} from this screen{within}", change.past());
                (words, CardTone::Warn)
            }
            _ if self.life.left_early() => {
                let words = "gone before it was due: polled, moved, removed or lost with its key";
                (format!("{words}{within}"), CardTone::Warn)
            }
            LifeExit::Unknown => (format!("gone{after}: transferred or removed{within}"), tone),
            LifeExit::Transfer => (format!("transferred{after}{within}"), tone),
        };
        self.say(Some(left.at), words, tone);
    }

    /// Tells who ran its transfer after the first one.
    fn rivals(&mut self) {
        let in_vain = &self.life.told.in_vain;
        if in_vain.is_empty() {
            return;
        }
        let who = author::listed(&self.model.lives.names, in_vain.iter().map(|by| &**by));
        let count = text::counted(in_vain.len() as u64, "client", "clients");
        let words = format!("{count} ran the same transfer in vain: {who}");
        self.say(None, words, CardTone::Dim);
    }

    /// Tells of transfers after the first one.
    fn repeated(&mut self) {
        let life = self.life;
        let transfers = life.told.transfers;
        if transfers > 1 || transfers == 1 && life.left.is_none() {
            let times = text::counted(transfers, "time", "times");
            let last = match life.left {
                Some(left) => {
                    let zone = self.model.look.zone;
                    let at = moments::long(zone, left.at, self.model.now);
                    format!("the last time {at}")
                }
                None => "and it still waits: a transfer that fails delivers it again".to_owned(),
            };
            self.say(None, format!("transferred {times}, {last}"), CardTone::Late);
        }
    }

    /// Another end than that a consumer took it.
    fn end(&mut self) {
        if let Some((kind, moment)) = &self.life.told.ended {
            let by = self.by(Some(moment));
            let at = time(moment).or(self.life.left.map(|left| left.at));
            let words = format!("{}{by}", words_of_end(kind));
            self.say(at, words, CardTone::Warn);
        }
    }
}

fn time(moment: &Moment) -> Option<EpochMillis> {
    let us = moment.at_us?;
    Some(EpochMillis::new(us.div_euclid(1_000)))
}

/// A delay as it was meant: the few ms that an offer takes are not of it.
fn rounded(ms: i64) -> String {
    let unit = match ms {
        ..1_000 => 1,
        1_000..10_000 => 100,
        10_000.. => 1_000,
    };
    text::span((ms + unit / 2).unsigned_abs())
}

/// The words for how much earlier it may have been.
fn within(step: LifeStep) -> String {
    match step.within_ms.unsigned_abs() {
        0 => String::new(),
        ms => format!(" (or up to {} earlier)", text::span(ms)),
    }
}
