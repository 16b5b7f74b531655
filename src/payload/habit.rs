//! The reading of the payloads of one queue: with the codec that was chosen for it, else with the
//! one that its payloads vote for, else each by itself.
//!
//! Alone, a short string in CBOR is a text and a small number in msgpack is anything. Beside
//! payloads that only one codec can have written they are that codec's too.

use std::collections::HashSet;

use super::Codec;
use super::decoded::{codec_and_text, reading};
use super::detect::{self, Recognition};
use super::effort::{Effort, Purse};
use super::tree::Shape;
use super::verdict::{Certainty, CodecVerdict};
use super::{DecodedPayload, PayloadReading, jackson, surprise};

/// Payloads that vote, and how long each may be: a vote costs trying every codec.
const VOTERS: usize = 64;
const MAX_VOTER: usize = 4096;

/// Payloads that make a vote where none of them is certain, and how much less they must surprise as
/// that codec's than as texts or bytes, in bits.
const LEAST_VOTERS: usize = 3;
const CLEAR: u32 = 16;
/// Families whose payloads are text.
const TEXTS: [Codec; 3] = [Codec::Text, Codec::Json, Codec::Ion];

/// The reason for a codec that was taken for more than a payload itself.
const CHOSEN: &str = "chosen for this queue";
const VOTED: &str = "as the queue's other payloads; alone it could be another's";

/// The codecs that the payloads of one queue vote for.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Habit {
    /// The codec that was chosen for the queue.
    pub chosen: Option<Codec>,
    /// The codec that its payloads vote for.
    pub voted: Option<Codec>,
    /// The codec that what they have packed votes for.
    pub inside: Option<Codec>,
}

impl Habit {
    /// The habit of a queue for which that codec was chosen, or none.
    #[must_use]
    pub const fn of(chosen: Option<Codec>) -> Self {
        Self {
            chosen,
            voted: None,
            inside: None,
        }
    }

    /// Lets payloads of the queue vote: for the codec that explains nearly all of them, if at least
    /// one of them can be no other's.
    #[must_use]
    pub fn after<'a>(self, payloads: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut poll = Poll::default();
        let short = payloads.into_iter().filter(|p| p.len() <= MAX_VOTER);
        for payload in short.take(VOTERS) {
            poll.ask(payload);
        }
        let mut packed = Poll::default();
        for bytes in &poll.packed {
            packed.ask(bytes);
        }
        Self {
            voted: poll.codec(),
            inside: packed.codec(),
            ..self
        }
    }

    /// Reads a payload of the queue.
    #[must_use]
    pub fn decode(self, payload: &[u8]) -> DecodedPayload {
        if self.chosen == Some(Codec::Unknown) {
            return DecodedPayload::unknown(payload);
        }
        let found = self.find(payload, &mut Purse::Full);
        found.map_or_else(|| DecodedPayload::unknown(payload), DecodedPayload::new)
    }

    /// The same as far as the effort suffices; none if it does not.
    #[must_use]
    pub fn decode_within(self, payload: &[u8], effort: &mut Effort) -> Option<DecodedPayload> {
        if self.chosen == Some(Codec::Unknown) {
            return Some(DecodedPayload::unknown(payload));
        }
        let found = effort.spend(|purse| self.find(payload, purse))?;
        Some(found.map_or_else(|| DecodedPayload::unknown(payload), DecodedPayload::new))
    }

    /// Reads all that there is to be said of a payload of the queue.
    #[must_use]
    pub fn read(self, payload: &[u8]) -> Option<PayloadReading> {
        if self.chosen == Some(Codec::Unknown) {
            return None;
        }
        self.find(payload, &mut Purse::Full).map(reading)
    }

    /// The codec of a payload of the queue and all of it as text: see [`whole`](super::whole).
    #[must_use]
    pub fn whole(self, payload: &[u8]) -> (Codec, String) {
        if self.chosen == Some(Codec::Unknown) {
            return codec_and_text(payload, None);
        }
        codec_and_text(payload, self.find(payload, &mut Purse::Full))
    }

    /// The payload itself as text, if that says whatever it is read as: see
    /// [`plain`](super::plain).
    #[must_use]
    pub fn plain(self, payload: &[u8]) -> Option<&str> {
        let is_plain = |codec| {
            use Codec::{Json, Json3, Text, TypedJson};
            matches!(codec, Text | Json | Json3 | TypedJson)
        };
        let codecs = [self.chosen, self.voted].into_iter().flatten();
        codecs
            .into_iter()
            .all(is_plain)
            .then(|| super::plain(payload))?
    }

    fn find(self, payload: &[u8], purse: &mut Purse<'_>) -> Option<Recognition> {
        let mut found = self.find_outside(payload, purse)?;
        if self.inside.is_some()
            && let Some(bytes) = &found.unpacked
            && let Some(inside) = Self::voted(self.inside).find_outside(bytes, purse)
            && inside.unpacked.is_none()
        {
            found.inner = Some(inside.codec());
            found.also = inside.also;
            found.tree = inside.tree;
        }
        Some(found)
    }

    const fn voted(voted: Option<Codec>) -> Self {
        Self {
            chosen: None,
            voted,
            inside: None,
        }
    }

    fn find_outside(self, payload: &[u8], purse: &mut Purse<'_>) -> Option<Recognition> {
        if let Some(codec) = self.chosen
            && let Some(mut found) = detect::read_as(codec, payload, purse)
        {
            found.verdict.why = CHOSEN;
            return Some(found);
        }
        let alone = detect::recognise(payload, purse);
        if let Some(codec) = self.voted
            && alone.as_ref().is_none_or(|found| is_open(found, codec))
            && let Some(mut found) = detect::read_as_row(codec, payload, purse)
            && !found.is_guess()
        {
            found.verdict.why = VOTED;
            found.verdict.sure = found.verdict.sure.max(Certainty::Plausible);
            found.also.clear();
            return Some(found);
        }
        alone
    }
}

