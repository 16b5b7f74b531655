//! The scripts of the bulk ways: set aside, bring back, swap, sweep, put back, and what mends
//! drift. Each is all or nothing towards each entry, and may be repeated by anybody at any time.

mod answers;
mod read;
mod subset;

use redis::Value;

use self::answers::{all_wait, appended, brought_back, put_back, round};
pub use self::read::{ListSample, QueueSizes, facts, sample_list};
pub use self::subset::is_known_to_wait;
use super::error::StoreError;
pub use super::script::TimedResult;
use super::script::{self, Script};
use super::write::{Portion, Writer};
use crate::queue::Queue;

/// Elements of a list that one script handles at most (`unpack` ends near 8,000).
pub const MOST_MOVED: usize = 2_000;

/// Pairs that one script swaps at most.
pub const MOST_SWAPPED: usize = 2_000;

/// Entries that one script puts back at most: the arguments stay below 4,000.
pub const MOST_PUT_BACK: usize = 1_300;

/// Entries that one script appends at most.
pub const MOST_APPENDED: usize = 1_900;

static ALL_WAIT: Script = script::script!(
    [guard, waiting, "all-wait.lua"],
    "rebuild the order list",
    ["zset", "list"]
);
static SET_ASIDE: Script = script::script!(
    [guard, "set-aside.lua"],
    "rebuild the order list",
    ["zset", "list", "list"]
);
static BRING_BACK: Script = script::script!(
    [guard, waiting, "bring-back.lua"],
    "bring the order list back",
    ["zset", "list", "list"]
);
static SWAP: Script = script::script!([guard, "swap.lua"], "sort the order list", ["list"]);
static SWEEP: Script = script::script!(
    [guard, round, "sweep.lua"],
    "rebuild the order list",
    ["zset", "list", "zset"]
);
static EDIT: Script = script::script!(
    [guard, aside, round, "edit-round.lua"],
    "edit entries",
    ["zset", "list", "list"]
);
static PUT_BACK: Script = script::script!(
    [guard, aside, "put-back-round.lua"],
    "put entries back",
    ["zset", "list", "list", "zset"]
);
static APPEND: Script = script::script!(
    [guard, "append.lua"],
    "append entries to the order list",
    ["zset", "list", "list"]
);
static DROP_COPY: Script = script::script!(
    [guard, "drop-copy.lua"],
    "take a second copy out of the order list",
    ["list"]
);

/// The result of setting an order list aside.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SetAside {
    /// It is aside now.
    Done,
    /// There is none, or nothing waits.
    Nothing,
    /// One is aside already, by an interrupted or another change.
    AlreadyThere,
    /// It has an expiry, which must not be carried off; or timeouts has one.
    Expires,
}

/// The result of looking whether all that stands in a part of the order list waits.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum AllWait {
    /// All of it does, up to its end.
    Yes,
    /// All of it up to this place, behind this element; the rest was not looked at.
    SoFar(u64, Vec<u8>),
    /// An element does not wait.
    No,
    /// Another element stands before that place: others have taken some out of it.
    Lost,
}

/// The fate of what does not wait any more when an order list is brought back.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum StrayFate {
    /// It is dropped.
    Counted,
    /// It is dropped, and told.
    Told,
    /// It is dropped as long as anything waits. Some entries should: without any, timeouts was
    /// deleted or renamed, and all comes back.
    UnlessLost,
}

/// The result of bringing a part of an order list back.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct BroughtBack {
    /// Elements that were taken; 0: nothing is aside any more.
    pub taken: u64,
    /// Elements that are still aside.
    pub left: u64,
    /// Elements dropped since they do not wait any more; empty unless it was to be told.
    pub dropped: Vec<Vec<u8>>,
}

/// Two places of the order list that change what stands there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Swap {
    /// Indices from the head, when the list was read.
    pub places: [u32; 2],
    /// Bytes 1 to 8 of what stands at each (counted from 0). Shorter elements cannot be swapped.
    pub marks: [[u8; 8]; 2],
}

/// The place of entries that have left a queue.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AwayPlace {
    /// Nowhere on the server.
    Nowhere,
    /// In quarantine.
    Quarantined,
}

impl AwayPlace {
    fn key(self, queue: &Queue) -> Option<Vec<u8>> {
        (self == Self::Quarantined).then(|| queue.keys().quarantine)
    }
}

