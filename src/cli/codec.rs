//! Payloads as they are written: by the name of their codec.

use anyhow::{Context as _, bail};

use super::session::Session;
use crate::config::Config;
use crate::ops::entries::{self, EntryPlace};
use crate::payload::{self, Codec, Habit, PayloadContent};
use crate::queue::Queue;

/// The codec of that name, when payloads can be written with it.
pub(super) fn named(name: &str) -> anyhow::Result<Codec> {
    if let Some(codec) = Codec::from_name(name).filter(|codec| codec.is_writable()) {
        return Ok(codec);
    }
    bail!(
        "there is no codec {name:?}. Choose one of {}.",
        Codec::writable_names()
    )
}

/// A message in that codec; text is its own bytes, whatever they are.
pub(super) fn encoded(codec: Codec, message: &[u8]) -> anyhow::Result<Vec<u8>> {
    if codec == Codec::Text {
        return Ok(message.to_vec());
    }
    Ok(payload::encode(codec, text(codec, message)?)?)
}

/// A message in that codec, in the place of what is held.
pub(super) fn encoded_like(
    codec: Codec,
    held: &PayloadContent,
    message: &[u8],
) -> anyhow::Result<Vec<u8>> {
    if codec == Codec::Text {
        return Ok(message.to_vec());
    }
    Ok(payload::encode_like(codec, held, text(codec, message)?)?)
}

/// The class of Java's that a word names, when values of it can be written.
pub(super) fn class(kind: &str) -> anyhow::Result<&'static str> {
    let Some(class) = payload::class_named(kind) else {
        bail!(
            "there is no type {kind:?}. Choose one of String, Integer, Long, Double, Boolean, Float, \
             Short, Byte, Character, Date."
        );
    };
    Ok(class)
}

/// A message in that codec, as a value of a class of Java's.
pub(super) fn encoded_as(
    codec: Codec,
    class: &'static str,
    message: &[u8],
) -> anyhow::Result<Vec<u8>> {
    Ok(payload::encode_as(codec, class, text(codec, message)?)?)
}

/// A message as text.
fn text(codec: Codec, message: &[u8]) -> anyhow::Result<&str> {
    let name = codec.name();
    let what = || format!("a message is no UTF-8 text, which {name} needs");
    std::str::from_utf8(message).with_context(what)
}

/// Returns the habit by which a queue's payloads are read: as was asked, else as its profile has
/// it.
fn habit(asked: Option<&str>, queue: &Queue, config: &Config) -> anyhow::Result<Habit> {
    if asked.is_some() {
        return chosen(asked);
    }
    let profile = config.profile.as_ref();
    let named = profile.and_then(|profile| profile.codec_of(&queue.name.text()));
    Ok(Habit::of(named.and_then(Codec::from_name)))
}

/// The same after the first payloads in that place have voted: what the screen does with the rows
/// in sight.
pub(super) async fn voted(
    asked: Option<&str>,
    session: &Session,
    queue: &Queue,
    from: EntryPlace,
    config: &Config,
) -> anyhow::Result<Habit> {
    let habit = habit(asked, queue, config)?;
    let what = || format!("could not read entries of {:?}", queue.name.text());
    let voted = entries::voted(&session.store, queue, from, habit).await;
    voted.with_context(what)
}

/// Returns the habit by which payloads are read when that codec is asked for.
pub(super) fn chosen(asked: Option<&str>) -> anyhow::Result<Habit> {
    let Some(name) = asked else {
        return Ok(Habit::default());
    };
    match Codec::from_name(name) {
        Some(codec) => Ok(Habit::of(Some(codec))),
        None => bail!(
            "there is no codec {name:?}. Choose one of {}.",
            Codec::ALL.map(Codec::name).join(", ")
        ),
    }
}