/// Tells whether what was recognised alone can give way to what the queue votes for.
fn is_open(found: &Recognition, voted: Codec) -> bool {
    let CodecVerdict { codec, sure, .. } = found.verdict;
    let tree = &found.tree;
    let is_json = matches!(codec, Codec::Json | Codec::TypedJson);
    codec != voted
        && match voted {
            _ if sure < Certainty::Exact || codec == Codec::Text => true,
            _ if codec == Codec::Json && matches!(tree.shape, Shape::Text(_)) => true,
            // A list of texts is the same in Ion; what has no types can be of either codec of
            // JSON, and much of what has.
            Codec::Ion | Codec::Json => is_json,
            Codec::Json3 => is_json && !jackson::is_version_2(tree),
            Codec::Cbor => codec == Codec::Cbor3,
            Codec::Cbor3 => codec == Codec::Cbor && tree.is_leaf(),
            Codec::Smile => codec == Codec::Smile3,
            Codec::Smile3 => codec == Codec::Smile && tree.is_leaf(),
            Codec::Fory => codec == Codec::Fury,
            Codec::Kryo => codec == Codec::Kryo5,
            Codec::Kryo5 => codec == Codec::Kryo,
            _ => false,
        }
}

/// A poll of the payloads of a queue.
#[derive(Default)]
struct Poll<'a> {
    asked: usize,
    /// Each once: what is offered again and again tells nothing new.
    distinct: HashSet<&'a [u8]>,
    /// The surprise in the distinct ones as bytes that nothing explains.
    noise: u32,
    votes: Vec<Vote>,
    /// The unpacked bytes.
    packed: Vec<Vec<u8>>,
}

/// Votes for a family of codecs.
struct Vote {
    family: &'static [Codec],
    explained: usize,
    /// The bits by which the distinct payloads surprise less as theirs.
    spared: u32,
    /// Codecs that all but certainly wrote a payload, once for each.
    certain: Vec<Codec>,
    /// Payloads that are the same from either of the two with Java types in JSON.
    typed: usize,
}

impl Vote {
    /// The rarity of the family, in bits.
    fn seldom(&self) -> u32 {
        self.family
            .first()
            .map_or(0, |codec| surprise::of_codec(*codec))
    }

    const fn is_certain(&self) -> bool {
        !self.certain.is_empty() || self.typed > 0
    }

    /// The most frequent of the family.
    fn codec(&self) -> Option<Codec> {
        let times = |codec: Codec| self.certain.iter().filter(|one| **one == codec).count();
        if self.family.contains(&Codec::Json3) {
            let (older, newer) = (times(Codec::Json), times(Codec::Json3));
            return Some(if times(Codec::TypedJson) > older + newer + self.typed {
                Codec::TypedJson
            } else if newer > older {
                Codec::Json3
            } else {
                Codec::Json
            });
        }
        self.family
            .iter()
            .copied()
            .max_by_key(|codec| times(*codec))
    }
}

