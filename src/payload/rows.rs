//! The codecs in the order in which they are tried. A codec is a file and a row here.

use super::codec::Codec;
use super::reader::Reader;
use super::tree::Node;
use super::verdict::Verdict;
use super::{
    avro, cbor, fst, fury, ion, json, kryo4, kryo5, lz4, marshalling, msgpack, protobuf,
    serialization, smile, snappy, snappyv2, text, zstd,
};

/// A family of codecs that one file reads.
pub(super) struct Row {
    /// Whose payloads it reads.
    pub(super) codecs: &'static [Codec],
    /// How.
    pub(super) read: Read,
    /// Whether [`judge`](Self::judge) can find one likely that begins with that byte: if not, it is
    /// read only when the codec is known.
    pub(super) begins: fn(u8) -> bool,
    /// How likely it is that a payload which was read to its end is theirs, given what it says;
    /// asked only when the codec is not known.
    pub(super) judge: fn(payload: &[u8], tree: &Node) -> Verdict,
}

/// How a payload is read.
pub(super) enum Read {
    /// As values: everything that the codec may have written, whether likely or not. It need not
    /// look whether anything is left.
    Values(fn(&mut Reader<'_>) -> Option<Node>),
    /// As bytes that another codec has written, which are unpacked.
    Packed(fn(&mut Reader<'_>) -> Option<Vec<u8>>),
}

const fn any(_: u8) -> bool {
    true
}

/// In order of trial: what bears a mark, JSON, text, what begins with a control character, and then
/// what only exact reading tells from noise. Texts without controls are never taken for anything
/// below them, save where the queue's other payloads are something else.
pub(super) const ROWS: [Row; 19] = [
    Row {
        codecs: &[Codec::Serialization],
        read: Read::Values(serialization::read),
        begins: any,
        judge: serialization::judge,
    },
    Row {
        codecs: &[Codec::Smile, Codec::Smile3],
        read: Read::Values(smile::read),
        begins: any,
        judge: smile::judge,
    },
    Row {
        codecs: &[Codec::Zstd],
        read: Read::Packed(zstd::unpack),
        begins: any,
        judge: zstd::judge,
    },
    Row {
        codecs: &[Codec::Marshalling],
        read: Read::Values(marshalling::read),
        begins: any,
        judge: marshalling::judge,
    },
    Row {
        codecs: &[Codec::Json, Codec::Json3, Codec::TypedJson],
        read: Read::Values(json::read),
        begins: any,
        judge: json::judge,
    },
    Row {
        codecs: &[Codec::Ion],
        read: Read::Values(ion::read),
        begins: any,
        judge: ion::judge,
    },
    Row {
        codecs: &[Codec::Text],
        read: Read::Values(text::read),
        begins: any,
        judge: text::judge,
    },
    Row {
        codecs: &[Codec::Kryo5],
        read: Read::Values(kryo5::read),
        begins: kryo5::begins,
        judge: kryo5::judge,
    },
    Row {
        codecs: &[Codec::Kryo],
        read: Read::Values(kryo4::read),
        begins: kryo4::begins,
        judge: kryo4::judge,
    },
    Row {
        codecs: &[Codec::Fury],
        read: Read::Values(fury::read),
        begins: any,
        judge: fury::judge,
    },
    Row {
        codecs: &[Codec::Fory],
        read: Read::Values(fury::read_fory),
        begins: any,
        judge: fury::judge_fory,
    },
    Row {
        codecs: &[Codec::Fst],
        read: Read::Values(fst::read),
        begins: any,
        judge: fst::judge,
    },
    Row {
        codecs: &[Codec::Lz4],
        read: Read::Packed(lz4::unpack),
        begins: any,
        judge: lz4::judge,
    },
    Row {
        codecs: &[Codec::Snappy],
        read: Read::Packed(snappy::unpack),
        begins: any,
        judge: snappy::judge,
    },
    Row {
        codecs: &[Codec::SnappyV2],
        read: Read::Packed(snappyv2::unpack),
        begins: any,
        judge: snappyv2::judge,
    },
    Row {
        codecs: &[Codec::MsgPack],
        read: Read::Values(msgpack::read),
        begins: any,
        judge: msgpack::judge,
    },
    Row {
        codecs: &[Codec::Cbor, Codec::Cbor3],
        read: Read::Values(cbor::read),
        begins: any,
        judge: cbor::judge,
    },
    Row {
        codecs: &[Codec::Protobuf],
        read: Read::Values(protobuf::read),
        begins: any,
        judge: protobuf::judge,
    },
    Row {
        codecs: &[Codec::Avro],
        read: Read::Values(avro::read),
        begins: any,
        judge: avro::judge,
    },
];
