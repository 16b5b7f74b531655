//! What may happen next: something that another client does, or one of our scripts with what was
//! seen some time before.

use proptest::prelude::*;
use proptest::sample::Index;

/// One step.
#[derive(Clone, Debug)]
pub enum Step {
    /// What our next scripts are about is read now.
    Look,
    /// Somebody else.
    Theirs(Theirs),
    /// We.
    Ours(Ours),
}

/// What other clients do.
#[derive(Clone, Debug)]
pub enum Theirs {
    /// So many offers, one of them due then, each following one ms later.
    Offer(u32, u8),
    /// A transfer at that time of their clock, of at most so many.
    Transfer(u32, u8),
    /// `poll`.
    Poll,
    /// `remove` of one of the payloads.
    Remove(u8),
    /// ZREM by hand.
    Zrem(Index),
    /// LREM by hand.
    Lrem(Index),
    /// ZADD XX by hand.
    Rescore(Index, u32),
    /// An offer that is sent again: the same frame twice in the order list.
    Copy(Index),
    /// Something that is no frame.
    Foreign(u32),
    /// LPOP of target.
    Consume,
}

/// What we do.
#[derive(Clone, Debug)]
pub enum Ours {
    /// Delete chosen ones.
    Delete(Vec<Index>),
    /// Put back what the last deletion took.
    PutBack,
    /// Other due times for chosen ones.
    Requeue(Vec<Index>, u32),
    /// Deliver chosen ones.
    Deliver(Vec<Index>, bool),
    /// Transfer what is due then, at most so many.
    Transfer(u32, u8, bool),
    /// Let delivered ones wait again.
    TakeBack(Vec<Index>, u32),
    /// Delete delivered ones.
    Discard(Vec<Index>),
    /// Put back what the last of these took.
    PutElementsBack,
    /// Other bytes for chosen ones.
    Edit(Vec<Index>),
    /// Set chosen ones aside in quarantine.
    Quarantine(Vec<Index>),
    /// Let those wait again.
    Restore,
    /// Into quarantine, while so many go round without them.
    SweepAway(u8, Vec<Index>),
    /// Out of it, while so many go round.
    RestoreAround(u8),
    /// Set the order list aside.
    SetAside,
    /// Bring so many back.
    BringBack(u8),
    /// Let pairs of places change what stands there.
    Swap(Vec<(Index, Index)>),
    /// Let so many go round without the chosen ones.
    Sweep(u8, Vec<Index>),
    /// Put back what the last deletion took, while so many go round.
    PutBackAround(u8),
    /// Other bytes for chosen ones, while so many go round.
    EditAround(u8, Vec<Index>),
    /// Append what the order list lacked.
    Append,
    /// Take the second copy of one that stood twice out of the order list; else of any, that is no
    /// copy of the other.
    DropCopy(Index),
}

fn few() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 1..6)
}

/// Due times, and clocks.
fn time() -> impl Strategy<Value = u32> {
    0..1_000u32
}

fn theirs() -> impl Strategy<Value = Theirs> {
    prop_oneof![
        4 => (time(), 1..40u8).prop_map(|(due, n)| Theirs::Offer(due, n)),
        2 => (time(), 1..20u8).prop_map(|(now, n)| Theirs::Transfer(now, n)),
        1 => Just(Theirs::Poll),
        1 => (0..5u8).prop_map(Theirs::Remove),
        1 => any::<Index>().prop_map(Theirs::Zrem),
        1 => any::<Index>().prop_map(Theirs::Lrem),
        1 => (any::<Index>(), time()).prop_map(|(which, due)| Theirs::Rescore(which, due)),
        2 => any::<Index>().prop_map(Theirs::Copy),
        1 => time().prop_map(Theirs::Foreign),
        1 => Just(Theirs::Consume),
    ]
}

fn ours() -> impl Strategy<Value = Ours> {
    let pairs = prop::collection::vec((any::<Index>(), any::<Index>()), 1..6);
    prop_oneof![
        2 => few().prop_map(Ours::Delete),
        2 => Just(Ours::PutBack),
        2 => (few(), time()).prop_map(|(which, due)| Ours::Requeue(which, due)),
        2 => (few(), any::<bool>()).prop_map(|(which, drain)| Ours::Deliver(which, drain)),
        3 => (time(), 1..40u8, any::<bool>()).prop_map(|(now, n, drain)| Ours::Transfer(now, n, drain)),
        2 => (few(), time()).prop_map(|(which, due)| Ours::TakeBack(which, due)),
        1 => few().prop_map(Ours::Discard),
        1 => Just(Ours::PutElementsBack),
        2 => few().prop_map(Ours::Edit),
        3 => few().prop_map(Ours::Quarantine),
        2 => Just(Ours::Restore),
        2 => (0..60u8, few()).prop_map(|(n, which)| Ours::SweepAway(n, which)),
        2 => (0..60u8).prop_map(Ours::RestoreAround),
        2 => Just(Ours::SetAside),
        4 => (1..60u8).prop_map(Ours::BringBack),
        2 => pairs.prop_map(Ours::Swap),
        3 => (0..60u8, few()).prop_map(|(n, which)| Ours::Sweep(n, which)),
        2 => (0..60u8).prop_map(Ours::PutBackAround),
        3 => (0..60u8, few()).prop_map(|(n, which)| Ours::EditAround(n, which)),
        1 => Just(Ours::Append),
        2 => any::<Index>().prop_map(Ours::DropCopy),
    ]
}

/// Any step.
pub fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Look),
        4 => theirs().prop_map(Step::Theirs),
        6 => ours().prop_map(Step::Ours),
    ]
}
