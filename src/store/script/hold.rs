//! `take.lua`, `renew.lua` and `give-back.lua`: what consumers take, and hold until they have
//! handed it on.

use redis::Value;

use super::change::{Fate, ScriptArgs, fates};
use super::{Script, TimedResult, bytes, run};
use crate::store::error::StoreError;
use crate::store::lane::Lane;

static TAKE: Script = script!(
    [guard, "take.lua"],
    "take from the target",
    ["list", "list", "hash", "zset"]
);
static RENEW: Script = script!(
    [guard, "renew.lua"],
    "go on holding what was taken",
    ["zset"]
);
static GIVE_BACK: Script = script!(
    [guard, chosen, "give-back.lua"],
    "put elements back that were taken",
    ["list", "list", "hash", "zset"]
);

/// The answer of [`take`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::store) struct TakeAnswer {
    /// True when the element that was handed on was held until now.
    pub(in crate::store) released: bool,
    /// The element that is held now.
    pub(in crate::store) element: Option<Vec<u8>>,
}

/// `take.lua`. `keys`: target, intake, held, leases.
pub(in crate::store) async fn take(
    lane: &Lane,
    keys: [&[u8]; 4],
    args: [&[u8]; 4],
) -> Result<TimedResult<TakeAnswer>, StoreError> {
    run(lane, &TAKE, &keys, args, |[released, element]| {
        let element = match element {
            Value::Nil => None,
            element => Some(bytes(element)?),
        };
        let released = *released == Value::Int(1);
        Some(TakeAnswer { released, element })
    })
    .await
}

/// `renew.lua`.
pub(in crate::store) async fn renew(
    lane: &Lane,
    leases: &[u8],
    args: [&[u8]; 2],
) -> Result<(), StoreError> {
    let keys = [leases];
    let renewed = run(lane, &RENEW, &keys, args, |[]: &[Value; 0]| Some(()));
    renewed.await.map(drop)
}

/// `give-back.lua`. `keys`: target, intake, held, leases.
pub(in crate::store) async fn give_back(
    lane: &Lane,
    keys: [&[u8]; 4],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<Vec<Fate>>, StoreError> {
    run(lane, &GIVE_BACK, &keys, args, fates).await
}
