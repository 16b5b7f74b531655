//! Into quarantine and out of it: each script beside the call that sends it.

use super::{ChosenEntry, DeletedEntry, EditResult, ListPlace, channel, pairs, returning, texts};
use crate::queue::{Keys, Queue};
use crate::store::error::StoreError;
use crate::store::script::{Script, TimedResult, fates_and_places, head_and_fates, run, script};
use crate::store::write::Writer;

static QUARANTINE: Script = script!(
    [guard, chosen, place, copies, "quarantine.lua"],
    "quarantine entries",
    ["zset", "zset", "list"]
);
static RESTORE: Script = script!(
    [guard, chosen, aside, announce, "restore.lua"],
    "restore quarantined entries",
    ["zset", "zset", "list", "list"]
);

impl Writer {
    /// Sets entries aside that wait: out of timeouts and of the order list, into quarantine with
    /// their scores. `NoFrame`: an equal one is in quarantine with another score, and it stays.
    pub async fn quarantine(
        &self,
        queue: &Queue,
        chosen: &[ChosenEntry],
    ) -> Result<TimedResult<Vec<DeletedEntry>>, StoreError> {
        self.fits("quarantine entries", chosen.len())?;
        let keys = queue.keys();
        let scores = texts(chosen.iter().map(|c| c.score));
        let all = of_both(&keys, &[&keys.order]);
        let told = run(
            &self.lane,
            &QUARANTINE,
            &all,
            pairs(&scores, chosen),
            fates_and_places,
        )
        .await?;
        Ok(told.map(|told| {
            let deleted = |(fate, stood, copies)| DeletedEntry {
                fate,
                stood,
                copies,
            };
            told.into_iter().map(deleted).collect()
        }))
    }

    /// Lets quarantined entries wait again, each with its score and in that place of the order list
    /// (at the tail when the neighbour is no longer there; none: not in it), and publishes the due
    /// time of a new head. `NoFrame`: it waits already with another score, and stays in quarantine.
    /// Refused with the code `ASIDE` while the order list is set aside.
    pub async fn restore(
        &self,
        queue: &Queue,
        entries: &[(ChosenEntry, Option<ListPlace>)],
    ) -> Result<TimedResult<EditResult>, StoreError> {
        self.fits("restore quarantined entries", entries.len())?;
        let keys = queue.keys();
        let scores = texts(entries.iter().map(|(chosen, _)| chosen.score));
        let all = of_both(&keys, &[&keys.order, &keys.aside]);
        let places = entries
            .iter()
            .map(|(chosen, place)| (chosen, place.as_ref()));
        let args = returning(channel(&keys), &scores, places);
        let told = run(&self.lane, &RESTORE, &all, args, head_and_fates).await?;
        Ok(told.map(EditResult::from))
    }
}

/// Timeouts and quarantine, and what else there is.
fn of_both<'a>(keys: &'a Keys, more: &[&'a Option<Vec<u8>>]) -> Vec<&'a [u8]> {
    let more = more.iter().filter_map(|key| key.as_deref());
    [keys.timeouts.as_slice(), &keys.quarantine]
        .into_iter()
        .chain(more)
        .collect()
}
