//! The detection of the codec that wrote a payload: the one that explains every byte, by the order
//! of trial and by what the other payloads of the queue are.

use std::borrow::Cow;

use super::Codec;
use super::effort::Purse;
use super::kryo::id;
use super::reader::{Budget, Reader};
use super::tree::{Cut, Shape, TreeNode};
use super::verdict::{Certainty, CodecVerdict};
use super::{FAMILIES, Family, Read};
use super::{opaque, surprise};

/// The bits by which a value must surprise less to be believed rather than another.
const MARGIN: u32 = 8;
/// The bits more at which it is not worth a word.
const FAR: u32 = 24;

/// The reason for a codec that is not the first to explain a payload.
const LIKELIER: &str = "accounts for every byte, and says what is likelier than others make of it";

/// Bytes that nothing explains in which texts are looked for.
const LOOKED_THROUGH: usize = 16 << 10;

/// Codecs around codecs that are unpacked.
const MAX_PACKED: u32 = 2;

/// A payload whose codec was found.
pub(super) struct Recognition {
    pub(super) verdict: CodecVerdict,
    /// The codec of what was unpacked.
    pub(super) inner: Option<Codec>,
    /// The codecs that could as well have written it.
    pub(super) also: Vec<Codec>,
    /// The content.
    pub(super) tree: TreeNode,
    /// The unpacked bytes: those that the spans of the tree mean.
    pub(super) unpacked: Option<Vec<u8>>,
    /// True when something in it is over a bound.
    pub(super) is_cut: bool,
}

impl Recognition {
    /// The codec of the values: of what is packed, the packed one's.
    pub(super) fn codec(&self) -> Codec {
        self.inner.unwrap_or(self.verdict.codec)
    }

    /// The reason why it is taken to be that codec's, and the others that it could be.
    pub(super) fn why(&self) -> Cow<'static, str> {
        let why = self.verdict.why;
        if let (Some(Codec::Unknown), Some(bytes)) = (self.inner, &self.unpacked) {
            let count = bytes.len();
            return format!("{why}: {count} bytes that no known codec explains").into();
        }
        match self.also.as_slice() {
            [] => why.into(),
            others => {
                let names: Vec<_> = others.iter().map(|codec| codec.name()).collect();
                let names = names.join(", ");
                let it = match self.inner {
                    Some(_) => "what is inside",
                    None => "it",
                };
                format!("{why}; {it} could be {names} as well").into()
            }
        }
    }

    /// The surprise in what it says, in bits.
    pub(super) fn surprise(&self) -> u32 {
        surprise::of(&self.tree).saturating_add(surprise::of_codec(self.verdict.codec))
    }

    /// Tells whether nothing is said but that there is an object or bytes, or too much of it.
    pub(super) fn is_guess(&self) -> bool {
        use Shape::{Cut, Nameless};
        self.verdict.sure < Certainty::Exact
            && (matches!(self.tree.shape, Nameless(_) | Cut(_))
                || self.inner == Some(Codec::Unknown))
    }
}

/// The codec that is most likely to have written a payload.
pub(super) fn recognise(payload: &[u8], purse: &mut Purse<'_>) -> Option<Recognition> {
    purse.attempt(|budget| best(payload, budget, MAX_PACKED))
}

fn best(payload: &[u8], budget: &mut Budget, packed: u32) -> Option<Recognition> {
    let mut open = OpenExplanations::default();
    let first = payload.first();
    for row in &FAMILIES {
        if !first.is_none_or(|byte| (row.begins)(*byte)) {
            continue;
        }
        let Some(found) = read(row, payload, budget, packed) else {
            continue;
        };
        match found.verdict.sure {
            Certainty::Marked => return Some(found),
            Certainty::Exact => return Some(contested(found, payload, budget, packed)),
            _ => open.add(found),
        }
    }
    open.likeliest(payload)
}

/// The explanations of a payload that no codec is sure of.
#[derive(Default)]
struct OpenExplanations {
    /// The first that is plausible, save guesses where something packed is, and how much it
    /// surprises.
    plausible: Option<(Recognition, u32)>,
    /// The least surprising of the others.
    unlikely: Option<(Recognition, u32)>,
    /// All of them, and how much what each says surprises.
    all: Vec<(Codec, u32)>,
}

impl OpenExplanations {
    fn add(&mut self, found: Recognition) {
        let is_plausible = found.verdict.sure == Certainty::Plausible;
        if found.is_guess() && !is_plausible {
            return;
        }
        let (codec, surprise) = (found.verdict.codec, found.surprise());
        if is_plausible || codec != Codec::Text {
            self.all.push((codec, surprise));
        }
        if is_plausible {
            // A size that is right is less of an accident than a class with bytes for its fields.
            let is_guess = |first: &Recognition| first.is_guess() && first.inner.is_none();
            match &mut self.plausible {
                Some((first, _)) if !(found.inner.is_some() && is_guess(first)) => {}
                first => *first = Some((found, surprise)),
            }
        } else if { self.unlikely.as_ref() }.is_none_or(|(_, least)| surprise < *least) {
            self.unlikely = Some((found, surprise));
        }
    }

