//! What has taken names of the queue's keys, and is of another type, gets other names.

use super::ChangeError;
use super::make::{Made, Making};
use super::work::{Rename, Work};
use crate::ops::refresh;
use crate::queue::name::names_for_taken;
use crate::queue::{KeyFacts, text};
use crate::store::read::{self, KeyType};

/// Plans to rename what has taken keys of the queue.
pub(super) async fn make(making: &Making<'_>) -> Result<Made, ChangeError> {
    let survey = refresh::survey(making.store, making.queue, None, None).await?;
    let mut made = Made::default();
    let mut renamed = Vec::new();
    for taken in survey.keys.into_iter().filter(KeyFacts::is_taken) {
        let to = free_name(making, &taken.key).await?;
        made.warnings.push(format!(
            "{} is a {}: it comes to be called {}, with all that is in it.",
            text::printable_bytes(&taken.key),
            taken.kind,
            text::printable_bytes(&to)
        ));
        renamed.push(Rename {
            from: taken.key,
            to,
        });
    }
    if renamed.is_empty() {
        return Ok(made);
    }
    made.warnings.push(
        "Whoever wrote it may write it again, and misses it now: find out who that is.".to_owned(),
    );
    made.work.push(Work::Rename(renamed));
    Ok(made)
}

/// Finds the first free one of the names for what has taken a key.
async fn free_name(making: &Making<'_>, key: &[u8]) -> Result<Vec<u8>, ChangeError> {
    let names = names_for_taken(key);
    let kinds = read::kinds(making.store, &names).await?;
    let free = names.into_iter().zip(kinds);
    let mut free = free.filter(|(_, kind)| matches!(kind, KeyType::Missing | KeyType::Unknown));
    let free = free.next().map(|(name, _)| name);
    free.ok_or_else(|| {
        let key = text::printable_bytes(key);
        ChangeError::Senseless(format!(
            "all names that delayscope gives to what has taken {key} are in use: look at what is \
             called taken:… and taken2:… to taken9:…, and rename or delete it"
        ))
    })
}
