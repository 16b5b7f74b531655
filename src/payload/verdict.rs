//! The judgement whether a payload is a codec's.

use super::Codec;

/// The judgement how likely a payload is a codec's, with the reason.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodecVerdict {
    pub(super) codec: Codec,
    pub(super) sure: Certainty,
    /// Half a sentence: "starts as Java's serialization does".
    pub(super) why: &'static str,
}

/// The certainty that a payload is a codec's.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Certainty {
    /// It can be read so, but is more likely something else: only where the queue's other payloads
    /// say that it is.
    Unlikely,
    /// It can be read so to its last byte, and other codecs might as well explain it.
    Plausible,
    /// Its content makes it all but certain: the first such codec is taken.
    Exact,
    /// It bears the codec's mark.
    Marked,
}

impl Certainty {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unlikely => "unlikely",
            Self::Plausible => "plausible",
            Self::Exact => "exact",
            Self::Marked => "marked",
        }
    }
}
