//! `edit`: another payload for an entry.

use std::fs;
use std::io::{self, Read as _, Write};
use std::path::Path;

use anyhow::Context as _;
use futures_util::TryStreamExt as _;

use super::change::{Chosen, Making};
use super::codec::{encoded, named, voted};
use super::output::Output;
use super::session::meant;
use super::{NothingMatched, Outcome};
use crate::args;
use crate::config::Config;
use crate::ops::entries::{From, entries};
use crate::ops::plan::What;
use crate::payload::Codec;
use crate::queue::Queue;

/// Replaces the payload.
pub(super) async fn run<W: Write>(
    asked: &args::Edit,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let codec = asked.codec.as_deref().map(named).transpose()?;
    let chosen = Chosen::one(&asked.id)?;
    let message = content(&asked.file)?;
    let making = Making::begin(&asked.how, config).await?;
    let codec = match codec {
        Some(codec) => codec,
        None => own_codec(asked, &making, &meant(&asked.queue, config), config).await?,
    };
    let what = What::Edit(encoded(codec, &message)?);
    making.queue(&asked.queue, what, Some(chosen), out).await
}

/// All that the file holds; `-` is standard input.
fn content(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.context("could not read the standard input")?;
        return Ok(bytes);
    }
    fs::read(path).with_context(|| format!("could not read {}", path.display()))
}

/// With which codec the entry is written. Where that cannot be told, bytes are taken as they are.
async fn own_codec(
    asked: &args::Edit,
    making: &Making<'_>,
    queue: &Queue,
    config: &Config,
) -> anyhow::Result<Codec> {
    let selection = Chosen::one(&asked.id)?;
    let selection = selection.selection(&making.session, queue, config).await?;
    let habit = voted(None, &making.session, queue, From::Waiting, config).await?;
    let mut reading = std::pin::pin!(entries(&making.session.store, queue, selection));
    let name = queue.name.text();
    let what = || format!("could not read the entry {} of {name:?}", asked.id);
    let Some(entry) = reading.try_next().await.with_context(what)? else {
        return Err(NothingMatched(format!("no entry of {name:?} matched.")).into());
    };
    let codec = queue
        .unwrap(&entry.member)
        .map_or(Codec::Unknown, |inside| habit.decode(inside.payload).codec);
    Ok(match codec {
        Codec::Unknown => Codec::Text,
        codec => codec,
    })
}