/// The work of a sweep on an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Broom {
    /// It leaves timeouts and the order list, when it has this score.
    Delete(f64),
    /// The same of one that a script may have deleted whose answer never came: where it does not
    /// wait, its copies leave the order list all the same.
    DeleteAgain(f64),
    /// Others of its copies stand behind those that go round: at most so many of these leave the
    /// order list, when it has this score. It stays in timeouts.
    Thin(f64, u64),
    /// It is known to stand nowhere in the order list: it leaves timeouts, when it has this score.
    Forget(f64),
    /// Its copies leave the order list, unless it waits.
    Stray,
}

/// The result of a sweep for an element.
#[derive(Clone, Debug, PartialEq)]
pub enum SweepFate {
    /// It left. Where it stood: behind this element, which stays; none: before all that went round
    /// in this script. Of one that was edited: it has its new bytes.
    Left(Option<Vec<u8>>),
    /// Nothing: timeouts does not hold it; of a stray: it does.
    Not,
    /// Nothing: it has this other score.
    Changed(f64),
    /// Beside that, so many more of its copies left the order list.
    Copies(u64),
    /// Nothing: the bytes that it was to get wait already.
    Twin,
}

/// The result of a script that let the list go round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListRound {
    /// Elements that went round: fewer than asked at the end of the list.
    pub went: usize,
    /// The last of them that stays; none: none does.
    pub last: Option<Vec<u8>>,
    /// The fates of those that stood among them: index, and fate.
    pub swept: Vec<(usize, SweepFate)>,
}

/// The place to which an entry goes when it is put back.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ReturnPlace<'a> {
    /// The head of the list, before what goes round.
    Head,
    /// Behind this element, when it is among what goes round (or nothing goes round).
    Behind(&'a [u8]),
    /// The tail of the list, behind what goes round.
    Tail,
}

/// An entry that is put back.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnedEntry<'a> {
    /// The place to which it goes.
    pub to: ReturnPlace<'a>,
    /// The score that it gets.
    pub score: f64,
    /// Its exact bytes.
    pub member: &'a [u8],
}

/// The fate of an entry that was to be put back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReturnFate {
    /// It is back.
    Done,
    /// Nothing was done: it waits already, with this score.
    Waits(f64),
    /// Nothing was done: it is not in quarantine.
    Gone,
    /// Nothing was done: it has this other score in quarantine.
    Changed(f64),
    /// Nothing was done: its neighbour is not among what went round.
    NoNeighbour,
}

/// The order list as somebody has read it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ReadOrder {
    /// One was aside, and was read too.
    pub aside: bool,
    /// Its last element; none: it had none.
    pub last: Option<Vec<u8>>,
}

/// The fate of an entry that was to be appended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AppendFate {
    /// It stands at the tail now.
    Done,
    /// It does not wait any more.
    Gone,
    /// It is in the order list already.
    There,
}

impl Writer {
    /// Looks whether all that stands in the order list waits: this portion of it (1 to
    /// [`MOST_MOVED`] elements), from a place on, behind an element that was looked at.
    pub async fn all_wait(
        &self,
        queue: &Queue,
        (place, behind): (u64, &[u8]),
        portion: impl Into<Portion>,
    ) -> Result<TimedResult<AllWait>, StoreError> {
        let [timeouts, order, _] = self.three_keys(&ALL_WAIT, queue)?;
        let [n, bytes] = portion.into().args();
        let place = place.to_string();
        let args = [place.as_bytes(), n.as_bytes(), bytes.as_bytes(), behind];
        let read = |answer: &[Value; 3]| all_wait(answer);
        script::run(&self.lane, &ALL_WAIT, &[&timeouts, &order], args, read).await
    }

    /// Renames the order list to [`Keys::aside`](crate::queue::Keys::aside). O(1).
    pub async fn set_aside(&self, queue: &Queue) -> Result<TimedResult<SetAside>, StoreError> {
        let keys = self.three_keys(&SET_ASIDE, queue)?;
        let keys = keys.each_ref().map(Vec::as_slice);
        script::run(&self.lane, &SET_ASIDE, &keys, [], |[what]: &[Value; 1]| {
            Some(match what {
                Value::Int(0) => SetAside::Done,
                Value::Int(1) => SetAside::Nothing,
                Value::Int(2) => SetAside::AlreadyThere,
                Value::Int(3) => SetAside::Expires,
                _ => return None,
            })
        })
        .await
    }

