//! Payloads as they are written: by the name of their codec.

use anyhow::{Context as _, bail};

use crate::payload::{self, Codec};

/// The codec of that name, when payloads can be written with it.
pub(super) fn named(name: &str) -> anyhow::Result<Codec> {
    let writable = |codec: &Codec| codec.is_writable();
    if let Some(codec) = Codec::from_name(name).filter(writable) {
        return Ok(codec);
    }
    let names = Codec::ALL.into_iter().filter(writable).map(Codec::name);
    let names: Vec<_> = names.collect();
    bail!(
        "there is no codec {name:?}. Choose one of {}.",
        names.join(", ")
    )
}

/// A message in that codec; text is its own bytes, whatever they are.
pub(super) fn encoded(codec: Codec, message: &[u8]) -> anyhow::Result<Vec<u8>> {
    if codec == Codec::Text {
        return Ok(message.to_vec());
    }
    let name = codec.name();
    let what = || format!("a message is no UTF-8 text, which {name} needs");
    let text = std::str::from_utf8(message).with_context(what)?;
    Ok(payload::encode(codec, text)?)
}
