//! How a queue lies in Redis: which keys, what a member holds, what a score says.
//!
//! A layout differs from the next in four things only, and they are all here: where the payload
//! lies, what the score means, where a due entry goes, and what else must change with it.

use std::str::FromStr;

use super::entry::{Due, EntryId};
use super::frame::{self, Form, FrameError};
use super::name::{self, Keys, QueueName};
use crate::clock::EpochMillis;

/// One delayed queue: a name and a layout.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Queue {
    /// Its name: Redisson's destination name; for `zset-list` the timeouts key.
    pub name: QueueName,
    /// How it lies in Redis.
    pub layout: Layout,
}

/// The layouts.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Layout {
    /// Redisson's `RDelayedQueue`.
    Redisson,
    /// The plain queue: a sorted set and a ready list.
    ZsetList(ZsetList),
}

/// The parameters of a `zset-list` queue; its timeouts key is the queue's name.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ZsetList {
    /// The ready list.
    pub target: Vec<u8>,
    /// What a score counts.
    pub unit: Unit,
    /// Which end of the ready list a due entry is pushed to.
    pub push: Push,
}

/// What a score counts since the epoch.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Unit {
    /// Seconds, fractions allowed.
    #[default]
    Seconds,
    /// Milliseconds.
    Millis,
}

/// Which end of the ready list a due entry is pushed to; consumers take from the other one.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Push {
    /// `LPUSH`, taken with `BRPOP`.
    #[default]
    Left,
    /// `RPUSH`, taken with `BLPOP`.
    Right,
}

/// From here on Redis prints a score as `1e+17`, which Redisson's `Long.valueOf` cannot read.
const MAX_SCORE: f64 = 1e17;

/// What a member holds, once its layout's wrapping is off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unwrapped<'a> {
    /// What people call the entry by.
    pub id: EntryId,
    /// The frame form; none in a layout without frames.
    pub form: Option<Form>,
    /// The message's bytes.
    pub payload: &'a [u8],
}

impl Queue {
    /// A Redisson queue of that name.
    pub fn redisson(name: impl Into<Vec<u8>>) -> Self {
        Self {
            name: QueueName::new(name),
            layout: Layout::Redisson,
        }
    }

    /// Where it lies.
    #[must_use]
    pub fn keys(&self) -> Keys {
        match &self.layout {
            Layout::Redisson => name::redisson_keys(&self.name),
            Layout::ZsetList(z) => Keys {
                timeouts: self.name.as_bytes().to_vec(),
                order: None,
                target: z.target.clone(),
                channel: None,
            },
        }
    }

    /// Takes the layout's wrapping off a member of timeouts (or of the order list).
    pub fn unwrap<'a>(&self, member: &'a [u8]) -> Result<Unwrapped<'a>, FrameError> {
        match self.layout {
            Layout::Redisson => {
                let f = frame::decode(member)?;
                Ok(Unwrapped {
                    id: EntryId(f.id),
                    form: Some(f.form),
                    payload: f.payload,
                })
            }
            Layout::ZsetList(_) => Ok(Unwrapped {
                id: EntryId::of_bytes(member),
                form: None,
                payload: member,
            }),
        }
    }

    /// What people call the entry with these member bytes by.
    #[must_use]
    pub fn id(&self, member: &[u8]) -> EntryId {
        self.unwrap(member)
            .map_or_else(|_| EntryId::of_bytes(member), |u| u.id)
    }

    /// What a score says.
    #[must_use]
    pub fn due(&self, score: f64) -> Due {
        let ms = match self.layout.unit() {
            Unit::Millis => score,
            Unit::Seconds => score * 1000.0,
        };
        if !ms.is_finite() || score < 0.0 || ms >= MAX_SCORE {
            return Due::OutOfRange(score);
        }
        #[expect(clippy::cast_possible_truncation, reason = "checked: 0 ≤ ms < 1e17")]
        Due::At(EpochMillis::new(ms.floor() as i64))
    }

    /// The score that says `due`.
    #[must_use]
    pub fn score(&self, due: EpochMillis) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "times below 1e15 ms are exact")]
        let ms = due.get() as f64;
        match self.layout.unit() {
            Unit::Millis => ms,
            Unit::Seconds => ms / 1000.0,
        }
    }
}

impl Layout {
    /// The word for it in screens, flags and JSON.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Redisson => "redisson",
            Self::ZsetList(_) => "zset-list",
        }
    }

    /// What its scores count.
    #[must_use]
    pub const fn unit(&self) -> Unit {
        match self {
            Self::Redisson => Unit::Millis,
            Self::ZsetList(z) => z.unit,
        }
    }
}

/// A queue as it is given on the command line: `NAME`, or
/// `zset-list:TIMEOUTS,TARGET[,s|ms][,left|right]`.
impl FromStr for Queue {
    type Err = BadQueue;

    fn from_str(s: &str) -> Result<Self, BadQueue> {
        let Some(spec) = s.strip_prefix("zset-list:") else {
            return if s.is_empty() {
                Err(BadQueue::Empty)
            } else {
                Ok(Self::redisson(s))
            };
        };
        let mut parts = spec.split(',');
        let (Some(timeouts), Some(target)) = (parts.next(), parts.next()) else {
            return Err(BadQueue::NoTarget(s.to_owned()));
        };
        if timeouts.is_empty() || target.is_empty() {
            return Err(BadQueue::NoTarget(s.to_owned()));
        }
        let (mut unit, mut push) = (Unit::default(), Push::default());
        for word in parts {
            match word {
                "s" => unit = Unit::Seconds,
                "ms" => unit = Unit::Millis,
                "left" => push = Push::Left,
                "right" => push = Push::Right,
                _ => return Err(BadQueue::Word(word.to_owned())),
            }
        }
        let zset_list = ZsetList {
            target: target.into(),
            unit,
            push,
        };
        Ok(Self {
            name: timeouts.into(),
            layout: Layout::ZsetList(zset_list),
        })
    }
}

/// Why a text does not name a queue.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum BadQueue {
    /// Nothing was given.
    #[error("a queue needs a name")]
    Empty,
    /// `zset-list:` without its two keys.
    #[error("{0:?} lacks a key: write zset-list:TIMEOUTS,TARGET[,s|ms][,left|right]")]
    NoTarget(String),
    /// A word that is neither a unit nor an end.
    #[error("{0:?} is neither a unit (s, ms) nor an end of the target (left, right)")]
    Word(String),
}