    /// Asks whether [`set_aside`](Self::set_aside) would be refused; does nothing.
    pub async fn may_set_aside(&self, queue: &Queue) -> Result<(), StoreError> {
        let keys = self.three_keys(&SET_ASIDE, queue)?;
        let keys = keys.each_ref().map(Vec::as_slice);
        let asked = script::run(
            &self.lane,
            &SET_ASIDE,
            &keys,
            [&b"ask"[..]],
            |_: &[Value; 1]| Some(()),
        );
        asked.await.map(drop)
    }

    /// Brings the last elements of a list that is aside, at most this portion (1 to [`MOST_MOVED`]
    /// of them), back to the head of the order list, without those that do not wait any more.
    pub async fn bring_back(
        &self,
        queue: &Queue,
        portion: impl Into<Portion>,
        dropping: StrayFate,
    ) -> Result<TimedResult<BroughtBack>, StoreError> {
        let keys = self.three_keys(&BRING_BACK, queue)?;
        let keys = keys.each_ref().map(Vec::as_slice);
        let [n, bytes] = portion.into().args();
        let how = match dropping {
            StrayFate::Counted => "0",
            StrayFate::Told => "1",
            StrayFate::UnlessLost => "2",
        };
        let args = [n.as_str(), how, &bytes].map(str::as_bytes);
        script::run(&self.lane, &BRING_BACK, &keys, args, brought_back).await
    }

    /// Lets pairs of elements of the order list change places, at most [`MOST_SWAPPED`]; which did
    /// not (indices into `swaps`), because something else stands there.
    pub async fn swap(
        &self,
        queue: &Queue,
        swaps: &[Swap],
    ) -> Result<TimedResult<Vec<usize>>, StoreError> {
        let [_, order, _] = self.three_keys(&SWAP, queue)?;
        let mut blob = Vec::with_capacity(swaps.len() * 24);
        for swap in swaps {
            blob.extend(swap.places.iter().flat_map(|place| place.to_le_bytes()));
            blob.extend(swap.marks.as_flattened());
        }
        let args = [blob.as_slice()];
        script::run(&self.lane, &SWAP, &[&order], args, |[missed]| {
            script::indices(missed)
        })
        .await
    }

    /// Lets the first `n` elements of the order list (at most [`MOST_MOVED`]) go round to its
    /// tail, and does with the chosen ones among them what their [`Broom`] says. `to`: where what
    /// leaves timeouts goes.
    pub async fn sweep(
        &self,
        queue: &Queue,
        n: usize,
        chosen: &[(&[u8], Broom)],
        to: AwayPlace,
    ) -> Result<TimedResult<ListRound>, StoreError> {
        let [timeouts, order, _] = self.three_keys(&SWEEP, queue)?;
        let quarantine = to.key(queue);
        let keys = [Some(&timeouts), Some(&order), quarantine.as_ref()];
        let keys: Vec<&[u8]> = keys.into_iter().flatten().map(Vec::as_slice).collect();
        let n = n.min(MOST_MOVED).to_string();
        let blob = blob(chosen.iter().map(|c| c.1));
        let args = [n.as_bytes(), &blob];
        let args = args.into_iter().chain(chosen.iter().map(|c| c.0));
        script::run(&self.lane, &SWEEP, &keys, args, round).await
    }

    /// Lets the first `n` elements of the order list (at most [`MOST_MOVED`]) go round to its tail,
    /// and gives the chosen ones among them, which their [`Broom`]s would let leave, the bytes behind
    /// them instead. Refused with the code `ASIDE` while the order list is set aside.
    pub async fn edit_around(
        &self,
        queue: &Queue,
        n: usize,
        chosen: &[(&[u8], Broom, &[u8])],
    ) -> Result<TimedResult<ListRound>, StoreError> {
        let keys = self.three_keys(&EDIT, queue)?;
        let keys = keys.each_ref().map(Vec::as_slice);
        let n = n.min(MOST_MOVED).to_string();
        let blob = blob(chosen.iter().map(|c| c.1));
        let args = [n.as_bytes(), &blob];
        let each = chosen.iter().flat_map(|(member, _, new)| [*member, *new]);
        script::run(
            &self.lane,
            &EDIT,
            &keys,
            args.into_iter().chain(each),
            round,
        )
        .await
    }

