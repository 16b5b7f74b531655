//! `offer.lua` and `offer-zset-list.lua`.

use redis::Value;

use super::{Script, TimedResult, indices, run};
use crate::store::error::StoreError;
use crate::store::lane::Lane;

/// Pairs of due time and member that one offer takes: so that the arguments stay below 4,000.
pub(in crate::store) const MOST_OFFERED: usize = 1_900;

static OFFER: Script = script!([guard, "offer.lua"], "offer entries", ["zset", "list"]);
static OFFER_ZSET_LIST: Script = script!([guard, "offer-zset-list.lua"], "offer entries", ["zset"]);

/// The result of an offer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OfferResult {
    /// The entries that were there already and were left alone: indices, from 0.
    pub refused: Vec<usize>,
    /// The head of timeouts: one of them or not.
    pub head: Head,
}

/// The head of timeouts after a change: another one, or the same.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Head {
    /// Others are due earlier: nothing to announce. (A layout without channel: not looked at.)
    Behind,
    /// Another entry is the head, and its due time was published.
    Announced,
    /// Another entry is the head, but the server refused the PUBLISH, in these words.
    Unannounced(String),
}

impl Head {
    /// 0, 1, or the server's words.
    pub(super) fn read(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Int(0) => Self::Behind,
            Value::Int(_) => Self::Announced,
            words => Self::Unannounced(super::text(words)?.to_owned()),
        })
    }
}

/// `offer.lua`. `entries`: due time as text, frame.
pub(in crate::store) async fn offer(
    lane: &Lane,
    [timeouts, order]: [&[u8]; 2],
    channel: &[u8],
    entries: &[(String, Vec<u8>)],
) -> Result<TimedResult<OfferResult>, StoreError> {
    let args = std::iter::once(channel).chain(pairs(entries));
    run(lane, &OFFER, &[timeouts, order], args, |[head, refused]| {
        let head = Head::read(head)?;
        let refused = indices(refused)?;
        Some(OfferResult { refused, head })
    })
    .await
}

/// `offer-zset-list.lua`. `entries`: score as text, message.
pub(in crate::store) async fn offer_zset_list(
    lane: &Lane,
    timeouts: &[u8],
    entries: &[(String, Vec<u8>)],
) -> Result<TimedResult<OfferResult>, StoreError> {
    run(
        lane,
        &OFFER_ZSET_LIST,
        &[timeouts],
        pairs(entries),
        |[refused]| {
            let refused = indices(refused)?;
            let head = Head::Behind;
            Some(OfferResult { refused, head })
        },
    )
    .await
}

fn pairs(entries: &[(String, Vec<u8>)]) -> impl Iterator<Item = &[u8]> {
    entries
        .iter()
        .flat_map(|(score, member)| [score.as_bytes(), member.as_slice()])
}
