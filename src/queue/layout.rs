//! How a queue lies in Redis: which keys, what a member holds, what a score says.
//!
//! A layout differs from the next in four things only, and they are all here: where the payload
//! lies, what the score means, where a due entry goes, and what else must change with it.

mod meant;
mod typed;

use super::entry::{Due, EntryId};
use super::frame::{self, Form, FrameError};
use super::name::{self, Keys, QueueName};
use crate::clock::EpochMillis;
pub use meant::NEVER_MS;
pub use typed::BadQueue;

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

    /// Whether new elements come at the head of target, and consumers take from its tail.
    #[must_use]
    pub fn comes_at_head(&self) -> bool {
        matches!(&self.layout, Layout::ZsetList(z) if z.push == Push::Left)
    }

    /// Where it lies.
    #[must_use]
    pub fn keys(&self) -> Keys {
        match &self.layout {
            Layout::Redisson => name::redisson_keys(&self.name),
            Layout::ZsetList(z) => Keys {
                timeouts: self.name.as_bytes().to_vec(),
                order: None,
                aside: None,
                target: z.target.clone(),
                quarantine: name::plain_quarantine(&self.name),
                hold: name::plain_hold(&z.target),
                channel: None,
            },
        }
    }

    /// What a key of it is when nothing else has taken its name, in the words of TYPE; none of any
    /// other key.
    #[must_use]
    pub fn kind_of(&self, key: &[u8]) -> Option<&'static str> {
        let keys = self.keys();
        if key == keys.timeouts {
            return Some("zset");
        }
        let is_list = key == keys.target || keys.order.as_deref() == Some(key);
        is_list.then_some("list")
    }

    /// The other name whose queue has the same keys but for its target: `{orders}` has those of
    /// `orders`.
    #[must_use]
    pub fn twin(&self) -> Option<QueueName> {
        let Layout::Redisson = self.layout else {
            return None;
        };
        let names = name::names_of_key(&self.keys().timeouts);
        names.into_iter().find(|name| *name != self.name)
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

    /// What a score says, to the nearest millisecond: a decimal fraction of a second is not exact
    /// in binary, and 1700000000.123 means 123 ms, not 122.
    #[must_use]
    pub fn due(&self, score: f64) -> Due {
        let ms = self.ms(score);
        if !ms.is_finite() || score < 0.0 || score >= self.no_time() {
            return Due::OutOfRange(score);
        }
        #[expect(clippy::cast_possible_truncation, reason = "checked: 0 ≤ ms < 1e17")]
        Due::At(EpochMillis::new(ms.round() as i64))
    }

    /// A score in ms.
    fn ms(&self, score: f64) -> f64 {
        match self.layout.unit() {
            Unit::Millis => score,
            Unit::Seconds => score * 1000.0,
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Queue {
        text.parse().unwrap()
    }

    fn bad(text: &str) -> String {
        text.parse::<Queue>().unwrap_err().to_string()
    }

    fn in_seconds() -> Queue {
        parsed("zset-list:delay,ready")
    }

    fn in_millis() -> Queue {
        parsed("zset-list:delay,ready,ms")
    }

    #[test]
    fn a_plain_name_is_a_redisson_queue() {
        for name in ["orders", "{orders}", "a,b", "zset-list", "a:b", "订单"] {
            let queue = parsed(name);
            assert_eq!(queue, Queue::redisson(name));
            assert_eq!(queue.keys().target, name.as_bytes());
        }
    }

    #[test]
    fn a_queue_is_written_as_it_is_typed() {
        for text in ["orders", "zset-list:d,r,s,left", "zset-list:d,r,ms,right"] {
            assert_eq!(parsed(text).spec(), text.as_bytes());
        }
    }

    #[test]
    fn a_zset_list_queue_counts_seconds_and_pushes_left_unless_told_otherwise() {
        let queue = in_seconds();
        assert_eq!(queue.name, "delay".into());
        let z = ZsetList {
            target: b"ready".to_vec(),
            unit: Unit::Seconds,
            push: Push::Left,
        };
        assert_eq!(queue.layout, Layout::ZsetList(z.clone()));
        for (text, unit, push) in [
            ("zset-list:delay,ready,ms", Unit::Millis, Push::Left),
            ("zset-list:delay,ready,right", Unit::Seconds, Push::Right),
            ("zset-list:delay,ready,ms,right", Unit::Millis, Push::Right),
            ("zset-list:delay,ready,left,s", Unit::Seconds, Push::Left),
        ] {
            let told = ZsetList {
                unit,
                push,
                ..z.clone()
            };
            assert_eq!(parsed(text).layout, Layout::ZsetList(told), "{text}");
        }
    }

    #[test]
    fn a_name_and_the_same_in_braces_are_twins() {
        let twin = |text: &str| parsed(text).twin().map(|name| name.to_string());
        assert_eq!(twin("orders").as_deref(), Some("{orders}"));
        assert_eq!(twin("{orders}").as_deref(), Some("orders"));
        for alone in ["a{b}c", "{a}{b}", "zset-list:a,b"] {
            assert_eq!(twin(alone), None, "{alone}");
        }
    }

    #[test]
    fn a_zset_list_queue_has_neither_order_list_nor_channel() {
        let keys = in_seconds().keys();
        assert_eq!(
            (keys.timeouts, keys.target),
            (b"delay".to_vec(), b"ready".to_vec())
        );
        assert_eq!((keys.order, keys.channel), (None, None));
    }

    #[test]
    fn what_names_no_queue_is_told_why() {
        assert_eq!(bad(""), "a queue needs a name");
        for lacking in ["zset-list:", "zset-list:a", "zset-list:a,", "zset-list:,b"] {
            assert!(bad(lacking).contains("lacks a key"), "{lacking}");
        }
        assert!(bad("zset-list:a,b,h").starts_with("\"h\" is neither a unit"));
        assert!(bad("zset-list:a,b,").starts_with("\"\" is neither a unit"));
        assert!(bad("zset-list:a,a").starts_with("\"a\" cannot be both"));
    }

    #[test]
    fn a_score_is_a_due_time_in_the_queues_unit() {
        let at = |ms| Due::At(EpochMillis::new(ms));
        let redisson = Queue::redisson("q");
        assert_eq!(redisson.due(1_700_000_000_123.0), at(1_700_000_000_123));
        assert_eq!(in_millis().due(1_700_000_000_123.0), at(1_700_000_000_123));
        assert_eq!(in_seconds().due(1_700_000_000.123), at(1_700_000_000_123));
        assert_eq!(in_seconds().due(1_700_000_000.0), at(1_700_000_000_000));
        assert_eq!(redisson.due(0.0), at(0));
        assert_eq!(redisson.due(-0.0), at(0));
        assert_eq!(redisson.due(9.9e16), at(99_000_000_000_000_000));
    }

    #[test]
    fn a_score_that_nobody_can_mean_as_a_time_is_out_of_range() {
        for queue in [Queue::redisson("q"), in_seconds(), in_millis()] {
            for score in [
                -5.0,
                -9.223_372_036_9e18,
                1e17,
                f64::INFINITY,
                f64::NEG_INFINITY,
            ] {
                assert_eq!(queue.due(score), Due::OutOfRange(score));
            }
            assert!(matches!(queue.due(f64::NAN), Due::OutOfRange(score) if score.is_nan()));
        }
        // Seconds run out sooner than milliseconds.
        for score in [1e11, 1.7e12, 1e14] {
            assert_eq!(in_seconds().due(score), Due::OutOfRange(score));
        }
    }

    #[test]
    fn a_member_of_a_zset_list_queue_is_its_payload() {
        let unwrapped = in_seconds().unwrap(b"hello").unwrap();
        assert_eq!((unwrapped.form, unwrapped.payload), (None, &b"hello"[..]));
        assert_eq!(unwrapped.id.to_string(), "aaf4c61ddcc5e8a2");
    }

    #[test]
    fn a_member_of_a_redisson_queue_is_called_by_the_id_in_its_frame() {
        let member = frame::encode(Form::ByteId, *b"12345678", b"hello");
        let queue = Queue::redisson("q");
        let unwrapped = queue.unwrap(&member).unwrap();
        assert_eq!(unwrapped.form, Some(Form::ByteId));
        assert_eq!(unwrapped.payload, b"hello");
        assert_eq!(queue.id(&member).to_string(), "3132333435363738");
        // What is no frame has an id all the same.
        assert!(queue.unwrap(b"hello").is_err());
        assert_eq!(queue.id(b"hello").to_string(), "aaf4c61ddcc5e8a2");
    }

    proptest! {
        #[test]
        fn every_due_time_survives_its_score(ms in 0_i64..100_000_000_000_000) {
            for queue in [Queue::redisson("q"), in_seconds(), in_millis()] {
                let due = EpochMillis::new(ms);
                prop_assert_eq!(queue.due(queue.score(due)), Due::At(due));
                // As Redis prints it and we read it back.
                let text = queue.score(due).to_string();
                prop_assert_eq!(queue.due(text.parse().unwrap()), Due::At(due));
            }
        }

        #[test]
        fn no_score_and_no_text_panics(score: f64, text in "(zset-list:)?.{0,20}") {
            let _ = in_seconds().due(score);
            let _ = text.parse::<Queue>();
        }
    }
}