    fn likeliest(self, payload: &[u8]) -> Option<Recognition> {
        // A single byte is something to any of them.
        let noise = match payload {
            [_] => 0,
            _ => surprise::of_noise(payload.len()),
        };
        let unlikely = self.unlikely.filter(|(_, surprise)| {
            let bound = match &self.plausible {
                // A text stays a text, and a size that is right is no accident.
                Some((first, _)) if first.verdict.codec == Codec::Text || first.inner.is_some() => {
                    0
                }
                Some((_, least)) => noise.min(*least),
                None => noise,
            };
            surprise.saturating_add(MARGIN) <= bound
        });
        let (mut found, surprise) = unlikely.or(self.plausible)?;
        let far = surprise.saturating_add(FAR);
        let others = self.all.iter().filter(|(codec, surprise)| {
            *codec != found.verdict.codec && *surprise <= far && found.inner.is_none()
        });
        found.also = others.map(|(codec, _)| *codec).collect();
        Some(found)
    }
}

/// One of several codecs that explain a payload: the one whose value surprises less by far, else
/// the one that was found. Text stays text.
fn contested(found: Recognition, payload: &[u8], budget: &mut Budget, packed: u32) -> Recognition {
    let mut found = found;
    for codec in rivals(payload, found.verdict.codec) {
        let Some(mut rival) = row_of(*codec).and_then(|row| read(row, payload, budget, packed))
        else {
            continue;
        };
        if rival.is_guess() || rival.tree == found.tree {
            continue;
        }
        let (ours, theirs) = (found.surprise(), rival.surprise());
        let is_text = found.verdict.codec == Codec::Text;
        if theirs + MARGIN <= ours && !is_text {
            rival.verdict.why = LIKELIER;
            rival.also = std::mem::take(&mut found.also);
            std::mem::swap(&mut rival, &mut found);
        }
        // Few texts begin with a control; most are a number to somebody.
        let is_usual = is_text && payload.len() > 1 && payload[0] >= b' ';
        let far = if is_usual { MARGIN } else { FAR };
        if rival.surprise() <= found.surprise() + far {
            found.also.push(rival.verdict.codec);
        }
        if !found.also.is_empty() {
            found.verdict.sure = found.verdict.sure.min(Certainty::Plausible);
        }
    }
    found
}

/// The codecs whose payloads can be the same bytes as those of another, which is tried before them.
fn rivals(payload: &[u8], codec: Codec) -> &'static [Codec] {
    let length = payload.len();
    match (codec, payload) {
        (Codec::Text, [_]) | (Codec::Kryo5, [id::NULL]) => &[Codec::MsgPack, Codec::Cbor],
        (Codec::Text, [id::DOUBLE, ..]) if length == 9 => &[Codec::Kryo5, Codec::Kryo],
        (Codec::Text, [b'\t' | b'\n' | b'\r', ..]) => {
            &[Codec::Kryo5, Codec::Protobuf, Codec::SnappyV2]
        }
        // A number, and what has its length in front.
        (Codec::Text, [0xc4..=0xdf, ..]) if length <= 9 => &[Codec::MsgPack, Codec::Cbor],
        (Codec::Text, [0xd9, count, ..]) if usize::from(*count) + 2 == length => &[Codec::MsgPack],
        (Codec::Text, [0x18..0x3c, ..]) if length <= 9 => &[Codec::Cbor],
        (Codec::Text, [first @ 0x60..0x78, ..]) if usize::from(first - 0x60) + 1 == length => {
            &[Codec::Cbor]
        }
        (Codec::Text, [0x78, count, ..]) if usize::from(*count) + 2 == length => &[Codec::Cbor],
        (Codec::Kryo5, [id::INT, 0xff, ..]) => &[Codec::Fury, Codec::Fory],
        (Codec::Kryo5, [id::FLOAT | id::CHAR | id::DOUBLE, ..]) => &[Codec::Kryo],
        (Codec::Kryo5, [id::SHORT, ..]) => &[Codec::Kryo, Codec::Protobuf],
        (Codec::Marshalling, [id::FLOAT, _, _, _, _]) => &[Codec::Kryo5],
        _ => &[],
    }
}

/// Reads a payload as that codec's; none when it cannot be.
pub(super) fn read_as(codec: Codec, payload: &[u8], purse: &mut Purse<'_>) -> Option<Recognition> {
    let found = read_as_row(codec, payload, purse);
    if codec != Codec::Kryo {
        return found;
    }
    // Where `KryoCodec` found Kryo 5 it writes with that.
    let newer = read_as_row(Codec::Kryo5, payload, purse).map(|mut newer| {
        newer.verdict.codec = codec;
        newer
    });
    match (newer, found) {
        (Some(newer), Some(older)) if older.surprise() + MARGIN <= newer.surprise() => Some(older),
        (newer, older) => newer.or(older),
    }
}

