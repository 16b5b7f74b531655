//! All that is known of one message, a line each.

use super::super::author::{self, Author};
use super::super::{LATE_MS, LifeExit, LifeStep, MessageLife, MonitoredLife};
use crate::clock::EpochMillis;
use crate::queue::text;
use crate::trace::EventKind;
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
    let mut card = Card {
        model,
        life,
        room,
        lines: Vec::new(),
    };
    card.facts();
    card.beginning();
    card.way();
    card.end();
    card.unknown();
    card.lines
}

struct Card<'a> {
    model: &'a Model,
    life: &'a MessageLife,
    room: usize,
    lines: Vec<CardLine>,
}

impl Card<'_> {
    fn say(&mut self, label: &str, words: &str, tone: CardTone) {
        let mut label = label.to_owned();
        for words in wrapped(words, self.room) {
            self.lines.push(CardLine {
                label: std::mem::take(&mut label),
                words,
                tone,
            });
        }
    }

    fn at(&self, at: EpochMillis) -> String {
        moments::long(self.model.look.zone, at, self.model.now)
    }

    fn by(&self, moment: Option<&Moment>) -> String {
        Author::of(&self.model.lives.names, moment).whole()
    }

    /// Its payload, and what it is called by.
    fn facts(&mut self) {
        let life = self.life;
        let mut rows = wrapped(&life.text, self.room);
        let is_cut = rows.len() > MOST_ROWS;
        rows.truncate(MOST_ROWS);
        if let Some(last) = rows.last_mut().filter(|_| is_cut) {
            last.push('…');
        }
        if life.text.is_empty() {
            rows = vec!["too large to be shown here".to_owned()];
        }
        let mut label = "payload";
        for row in rows {
            self.lines.push(CardLine {
                label: std::mem::take(&mut label).to_owned(),
                words: row,
                tone: CardTone::Plain,
            });
        }
        self.say("codec", life.codec.name(), CardTone::Dim);
        self.say("id", &life.id.to_string(), CardTone::Dim);
        self.blank();
    }

    fn blank(&mut self) {
        self.lines.push(CardLine {
            label: String::new(),
            words: String::new(),
            tone: CardTone::Plain,
        });
    }

    /// From its offer to its due time.
    fn beginning(&mut self) {
        let life = self.life;
        let told = &life.told;
        match told.offered.as_ref().and_then(time) {
            Some(at) => {
                let delay = life.due.since(at);
                let delay = if life.is_due_known && delay >= 0 {
                    format!(", to be due after {}", text::span(delay.unsigned_abs()))
                } else {
                    String::new()
                };
                let by = self.by(told.offered.as_ref());
                self.say(
                    &self.at(at),
                    &format!("offered{by}{delay}"),
                    CardTone::Plain,
                );
            }
            None => self.say(
                &self.at(life.seen),
                "first seen: it was offered before",
                CardTone::Dim,
            ),
        }
        if life.requeues > 0 {
            let times = text::counted(life.requeues, "time", "times");
            let by = self.by(told.requeued.as_ref());
            let at = told.requeued.as_ref().and_then(time);
            let at = at.map_or_else(String::new, |at| self.at(at));
            let words = format!("given another due time{by}, {times}");
            self.say(&at, &words, CardTone::Warn);
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
            self.say(&self.at(at), &words, tone);
        }
        if !life.is_due_known {
            self.say("due", "when it was due was not seen", CardTone::Dim);
            return;
        }
        let left = life.due.since(self.model.now);
        let (words, tone) = match life.left {
            None if left < 0 => (
                format!("due, and late by {}", text::countdown(-left)),
                CardTone::Late,
            ),
            None => (
                format!("due, in {}", text::countdown(left)),
                CardTone::Plain,
            ),
            Some(_) => ("due".to_owned(), CardTone::Plain),
        };
        self.say(&self.at(life.due), &words, tone);
    }

    /// The words for how long after its due time, and their weight.
    fn after(&self, at: EpochMillis) -> (String, CardTone) {
        if !self.life.is_due_known {
            return (String::new(), CardTone::Plain);
        }
        let ms = at.since(self.life.due);
        let words = match ms {
            0.. => format!(", {} after it was due", text::span(ms.unsigned_abs())),
            _ => format!(", {} before it was due", text::span(ms.unsigned_abs())),
        };
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
            self.say(&self.at(at), &format!("transferred{by}{after}"), tone);
            self.rivals();
        } else if told.ended.is_none()
            && let Some(left) = life.left
        {
            let (after, tone) = self.after(left.at);
            let within = within(left);
            let (words, tone) = if let LifeExit::Ours(change) = life.exit {
                let words = format!("{} from this screen{within}", change.past());
                (words, CardTone::Warn)
            } else if life.left_early() {
                let words = "gone before it was due: polled, moved, removed or lost with its key";
                (format!("{words}{within}"), CardTone::Warn)
            } else if life.exit == LifeExit::Unknown || super::hindrance(self.model).is_some() {
                (format!("gone{after}: transferred or removed{within}"), tone)
            } else {
                (format!("transferred{after}{within}"), tone)
            };
            self.say(&self.at(left.at), &words, tone);
        }
        if let Some(at) = told.consumed.as_ref().and_then(time) {
            let (after, tone) = self.after(at);
            let by = self.by(told.consumed.as_ref());
            let waited = told.transferred.as_ref().and_then(time);
            let waited = waited.map_or_else(String::new, |since| {
                let ms = at.since(since).max(0).unsigned_abs();
                format!(", after {} in target", text::span(ms))
            });
            self.say(&self.at(at), &format!("taken{by}{after}{waited}"), tone);
        } else if let Some(taken) = life.taken {
            let (after, tone) = self.after(taken.at);
            let words = format!("taken{after}{}", within(taken));
            self.say(&self.at(taken.at), &words, tone);
        } else if life.left.is_some() && life.exit.is_transfer() && told.ended.is_none() {
            let words = "in target, or taken since: that was not seen";
            self.say("", words, CardTone::Dim);
        }
        self.repeated();
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
        self.say("", &words, CardTone::Dim);
    }

    /// Tells what happened to it more often than once.
    fn repeated(&mut self) {
        let life = self.life;
        let (transfers, deliveries) = (life.told.transfers, life.told.deliveries);
        if transfers > 1 || transfers == 1 && life.left.is_none() {
            let times = text::counted(transfers, "time", "times");
            let last = match life.left {
                Some(left) => format!("the last time {}", self.at(left.at)),
                None => "and it still waits: a transfer that fails delivers it again".to_owned(),
            };
            let words = format!("transferred {times}, {last}");
            self.say("", &words, CardTone::Late);
        }
        if deliveries > 1 {
            let times = text::counted(deliveries, "time", "times");
            self.say("", &format!("taken {times}"), CardTone::Late);
        }
    }

    /// Another end than that a consumer took it.
    fn end(&mut self) {
        if let Some((kind, moment)) = &self.life.told.ended {
            let by = self.by(Some(moment));
            let at = time(moment).or(self.life.left.map(|left| left.at));
            let at = at.map_or_else(String::new, |at| self.at(at));
            self.say(&at, &format!("{}{by}", ended(kind)), CardTone::Warn);
        }
    }

    /// Tells what could not be seen.
    fn unknown(&mut self) {
        if self.life.told == MonitoredLife::default() {
            self.blank();
            let words = "Who offered, transferred and took it is known only of what happens while \
                         MONITOR runs.";
            self.say("", words, CardTone::Dim);
        }
    }
}

fn time(moment: &Moment) -> Option<EpochMillis> {
    let us = moment.at_us?;
    Some(EpochMillis::new(us.div_euclid(1_000)))
}

/// The words for how much earlier it may have been.
fn within(step: LifeStep) -> String {
    match step.within_ms.unsigned_abs() {
        0 => String::new(),
        ms => format!(" (or up to {} earlier)", text::span(ms)),
    }
}

/// The end of a message that was not transferred.
#[must_use]
pub fn ended(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Polled => "polled away before its transfer",
        EventKind::Removed => "removed",
        EventKind::Deleted => "lost: its key was deleted",
        EventKind::Expired => "lost: its key expired",
        EventKind::Renamed => "lost: its key was renamed",
        other => other.word(),
    }
}
