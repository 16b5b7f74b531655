//! A sample of a queue's members, judged: which frame form each has, and which clients can unpack
//! it. Bounded; kept without the members' bytes.

use std::hash::{DefaultHasher, Hasher};

use super::entry::{Due, EntryId};
use super::frame::{self, Era, Form, Unpack};
use super::known::Known;
use super::layout::Queue;
use super::text;
use super::twin::Twin;
use crate::clock::EpochMillis;
use crate::payload::{self, Codec};

/// The most members of a kind in a sample: as many as a Redisson client transfers in one script.
pub const SAMPLED: usize = 100;
/// The most bytes of members that a sample brings, as far as the sizes seen before tell.
pub const SAMPLE_BYTES: u64 = 256 * 1024;
/// Bad members are kept with their bytes, to be acted on, up to so many bytes each.
const KEPT_MEMBER_BYTES: usize = 4 * 1024;
/// Of a payload so many bytes are kept, to tell which entry it is.
const BEGIN_BYTES: usize = 160;
/// Columns of what an entry says, in a sentence.
const SAID: usize = 36;

/// A member of timeouts or of the order list, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedMember {
    /// Its id.
    pub id: EntryId,
    /// Its score; none in the order list.
    pub score: Option<f64>,
    /// When it is due; none in the order list.
    pub due: Option<Due>,
    /// Its frame form; none when it has no frame (in a layout with frames: foreign).
    pub form: Option<Form>,
    /// The results of unpacking by clients of the older and of the newer era.
    unpack: [Unpack; 2],
    /// Tells its payload from others.
    pub payload: Fingerprint,
    /// Number of bytes of the member.
    pub bytes: usize,
    /// Its bytes, when it is foreign and not large.
    pub member: Option<Vec<u8>>,
    /// The first bytes of its payload; none in the order list.
    begin: Option<PayloadBegin>,
}

/// The first bytes of a payload, which tell people what entry it is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PayloadBegin(Box<[u8]>);

impl PayloadBegin {
    /// The beginning of this payload.
    #[must_use]
    pub fn of(payload: &[u8]) -> Self {
        Self(payload[..payload.len().min(BEGIN_BYTES)].into())
    }

    /// The text that it decodes to, as people know it; none where nothing explains its bytes.
    #[must_use]
    pub fn says(&self) -> Option<String> {
        let said = payload::decode(&self.0);
        let is_known = said.codec != Codec::Unknown && !said.text.trim().is_empty();
        is_known.then(|| text::cut(&said.text, SAID).into_owned())
    }
}

/// A short mark of some bytes: equal ones have the same.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The mark of these bytes: of the first and last 32 kB, and their number.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        const END: usize = 32 * 1024;
        let mut hasher = DefaultHasher::new();
        hasher.write_usize(bytes.len());
        hasher.write(&bytes[..bytes.len().min(END)]);
        hasher.write(&bytes[bytes.len().saturating_sub(END)..]);
        Self(hasher.finish())
    }
}

impl JudgedMember {
    /// Judges a member of `queue` on a server whose `unsigned long` has `long` bytes (8 or 4).
    #[must_use]
    pub fn new(queue: &Queue, member: &[u8], score: Option<f64>, long: usize) -> Self {
        let seen = queue.unwrap(member);
        let framed = queue.has_frames();
        let unpack = if framed {
            Era::BOTH.map(|era| era.unpack(member, long))
        } else {
            [Unpack::Right; 2]
        };
        let foreign = framed && seen.is_err();
        let form = seen.as_ref().ok().and_then(|seen| seen.form);
        let payload = seen.map_or(member, |seen| seen.payload);
        Self {
            id: queue.id(member),
            score,
            due: score.map(|score| queue.due(score)),
            form,
            unpack,
            payload: Fingerprint::of(payload),
            bytes: member.len(),
            member: (foreign && member.len() <= KEPT_MEMBER_BYTES).then(|| member.to_vec()),
            begin: score.map(|_| PayloadBegin::of(payload)),
        }
    }

    /// The beginning of what it says, as people know it; none where nothing explains its bytes.
    #[must_use]
    pub fn says(&self) -> Option<String> {
        self.begin.as_ref()?.says()
    }

    /// The result of unpacking by clients of that era.
    #[must_use]
    pub const fn unpack(&self, era: Era) -> Unpack {
        match era {
            Era::Older => self.unpack[0],
            Era::Newer => self.unpack[1],
        }
    }