impl<'a> Poll<'a> {
    /// Counts what explains a payload, and which codec it must be.
    fn ask(&mut self, payload: &'a [u8]) {
        self.asked += 1;
        let noise = surprise::of_noise(payload.len());
        let is_new = self.distinct.insert(payload);
        if is_new {
            self.noise += noise;
        }
        let alone = detect::recognise(payload, &mut Purse::Full);
        for (family, found) in detect::explanations(payload) {
            let is_text = family == [Codec::Text];
            if found.is_guess() || is_text && found.verdict.sure == Certainty::Unlikely {
                continue;
            }
            let vote = self.vote(family);
            vote.explained += 1;
            if is_new {
                let surprise = surprise::of(&found.tree);
                vote.spared += noise.saturating_sub(surprise);
            }
        }
        let Some(alone) = alone else {
            return;
        };
        let CodecVerdict { codec, sure, .. } = alone.verdict;
        let family = detect::family(codec);
        if sure >= Certainty::Exact && codec != Codec::Text {
            let vote = self.vote(family);
            // Within a family only objects and lists tell which it is.
            if codec == Codec::Json && !jackson::is_version_2(&alone.tree) {
                vote.typed += usize::from(!alone.tree.is_leaf());
            } else if family.len() == 1 || !alone.tree.is_leaf() {
                vote.certain.push(codec);
            }
        }
        if let Some(bytes) = alone.unpacked
            && bytes.len() <= MAX_VOTER
        {
            self.packed.push(bytes);
        }
    }

    fn vote(&mut self, family: &'static [Codec]) -> &mut Vote {
        let at = self.votes.iter().position(|vote| vote.family == family);
        let at = at.unwrap_or_else(|| {
            self.votes.push(Vote {
                family,
                explained: 0,
                spared: 0,
                certain: Vec::new(),
                typed: 0,
            });
            self.votes.len() - 1
        });
        &mut self.votes[at]
    }

    /// The codec that explains nearly all, if one of them is no other's, or if together they are
    /// so much less surprising as that codec's.
    fn codec(&self) -> Option<Codec> {
        let fits = |vote: &&Vote| vote.explained * 10 >= self.asked * 9;
        let spared = |vote: &Vote| vote.spared.saturating_sub(vote.seldom());
        let likely = |vote: &&Vote| {
            let certain = vote.certain.len() + vote.typed;
            (vote.explained, spared(vote), certain)
        };
        let certain = self.votes.iter().filter(fits).filter(|v| v.is_certain());
        if let Some(most) = certain.max_by_key(likely) {
            return most.codec();
        }
        // What is written as text may be no more than that.
        let is_text = |vote: &&Vote| TEXTS.contains(&vote.family[0]);
        let (texts, others): (Vec<_>, Vec<_>) = self.votes.iter().filter(fits).partition(is_text);
        let text = texts.into_iter().map(|vote| vote.spared).max();
        let most = others.into_iter().max_by_key(|vote| spared(vote))?;
        let is_clear = spared(most) >= text.unwrap_or(0) + CLEAR;
        (is_clear && self.distinct.len() >= LEAST_VOTERS).then(|| most.codec())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(payloads: &[&[u8]]) -> Vec<Codec> {
        let habit = Habit::default().after(payloads.iter().copied());
        payloads.iter().map(|p| habit.decode(p).codec).collect()
    }

    #[test]
    fn what_could_be_anything_alone_is_what_the_others_are() {
        let cbor: &[u8] = b"\xbf\x66@class\x6ecom.acme.Order\x62id\x18\x2a\xff";
        assert_eq!(crate::payload::decode(b"ehello").codec, Codec::Text);
        assert_eq!(read(&[b"ehello", cbor]), [Codec::Cbor; 2]);
        let json: &[u8] = br#"{"id":1}"#;
        assert_eq!(read(&[b"42", json, b"\"x\""]), [Codec::TypedJson; 3]);
    }

    #[test]
    fn texts_stay_texts_whatever_stands_beside_them() {
        let json: &[u8] = br#"{"id":1}"#;
        assert_eq!(read(&[b"hello", json]), [Codec::Text, Codec::TypedJson]);
        assert_eq!(read(&[b"hello", b"ehello", b"42"]), [Codec::Text; 3]);
        let kryo: &[u8] = b"\x03hell\xef";
        assert_eq!(read(&[b"hello", kryo]), [Codec::Text, Codec::Kryo5]);
    }

    #[test]
    fn a_codec_that_was_chosen_reads_what_it_can() {
        let habit = Habit::of(Some(Codec::Cbor));
        assert_eq!(habit.decode(b"ehello").codec, Codec::Cbor);
        assert_eq!(habit.decode(b"ehello").why, CHOSEN);
        assert_eq!(habit.decode(b"{\"a\":1}").codec, Codec::TypedJson);
        let hex = Habit::of(Some(Codec::Unknown)).decode(b"ehello");
        assert_eq!((hex.codec, &*hex.text), (Codec::Unknown, "6568656c6c6f"));
    }
}