/// Reads a payload as that codec's and no other's.
pub(super) fn read_as_row(
    codec: Codec,
    payload: &[u8],
    purse: &mut Purse<'_>,
) -> Option<Recognition> {
    let row = row_of(codec)?;
    let mut found = purse.attempt(|budget| read(row, payload, budget, MAX_PACKED))?;
    found.verdict.codec = codec;
    Some(found)
}

/// The codecs that are read as that one is.
pub(super) fn family(codec: Codec) -> &'static [Codec] {
    row_of(codec).map_or(&[], |row| row.codecs)
}

fn row_of(codec: Codec) -> Option<&'static Family> {
    FAMILIES.iter().find(|row| row.codecs.contains(&codec))
}

/// Every reading of a payload, in the order of trial, with the codecs of its family.
pub(super) fn explanations(payload: &[u8]) -> Vec<(&'static [Codec], Recognition)> {
    let mut budget = Budget::full();
    let read = |row: &Family| Some((row.codecs, read(row, payload, &mut budget, MAX_PACKED)?));
    FAMILIES.iter().filter_map(read).collect()
}

fn read(row: &Family, payload: &[u8], budget: &mut Budget, packed: u32) -> Option<Recognition> {
    if budget.work == 0 {
        budget.is_short = true;
        return None;
    }
    // A codec that spends all it may leaves as much to those after it.
    let spare = budget.work / 2;
    let work = budget.work - spare;
    let mut reader = Reader::new(payload, Budget { work, ..*budget });
    let found = match row.read {
        Read::Values(values) => {
            let tree = reader.node(values);
            *budget = reader.budget();
            budget.work += spare;
            let tree = reader.at_end(tree?)?;
            // A codec that read nothing of it before it came to a bound explains nothing.
            if matches!(tree.shape, Shape::Cut(_)) {
                return None;
            }
            Recognition {
                verdict: (row.judge)(payload, &tree),
                inner: None,
                also: Vec::new(),
                tree,
                unpacked: None,
                is_cut: reader.is_cut(),
            }
        }
        Read::Packed(_) if packed == 0 => return None,
        Read::Packed(unpack) => {
            let bytes = unpack(&mut reader);
            *budget = reader.budget();
            budget.work += spare;
            if let (None, Some(why)) = (&bytes, reader.why_cut()) {
                return Some(too_large(row, payload, why));
            }
            let bytes = reader.at_end(bytes?)?;
            let Some(inside) = best(&bytes, budget, packed - 1) else {
                return unexplained(row, payload, bytes, budget);
            };
            let mut verdict = (row.judge)(payload, &inside.tree);
            if inside.verdict.sure < Certainty::Exact {
                verdict.sure = verdict.sure.min(Certainty::Plausible);
            }
            Recognition {
                verdict,
                inner: Some(inside.codec()),
                also: inside.also,
                tree: inside.tree,
                unpacked: inside.unpacked.or(Some(bytes)),
                is_cut: inside.is_cut,
            }
        }
    };
    Some(found)
}

/// A payload that unpacks to more than is read.
fn too_large(row: &Family, payload: &[u8], why: Cut) -> Recognition {
    let tree = TreeNode::new(Shape::Cut(why));
    Recognition {
        verdict: (row.judge)(payload, &tree),
        inner: None,
        also: Vec::new(),
        tree,
        unpacked: None,
        is_cut: true,
    }
}

/// Something packed that no codec explains: its bytes, with the texts among them.
fn unexplained(
    row: &Family,
    payload: &[u8],
    bytes: Vec<u8>,
    budget: &mut Budget,
) -> Option<Recognition> {
    let mut reader = Reader::new(&bytes, *budget);
    let tree = reader.node(|r| {
        if bytes.len() > LOOKED_THROUGH {
            r.bytes(bytes.len())?;
            return Some(TreeNode::new(Shape::Bytes(bytes.clone())));
        }
        let pieces = opaque::pieces(r, bytes.len(), opaque::printable)?;
        let shape = match <[TreeNode; 1]>::try_from(pieces) {
            Ok([one]) => one.shape,
            Err(pieces) => Shape::Nameless(pieces),
        };
        Some(TreeNode::new(shape))
    });
    *budget = reader.budget();
    let is_cut = reader.is_cut();
    let mut verdict = (row.judge)(payload, tree.as_ref()?);
    verdict.sure = match verdict.sure {
        Certainty::Marked => Certainty::Marked,
        Certainty::Exact => Certainty::Plausible,
        _ => Certainty::Unlikely,
    };
    Some(Recognition {
        verdict,
        inner: Some(Codec::Unknown),
        also: Vec::new(),
        tree: tree?,
        unpacked: Some(bytes),
        is_cut,
    })
}