    /// It was due at that moment, with a score that clients transfer.
    #[must_use]
    pub fn is_due(&self, at: EpochMillis) -> bool {
        self.due_at().is_some_and(|due| due <= at)
    }

    /// When it is due, if its score is a time.
    #[must_use]
    pub fn due_at(&self) -> Option<EpochMillis> {
        self.due.and_then(Due::at)
    }
}

/// An element of target.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DeliveredElement {
    /// The form of the frame that it still has; none when it has none, as it should be.
    pub framed: Option<Form>,
    /// Tells it from others: of the payload, whether framed or not.
    pub payload: Fingerprint,
}

impl DeliveredElement {
    /// Judges an element of the target of `queue`.
    #[must_use]
    pub fn new(queue: &Queue, element: &[u8]) -> Self {
        let frame = if queue.has_frames() {
            frame::decode(element).ok()
        } else {
            None
        };
        // Sixteen bytes with nothing in the last eight are sooner two numbers.
        let frame = frame.filter(frame::Frame::is_plausible);
        Self {
            framed: frame.map(|frame| frame.form),
            payload: Fingerprint::of(frame.map_or(element, |frame| frame.payload)),
        }
    }
}

/// An entry that waits for decades, with what it says: nobody looks for it there.
#[derive(Clone, Debug, PartialEq)]
pub struct FarEntry {
    /// Its id.
    pub id: EntryId,
    /// When it is due.
    pub due: EpochMillis,
    /// Its payload in a line, as far as it is not long.
    pub says: String,
}

impl FarEntry {
    /// Fifty years, in ms: an entry that is due later than so from now was never meant to be.
    pub const BEYOND_MS: i64 = 1_577_880_000_000;
    /// The most that a sample reads of them.
    pub const READ: usize = 3;
}

/// The sample: all from one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// The server's time of the read.
    pub at: EpochMillis,
    /// The first of timeouts by score, negative scores and all.
    pub next_due: Vec<JudgedMember>,
    /// The last offered, newest first: the tail of the order list.
    pub newest: Vec<JudgedMember>,
    /// The entries that wait for decades, the last one first.
    pub far: Vec<FarEntry>,
    /// Elements that consumers take next, the next one first.
    pub front: Vec<DeliveredElement>,
    /// Elements that were delivered last, the last one first.
    pub tail: Vec<DeliveredElement>,
    /// The places of some of the next due ones in the order list, counted from its head.
    pub depth: Known<Vec<(EntryId, Place)>>,
    /// The other queue that has the same keys but for its target (see [`Queue::twin`]), when anything
    /// was seen of it.
    pub twin: Option<Twin>,
    /// The largest member or element among them, in bytes.
    pub largest: usize,
    /// Number of members of each kind that were asked for.
    pub asked: usize,
    /// Cost of the read to the server, in µs by its own clock.
    pub server_us: u64,
}

/// The place of an entry in the order list, counted from its head.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Place {
    /// Behind that many elements.
    At(u64),
    /// It is not among the first so many.
    Beyond(u64),
}

/// The extent of a sample.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FramesAsk {
    /// Number of members of each kind.
    pub count: usize,
    /// The server's `unsigned long` has so many bytes.
    pub long: usize,
    /// Some of the next due ones are looked for in the order list.
    pub seek: bool,
}

impl FramesAsk {
    /// As many members as stay within [`SAMPLE_BYTES`] when none is larger than `largest` bytes;
    /// four kinds are read.
    #[must_use]
    pub fn of(largest: usize, long: usize, seek: bool) -> Self {
        let each = u64::try_from(largest.max(1)).unwrap_or(u64::MAX);
        let count = usize::try_from(SAMPLE_BYTES / 4 / each).unwrap_or(SAMPLED);
        Self {
            count: count.clamp(1, SAMPLED),
            long,
            seek,
        }
    }
}

impl Frames {
    /// There are members of both eras, or such as have no frame where they should.
    #[must_use]
    pub fn is_odd(&self) -> bool {
        let members = || self.next_due.iter().chain(&self.newest);
        let eras = members().map(|one| one.form.map(Form::era));
        let first = eras.clone().next();
        let foreign = members().any(|one| one.member.is_some());
        foreign || eras.clone().any(|era| Some(era) != first)
    }

    /// Counts those of `members` that have a form of that era.
    #[must_use]
    pub fn count<'a>(members: impl IntoIterator<Item = &'a JudgedMember>, era: Era) -> usize {
        let of = |one: &&JudgedMember| one.form.is_some_and(|form| form.era() == era);
        members.into_iter().filter(of).count()
    }
}
