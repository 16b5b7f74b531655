//! The layouts of queues in Redis: the keys, what a member holds, what a score says.
//!
//! All that sets one layout apart from the next is in `capabilities`, and each layout answers it
//! in a file of its own; everybody else asks the [`Queue`], never which layout it has. A new layout
//! is a file beside these, a variant of [`Layout`] and, when it is typed with a prefix, a line of
//! `typed`; one that may be changed brings its scripts.

mod capabilities;
mod meant;
mod redisson;
mod typed;
mod zset_list;

use super::entry::{Due, EntryId};
use super::frame::{Form, FrameError};
use super::name::{self, Keys, QueueName};
use crate::clock::EpochMillis;
use capabilities::Capabilities;
pub use meant::NEVER_MS;
use redisson::Redisson;
pub use typed::{BadQueue, spellings};
pub use zset_list::ZsetList;

/// One delayed queue: a name and a layout.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Queue {
    /// Its name: Redisson's destination name; for `zset-list` the timeouts key.
    pub name: QueueName,
    /// Its layout in Redis.
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

impl Layout {
    /// The answers of its file.
    fn capabilities(&self) -> &dyn Capabilities {
        match self {
            Self::Redisson => &Redisson,
            Self::ZsetList(zset_list) => zset_list,
        }
    }

    /// The word for it in screens, flags and JSON.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.capabilities().word()
    }
}

/// The unit of a score, counted since the epoch.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Unit {
    /// Seconds, fractions allowed.
    #[default]
    Seconds,
    /// Milliseconds.
    Millis,
}

/// The end of target that a due entry is pushed to; consumers take from the other one.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Push {
    /// `LPUSH`, taken with `BRPOP`.
    #[default]
    Left,
    /// `RPUSH`, taken with `BLPOP`.
    Right,
}

/// A member of timeouts without its layout's wrapping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnwrappedMember<'a> {
    /// The id that people call the entry by.
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

    fn capabilities(&self) -> &dyn Capabilities {
        self.layout.capabilities()
    }

    /// The keys (and the channel) that it consists of. What its layout does not have is none there:
    /// an order list, a channel.
    #[must_use]
    pub fn keys(&self) -> Keys {
        self.capabilities().keys(&self.name)
    }

    /// The queue as [`Queue::typed`] reads it.
    #[must_use]
    pub fn spec(&self) -> Vec<u8> {
        self.capabilities().spec(&self.name)
    }

    /// Its name is all that there is to say of it, and its keys are made of that: a scan finds it,
    /// and where none of them is, it is most likely a name that was mistyped.
    #[must_use]
    pub fn is_found_by_name(&self) -> bool {
        self.capabilities().is_found_by_name()
    }

    /// There are scripts that change it; else it is only looked at.
    #[must_use]
    pub fn may_change(&self) -> bool {
        self.capabilities().may_change()
    }

    /// Its members are frames: an id, a length, the payload.
    #[must_use]
    pub fn has_frames(&self) -> bool {
        self.capabilities().has_frames()
    }

    /// Equal messages are as many entries; else a second one would only change the due time of the
    /// first.
    #[must_use]
    pub fn keeps_equal_messages(&self) -> bool {
        self.capabilities().keeps_equal_messages()
    }

    /// The unit of its scores.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.capabilities().unit()
    }

    /// The end of target that new elements come to.
    #[must_use]
    pub fn push(&self) -> Push {
        self.capabilities().push()
    }

    /// New elements come at the head of target, and consumers take from its tail.
    #[must_use]
    pub fn comes_at_head(&self) -> bool {
        self.push() == Push::Left
    }

    /// The type of a key of it when nothing else has taken its name, in the words of TYPE; none of
    /// any other key.
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
        let names = name::names_of_key(&self.keys().timeouts);
        let mut names = names.into_iter().filter(|_| self.is_found_by_name());
        names.find(|name| *name != self.name)
    }

    /// Takes the layout's wrapping off a member of timeouts (or of the order list).
    pub fn unwrap<'a>(&self, member: &'a [u8]) -> Result<UnwrappedMember<'a>, FrameError> {
        self.capabilities().unwrap(member)
    }

    /// The id of the entry with these member bytes.
    #[must_use]
    pub fn id(&self, member: &[u8]) -> EntryId {
        self.unwrap(member)
            .map_or_else(|_| EntryId::of_bytes(member), |u| u.id)
    }

    /// The due time of a score, to the nearest millisecond: a decimal fraction of a second is not
    /// exact in binary, and 1700000000.123 means 123 ms, not 122.
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
        match self.unit() {
            Unit::Millis => score,
            Unit::Seconds => score * 1000.0,
        }
    }

    /// The score that says `due`.
    #[must_use]
    pub fn score(&self, due: EpochMillis) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "times below 1e15 ms are exact")]
        let ms = due.get() as f64;
        match self.unit() {
            Unit::Millis => ms,
            Unit::Seconds => ms / 1000.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::frame;
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
    fn a_layout_with_scripts_may_be_changed_and_one_is_only_looked_at_unless_it_says_so() {
        struct Bare;
        impl Capabilities for Bare {
            fn word(&self) -> &'static str {
                "bare"
            }

            fn keys(&self, name: &QueueName) -> Keys {
                name::redisson_keys(name)
            }

            fn spec(&self, name: &QueueName) -> Vec<u8> {
                name.as_bytes().to_vec()
            }
        }
        assert!(!Bare.may_change());
        for text in ["orders", "zset-list:d,r"] {
            assert!(parsed(text).may_change(), "{text}");
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
