//! What may happen to a plain queue.

use proptest::prelude::*;
use proptest::sample::Index;

/// What happens next.
#[derive(Clone, Debug)]
pub enum Step {
    /// What our next scripts are about is read now.
    Look,
    /// ZADD of one of a few messages: a new one, or another due time.
    Add(u8, u32),
    /// The poller of others moves at most so many that are due then.
    Poll(u32, u8),
    /// The consumer takes one.
    Consume,
    /// ZREM by hand.
    Zrem(Index),
    /// We offer some of these messages.
    Offer(Vec<u8>, u32),
    /// We delete chosen ones.
    Delete(Vec<Index>),
    /// And put them back.
    PutBack,
    /// Other due times for chosen ones.
    Requeue(Vec<Index>, u32),
    /// Other bytes for chosen ones: one of the few messages.
    Edit(Vec<(Index, u8)>),
    /// We deliver chosen ones.
    Deliver(Vec<Index>),
    /// We transfer what is due then.
    Transfer(u32, u8),
    /// Delivered ones wait again.
    TakeBack(Vec<Index>, u32),
    /// Delivered ones are deleted.
    Discard(Vec<Index>),
    /// And put back.
    PutElementsBack,
}

/// Any step.
pub fn step() -> impl Strategy<Value = Step> {
    let few = || prop::collection::vec(any::<Index>(), 1..6);
    let edits = prop::collection::vec((any::<Index>(), 0..40u8), 1..6);
    let time = || 0..1_000u32;
    prop_oneof![
        4 => Just(Step::Look),
        4 => (0..40u8, time()).prop_map(|(name, due)| Step::Add(name, due)),
        1 => (time(), 1..8u8).prop_map(|(now, n)| Step::Poll(now, n)),
        1 => Just(Step::Consume),
        1 => any::<Index>().prop_map(Step::Zrem),
        2 => (prop::collection::vec(0..40u8, 1..6), time()).prop_map(|(some, due)| Step::Offer(some, due)),
        1 => few().prop_map(Step::Delete),
        1 => Just(Step::PutBack),
        1 => (few(), time()).prop_map(|(which, due)| Step::Requeue(which, due)),
        2 => edits.prop_map(Step::Edit),
        1 => few().prop_map(Step::Deliver),
        2 => (time(), 1..8u8).prop_map(|(now, n)| Step::Transfer(now, n)),
        2 => (few(), time()).prop_map(|(which, due)| Step::TakeBack(which, due)),
        1 => few().prop_map(Step::Discard),
        1 => Just(Step::PutElementsBack),
    ]
}
