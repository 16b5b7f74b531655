//! How the payloads of one queue are read: with the codec that was chosen for it, else with the
//! one that its payloads vote for, else each by itself.
//!
//! Alone, a short string in CBOR is a text and a small number in msgpack is anything. Beside
//! payloads that only one codec can have written they are that codec's too.

use super::codec::Codec;
use super::detect::{self, Found};
use super::rows::{Sure, Verdict};
use super::tree::Shape;
use super::{Decoded, Reading, jackson, reading};

/// Payloads that vote, and how long each may be: a vote costs trying every codec.
const VOTERS: usize = 64;
const MAX_VOTER: usize = 4096;

/// Why a codec was taken, other than by a payload itself.
const CHOSEN: &str = "chosen for this queue";
const VOTED: &str = "as the queue's other payloads; alone it could be another's";

/// How the payloads of one queue are read.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Habit {
    /// The codec that was chosen for the queue.
    pub chosen: Option<Codec>,
    /// The codec that its payloads vote for.
    pub voted: Option<Codec>,
}

impl Habit {
    /// Of a queue for which that codec was chosen, or none.
    #[must_use]
    pub const fn of(chosen: Option<Codec>) -> Self {
        Self {
            chosen,
            voted: None,
        }
    }

    /// Lets payloads of the queue vote: for the codec that explains nearly all of them, if at least
    /// one of them can be no other's.
    #[must_use]
    pub fn after<'a>(self, payloads: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut votes: Vec<Vote> = Vec::new();
        let mut all = 0;
        let short = payloads.into_iter().filter(|p| p.len() <= MAX_VOTER);
        for payload in short.take(VOTERS) {
            all += 1;
            count(payload, &mut votes);
        }
        let fits = |vote: &&Vote| vote.is_certain() && vote.explained * 10 >= all * 9;
        let most = votes.iter().filter(fits);
        let most = most.max_by_key(|vote| (vote.explained, vote.certain.len() + vote.typed));
        Self {
            voted: most.and_then(Vote::codec),
            ..self
        }
    }

    /// Reads a payload of the queue.
    #[must_use]
    pub fn decode(self, payload: &[u8]) -> Decoded {
        if self.chosen == Some(Codec::Unknown) {
            return Decoded::unknown(payload);
        }
        let found = self.find(payload);
        found.map_or_else(|| Decoded::unknown(payload), Decoded::new)
    }

    /// Reads all that there is to be said of a payload of the queue.
    #[must_use]
    pub fn read(self, payload: &[u8]) -> Option<Reading> {
        if self.chosen == Some(Codec::Unknown) {
            return None;
        }
        self.find(payload).map(reading)
    }

    /// The codec of a payload of the queue and all of it as text: see [`whole`](super::whole).
    #[must_use]
    pub fn whole(self, payload: &[u8]) -> (Codec, String) {
        if self.chosen == Some(Codec::Unknown) {
            return super::told(payload, None);
        }
        super::told(payload, self.find(payload))
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

    fn find(self, payload: &[u8]) -> Option<Found> {
        if let Some(codec) = self.chosen
            && let Some(mut found) = detect::read_as(codec, payload)
        {
            found.verdict.why = CHOSEN;
            return Some(found);
        }
        let alone = detect::recognise(payload);
        if let Some(codec) = self.voted
            && alone.as_ref().is_none_or(|found| is_open(found, codec))
            && let Some(mut found) = detect::read_as(codec, payload)
            && !is_guess(&found)
        {
            found.verdict.why = VOTED;
            found.verdict.sure = found.verdict.sure.max(Sure::Plausible);
            return Some(found);
        }
        alone
    }
}

/// Whether what was recognised alone can give way to what the queue votes for.
fn is_open(found: &Found, voted: Codec) -> bool {
    let Verdict { codec, sure, .. } = found.verdict;
    let tree = &found.tree;
    let is_json = matches!(codec, Codec::Json | Codec::TypedJson);
    codec != voted
        && match voted {
            _ if sure < Sure::Exact || codec == Codec::Text => true,
            _ if codec == Codec::Json && matches!(tree.shape, Shape::Text(_)) => true,
            // A list of texts is the same in Ion.
            Codec::Ion => is_json,
            // What has no types can be of either codec, and much of what has.
            Codec::Json => is_json,
            Codec::Json3 => is_json && !jackson::is_version_2(tree),
            Codec::Cbor => codec == Codec::Cbor3,
            Codec::Cbor3 => codec == Codec::Cbor && tree.is_leaf(),
            Codec::Smile => codec == Codec::Smile3,
            Codec::Smile3 => codec == Codec::Smile && tree.is_leaf(),
            Codec::Fory => codec == Codec::Fury,
            _ => false,
        }
}

/// What is said for a family of codecs.
struct Vote {
    family: &'static [Codec],
    explained: usize,
    /// Which of them all but certainly wrote a payload, once for each.
    certain: Vec<Codec>,
    /// Payloads that are the same from either of the two with Java types in JSON.
    typed: usize,
}

impl Vote {
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

/// Whether nothing is said but that there is an object, or too much of it.
fn is_guess(found: &Found) -> bool {
    matches!(found.tree.shape, Shape::Nameless(_) | Shape::Cut(_))
        && found.verdict.sure < Sure::Exact
}

/// Counts what explains a payload, and which codec it must be.
fn count(payload: &[u8], votes: &mut Vec<Vote>) {
    let mut is_certain = false;
    for (family, found) in detect::explanations(payload) {
        let sure = found.verdict.sure;
        if family == [Codec::Text] || is_guess(&found) {
            is_certain |= sure >= Sure::Exact;
            continue;
        }
        let at = votes.iter().position(|vote| vote.family == family);
        let at = at.unwrap_or_else(|| {
            votes.push(Vote {
                family,
                explained: 0,
                certain: Vec::new(),
                typed: 0,
            });
            votes.len() - 1
        });
        votes[at].explained += 1;
        // The first is taken; within a family only objects and lists tell which it is.
        if sure >= Sure::Exact && !is_certain {
            is_certain = true;
            let codec = found.verdict.codec;
            if codec == Codec::Json && !jackson::is_version_2(&found.tree) {
                votes[at].typed += usize::from(!found.tree.is_leaf());
            } else if family.len() == 1 || !found.tree.is_leaf() {
                votes[at].certain.push(codec);
            }
        }
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
