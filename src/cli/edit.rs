//! `edit`: another payload for an entry.

use std::io::Write;

use anyhow::Context as _;
use futures_util::TryStreamExt as _;

use super::change::{ChangeChoice, ChangeCommand};
use super::codec::{class, encoded, encoded_as, encoded_like, named, voted};
use super::input;
use super::output::Output;
use super::session::meant;
use super::{CommandOutcome, NothingMatched};
use crate::args;
use crate::config::Config;
use crate::ops::entries::{EntryPlace, entries};
use crate::ops::plan::ChangeRequest;
use crate::payload::{self, Codec, PayloadContent};
use crate::queue::Queue;

/// Replaces the payload.
pub(super) async fn run<W: Write>(
    asked: &args::Edit,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let codec = asked.codec.as_deref().map(named).transpose()?;
    let class = asked.kind.as_deref().map(class).transpose()?;
    let chosen = ChangeChoice::one(&asked.id)?;
    let message = input::whole(&asked.file)?;
    let making = ChangeCommand::begin(&asked.how, config).await?;
    let (own, held) = own(asked, &making, &meant(&asked.queue, config), config).await?;
    let codec = codec.unwrap_or(own);
    let bytes = match class {
        Some(class) => encoded_as(codec, class, &message)?,
        None if codec == own => encoded_like(codec, &held, &message).with_context(|| {
            format!(
                "the entry {} keeps its type; --type gives it another",
                asked.id
            )
        })?,
        None => encoded(codec, &message)?,
    };
    let what = ChangeRequest::Edit(bytes);
    making.queue(&asked.queue, what, Some(chosen), out).await
}

/// Returns the codec that the entry is written with, and the kind of its content. Where that cannot
/// be told, bytes are taken as they are.
async fn own(
    asked: &args::Edit,
    making: &ChangeCommand<'_>,
    queue: &Queue,
    config: &Config,
) -> anyhow::Result<(Codec, PayloadContent)> {
    let selection = ChangeChoice::one(&asked.id)?;
    let selection = selection.selection(&making.session, queue, config).await?;
    let habit = voted(None, &making.session, queue, EntryPlace::Waiting, config).await?;
    let mut reading = std::pin::pin!(entries(&making.session.store, queue, selection));
    let name = queue.name.text();
    let what = || format!("could not read the entry {} of {name:?}", asked.id);
    let Some(entry) = reading.try_next().await.with_context(what)? else {
        return Err(NothingMatched(format!("no entry of {name:?} matched.")).into());
    };
    let Ok(inside) = queue.unwrap(&entry.member) else {
        return Ok((Codec::Text, PayloadContent::Text));
    };
    Ok(match habit.decode(inside.payload).codec {
        Codec::Unknown => (Codec::Text, PayloadContent::Text),
        codec => (codec, payload::held(codec, inside.payload)),
    })
}