    /// Puts deleted entries back (at most [`MOST_PUT_BACK`]) while the first `n` elements of the
    /// order list go round to its tail. Entries with the same neighbour stand in the order given.
    /// How many elements went round, and what became of each entry. Refused with the code `ASIDE`
    /// while the order list is set aside. `from`: where they are until then.
    pub async fn put_back_around(
        &self,
        queue: &Queue,
        n: usize,
        entries: &[ReturnedEntry<'_>],
        from: AwayPlace,
    ) -> Result<TimedResult<(usize, Vec<ReturnFate>)>, StoreError> {
        let keys = self.three_keys(&PUT_BACK, queue)?;
        let quarantine = from.key(queue);
        let keys = keys.iter().chain(&quarantine);
        let keys: Vec<&[u8]> = keys.map(Vec::as_slice).collect();
        let n = n.min(MOST_MOVED).to_string();
        let texts: Vec<[Vec<u8>; 2]> = entries
            .iter()
            .map(|entry| {
                let to = match entry.to {
                    ReturnPlace::Head => b"h".to_vec(),
                    ReturnPlace::Tail => b"t".to_vec(),
                    ReturnPlace::Behind(element) => [b"b", element].concat(),
                };
                [to, entry.score.to_string().into_bytes()]
            })
            .collect();
        let each = texts.iter().zip(entries);
        let args = each.flat_map(|([to, score], entry)| [to.as_slice(), score, entry.member]);
        let args = std::iter::once(n.as_bytes()).chain(args);
        script::run(&self.lane, &PUT_BACK, &keys, args, put_back).await
    }

    /// Appends entries (at most [`MOST_APPENDED`]) that wait, but were not in the order list when
    /// that was read as `seen` says; what became of each. None, and nothing was done: it is not the
    /// list that was read any more. `look`: each is looked for in the whole list first, which costs
    /// about 16 ns for each of its elements; a server before 6.0.6 cannot.
    pub async fn append(
        &self,
        queue: &Queue,
        seen: &ReadOrder,
        members: &[&[u8]],
        look: bool,
    ) -> Result<TimedResult<Option<Vec<AppendFate>>>, StoreError> {
        let keys = self.three_keys(&APPEND, queue)?;
        let keys = keys.each_ref().map(Vec::as_slice);
        let aside: &[u8] = if seen.aside { b"1" } else { b"0" };
        let last = (seen.last.as_ref()).map_or(Vec::new(), |last| [b"l", &last[..]].concat());
        let look: &[u8] = if look { b"1" } else { b"0" };
        let args = [aside, &last, look].into_iter();
        let args = args.chain(members.iter().copied());
        let done = script::run(&self.lane, &APPEND, &keys, args, appended).await?;
        Ok(done.map(Result::ok))
    }

    /// Takes the second copy of `element` out of the order list, when it still stands at both (or
    /// a little nearer to the head); whether it did.
    pub async fn drop_copy(
        &self,
        queue: &Queue,
        places: [u64; 2],
        element: &[u8],
    ) -> Result<TimedResult<bool>, StoreError> {
        let [_, order, _] = self.three_keys(&DROP_COPY, queue)?;
        let places = places.map(|place| place.to_string().into_bytes());
        let args = [&places[0], &places[1], element];
        script::run(&self.lane, &DROP_COPY, &[&order], args, |[done]| {
            Some(*done == Value::Int(1))
        })
        .await
    }

    /// Timeouts, order list, and the name of one that is aside.
    fn three_keys(&self, script: &Script, queue: &Queue) -> Result<[Vec<u8>; 3], StoreError> {
        let keys = queue.keys();
        if let (Some(order), Some(aside)) = (keys.order, keys.aside) {
            return Ok([keys.timeouts, order, aside]);
        }
        let why = format!("the queue {} has no order list", queue.name);
        Err(self.impossible(script.attempt, why))
    }
}

/// Tells what is to be done with each, as scripts read it.
fn blob(brooms: impl ExactSizeIterator<Item = Broom>) -> Vec<u8> {
    let mut blob = Vec::with_capacity(brooms.len() * 9);
    for broom in brooms {
        let (kind, score) = match broom {
            Broom::Delete(score) => (0, score),
            Broom::Forget(score) => (1, score),
            Broom::Stray => (2, 0.0),
            Broom::DeleteAgain(score) => (3, score),
            Broom::Thin(score, most) => {
                let most = u8::try_from(most).unwrap_or(u8::MAX);
                (3 + most.clamp(1, u8::MAX - 3), score)
            }
        };
        blob.push(kind);
        blob.extend(score.to_le_bytes());
    }
    blob
}
