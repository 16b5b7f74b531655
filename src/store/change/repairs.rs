//! Repairs of target's elements and of a queue's keys: each script beside the call that sends it.

use crate::queue::Queue;
use crate::store::error::StoreError;
use crate::store::script::{Fate, Script, TimedResult, fates, run, script};
use crate::store::write::Writer;

static REPLACE: Script = script!(
    [guard, chosen, "replace.lua"],
    "replace delivered elements",
    ["list"]
);
static EXPIRY: Script = script!([guard, chosen, "expiry.lua"], "change when keys expire", []);
static RENAME: Script = script!([guard, chosen, "rename.lua"], "rename keys", []);
impl Writer {
    /// Gives elements of target other bytes, in their places; of equal ones that nearest to its
    /// head first. Cheap when they stand near it.
    pub async fn replace(
        &self,
        queue: &Queue,
        elements: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        self.fits("replace delivered elements", elements.len())?;
        let args = elements.iter();
        let args = args.flat_map(|(old, new)| [old.as_slice(), new.as_slice()]);
        run(&self.lane, &REPLACE, &[&queue.keys().target], args, fates).await
    }

    /// Gives keys another expiry (in epoch ms; infinite: none), when they still have the one that
    /// they are thought to have. `NoFrame`: the moment has passed, and nothing was done.
    pub async fn expiry(
        &self,
        keys: &[(&[u8], f64, f64)],
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        let texts: Vec<[String; 2]> = keys
            .iter()
            .map(|(_, from, to)| [from, to].map(f64::to_string))
            .collect();
        let args = texts.iter().flatten().map(String::as_bytes);
        let keys: Vec<&[u8]> = keys.iter().map(|(key, ..)| *key).collect();
        run(&self.lane, &EXPIRY, &keys, args, fates).await
    }

    /// Renames keys, each to its other name, unless that is in use (`NoFrame`), or the key is one
    /// of the queue's and is of its right type (`Changed`). What expires goes on doing so.
    pub async fn rename(
        &self,
        queue: &Queue,
        renames: &[(&[u8], &[u8])],
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        let keys = renames.iter().flat_map(|(from, to)| [*from, *to]);
        let keys: Vec<&[u8]> = keys.collect();
        let right = renames.iter();
        let right = right.map(|(from, _)| queue.kind_of(from).unwrap_or_default().as_bytes());
        run(&self.lane, &RENAME, &keys, right, fates).await
    }
}
