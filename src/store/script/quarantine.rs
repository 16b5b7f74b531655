//! `quarantine.lua` and `restore.lua`.

use super::change::{Args, Fate, Left, fates_and_places, head_and_fates};
use super::{Head, Script, Timed, run};
use crate::store::error::StoreError;
use crate::store::lane::Lane;

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

/// `quarantine.lua`. `keys`: timeouts, quarantine, then order list.
pub(in crate::store) async fn quarantine(
    lane: &Lane,
    keys: &[&[u8]],
    args: Args<'_>,
) -> Result<Timed<Left>, StoreError> {
    run(lane, &QUARANTINE, keys, args, fates_and_places).await
}

/// `restore.lua`. `keys`: timeouts, quarantine, then order list and aside.
pub(in crate::store) async fn restore(
    lane: &Lane,
    keys: &[&[u8]],
    args: Args<'_>,
) -> Result<Timed<(Head, Vec<Fate>)>, StoreError> {
    run(lane, &RESTORE, keys, args, head_and_fates).await
}
