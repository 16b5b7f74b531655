//! The scripts of the bulk ways, each applied to the real queue and to the model.

use std::collections::BTreeMap;

use delayscope::store::bulk::{
    AppendFate, AwayPlace, Broom, BroughtBack, ReadOrder, ReturnFate, ReturnPlace, ReturnedEntry,
    SetAside, StrayFate, Swap, SweepFate,
};
use delayscope::store::change::{ChosenEntry, ListPlace};
use proptest::sample::Index;

use crate::interleaved::model::Model;
use crate::interleaved::ours::{Checked, We, refused, same};

/// How far before a place a swap looks for what stood there.
const NEAR: usize = 256;

/// Where an element with that mark stands: at that place, or a little nearer to the head.
fn find(order: &[Vec<u8>], place: usize, mark: [u8; 8]) -> Option<usize> {
    if order.is_empty() {
        return None;
    }
    let last = place.min(order.len() - 1);
    let first = place.saturating_sub(NEAR);
    (first..=last).rev().find(|at| order[*at][1..9] == mark)
}

fn mark(element: &[u8]) -> [u8; 8] {
    element[1..9].try_into().unwrap()
}

impl We<'_> {
    pub async fn set_aside(&mut self, model: &mut Model) -> Checked {
        let told = self.writer.set_aside(self.queue).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let expected = if !model.aside.is_empty() {
            SetAside::AlreadyThere
        } else if model.waiting.is_empty() || model.order.is_empty() {
            SetAside::Nothing
        } else {
            model.aside = std::mem::take(&mut model.order);
            SetAside::Done
        };
        same("set aside", &told, &expected)
    }

    pub async fn bring_back(&mut self, model: &mut Model, n: u8) -> Checked {
        let n = usize::from(n);
        let told = self.writer.bring_back(self.queue, n, StrayFate::Told).await;
        let mut told = told.map_err(|e| e.to_string())?.done;
        let taken = model.aside.split_off(model.aside.len().saturating_sub(n));
        let count = taken.len() as u64;
        let (kept, mut dropped): (Vec<_>, Vec<_>) =
            { taken.into_iter() }.partition(|member| model.waiting.contains_key(member));
        model.order.splice(0..0, kept);
        dropped.sort();
        told.dropped.sort();
        let expected = BroughtBack {
            taken: count,
            left: model.aside.len() as u64,
            dropped,
        };
        same("bring back", &told, &expected)
    }

    pub async fn swap(&mut self, model: &mut Model, pairs: &[(Index, Index)]) -> Checked {
        let seen = &self.seen.order;
        if seen.is_empty() {
            return Ok(());
        }
        let swap = |(a, b): &(Index, Index)| {
            let places = [a.index(seen.len()), b.index(seen.len())];
            Swap {
                places: places.map(|place| u32::try_from(place).unwrap()),
                marks: places.map(|place| mark(&seen[place])),
            }
        };
        let swaps: Vec<Swap> = pairs.iter().map(swap).collect();
        let told = self.writer.swap(self.queue, &swaps).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let mut missed = Vec::new();
        for (n, Swap { places, marks }) in swaps.iter().enumerate() {
            let places = [0, 1].map(|i| find(&model.order, places[i] as usize, marks[i]));
            match places {
                [Some(a), Some(b)] if a != b => model.order.swap(a, b),
                _ => missed.push(n),
            }
        }
        same("swap", &told, &missed)
    }

    pub async fn sweep(
        &mut self,
        model: &mut Model,
        n: u8,
        which: &[Index],
        to: AwayPlace,
    ) -> Checked {
        let n = usize::from(n).min(model.order.len());
        let mut chosen = self.chosen(which);
        chosen.sort_by(|a, b| a.member.cmp(&b.member));
        chosen.dedup_by(|a, b| a.member == b.member);
        let brooms: Vec<(&[u8], Broom)> = { chosen.iter() }
            .map(|c| (c.member.as_slice(), Broom::Delete(c.score)))
            .collect();
        let told = self.writer.sweep(self.queue, n, &brooms, to).await;
        let told = told.map_err(|e| e.to_string())?.done;
        same("sweep went", &told.went, &n)?;
        let slice: Vec<Vec<u8>> = model.order.drain(..n).collect();
        let (mut expected, mut kept, mut left) = (Vec::new(), Vec::new(), Vec::new());
        let mut looked = Vec::new();
        let mut more = BTreeMap::new();
        for element in slice {
            // Further copies go where the first one went.
            if let Some(index) = chosen.iter().position(|c| c.member == element)
                && !looked.contains(&index)
            {
                looked.push(index);
                let what = match model.waiting.get(&element) {
                    None => SweepFate::Not,
                    Some(score) if score.total_cmp(&chosen[index].score).is_ne() => {
                        SweepFate::Changed(*score)
                    }
                    Some(_) => {
                        left.push(element.clone());
                        SweepFate::Left(kept.last().cloned())
                    }
                };
                expected.push((index, what));
            } else if left.contains(&element) {
                let index = chosen.iter().position(|c| c.member == element).unwrap();
                *more.entry(index).or_insert(0) += 1;
            }
            if !left.contains(&element) {
                kept.push(element);
            }
        }
        for element in left {
            let score = model.waiting.remove(&element);
            if let Some(score) = score.filter(|_| to == AwayPlace::Quarantined) {
                model.quarantine.insert(element.clone(), score);
                let place = Some(ListPlace::Tail);
                let member = element;
                self.kept.push((ChosenEntry { member, score }, place));
            }
        }
        model.order.extend(kept);
        let mut swept = told.swept;
        let copies = swept.split_off(expected.len().min(swept.len()));
        same("sweep", &swept, &expected)?;
        let copies: BTreeMap<usize, SweepFate> = copies.into_iter().collect();
        let more = more.into_iter().map(|(i, n)| (i, SweepFate::Copies(n)));
        same("sweep's copies", &copies, &more.collect())
    }

    pub async fn edit_around(&mut self, model: &mut Model, n: u8, which: &[Index]) -> Checked {
        let n = usize::from(n).min(model.order.len());
        let mut chosen = self.chosen(which);
        chosen.sort_by(|a, b| a.member.cmp(&b.member));
        chosen.dedup_by(|a, b| a.member == b.member);
        let edits = self.edits(chosen);
        let brooms: Vec<(&[u8], Broom, &[u8])> = { edits.iter() }
            .map(|(c, new)| (c.member.as_slice(), Broom::Delete(c.score), new.as_slice()))
            .collect();
        let told = self.writer.edit_around(self.queue, n, &brooms).await;
        let Some(told) = refused(model, told)? else {
            return Ok(());
        };
        let slice: Vec<Vec<u8>> = model.order.drain(..n).collect();
        let (mut expected, mut met) = (Vec::new(), BTreeMap::new());
        let mut more = BTreeMap::new();
        for element in slice {
            let Some(index) = edits.iter().position(|(c, _)| c.member == element) else {
                model.order.push(element);
                continue;
            };
            let (chosen, new) = &edits[index];
            if met.get(&index) == Some(&true) {
                // The first copy has the new bytes.
                *more.entry(index).or_insert(0) += 1;
                continue;
            }
            let has = model.waiting.get(&element).copied();
            let done = has.is_some_and(|has| has.total_cmp(&chosen.score).is_eq());
            if met.insert(index, done).is_none() {
                let what = match has {
                    _ if done => SweepFate::Left(None),
                    Some(other) => SweepFate::Changed(other),
                    None => SweepFate::Not,
                };
                expected.push((index, what));
            }
            if let Some(score) = has.filter(|_| done) {
                model.waiting.remove(&element);
                model.waiting.insert(new.clone(), score);
                model.order.push(new.clone());
            } else {
                model.order.push(element);
            }
        }
        let mut swept = told.done.swept;
        let copies = swept.split_off(expected.len().min(swept.len()));
        same("swept edit went", &told.done.went, &n)?;
        same("swept edit", &swept, &expected)?;
        let copies: BTreeMap<usize, SweepFate> = copies.into_iter().collect();
        let more = more.into_iter().map(|(i, n)| (i, SweepFate::Copies(n)));
        same("swept edit's copies", &copies, &more.collect())
    }

    pub async fn put_back_around(&mut self, model: &mut Model, n: u8, from: AwayPlace) -> Checked {
        let deleted = match from {
            AwayPlace::Nowhere => std::mem::take(&mut self.deleted),
            AwayPlace::Quarantined => self.take_kept(),
        };
        let back: Vec<ReturnedEntry<'_>> = deleted
            .iter()
            .rev()
            .map(|(chosen, place)| ReturnedEntry {
                to: match place {
                    ListPlace::Head => ReturnPlace::Head,
                    ListPlace::Behind(other) | ListPlace::BehindNth(other, _) => {
                        ReturnPlace::Behind(other)
                    }
                    ListPlace::Tail => ReturnPlace::Tail,
                },
                score: chosen.score,
                member: &chosen.member,
            })
            .collect();
        let told = self
            .writer
            .put_back_around(self.queue, n.into(), &back, from);
        let Some(told) = refused(model, told.await)? else {
            return Ok(());
        };
        let went = usize::from(n).min(model.order.len());
        let expected = match n {
            0 => put_beside(model, &back, from),
            _ => put_around(model, &back, went, from),
        };
        let expected: Vec<ReturnFate> = (0..back.len()).map(|i| expected[&i]).collect();
        same("put back around", &told.done, &(went, expected))
    }

    pub async fn drop_copy(&mut self, model: &mut Model, which: Index) -> Checked {
        let seen = &self.seen.order;
        let second = |(at, element): (usize, &Vec<u8>)| {
            let first = seen[..at].iter().position(|other| other == element)?;
            Some([first, at])
        };
        let mut copies: Vec<[usize; 2]> = seen.iter().enumerate().filter_map(second).collect();
        if copies.is_empty() {
            copies.extend((1..seen.len()).map(|at| [at - 1, at]));
        }
        if copies.is_empty() {
            return Ok(());
        }
        let [first, second] = *which.get(&copies);
        let element = &seen[second];
        let places = [first as u64, second as u64];
        let told = self.writer.drop_copy(self.queue, places, element).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let stands = |place: usize, from: usize| {
            let first = from.max(place.saturating_sub(NEAR));
            let end = model.order.len().min(place + 1);
            (first..end).rev().find(|at| model.order[*at] == *element)
        };
        let copy = stands(first, 0).and_then(|one| stands(second, one + 1));
        if let Some(copy) = copy {
            model.order.remove(copy);
        }
        same("drop copy", &told, &copy.is_some())
    }

    pub async fn append(&mut self, model: &mut Model) -> Checked {
        let seen = ReadOrder {
            aside: !self.seen.aside.is_empty(),
            last: self.seen.order.last().cloned(),
        };
        let listed = |member: &&Vec<u8>| {
            self.seen.order.contains(*member) || self.seen.aside.contains(*member)
        };
        let lacking: Vec<&Vec<u8>> = self
            .seen
            .waiting
            .keys()
            .filter(|member| !listed(member))
            .collect();
        let members: Vec<&[u8]> = lacking.iter().map(|member| member.as_slice()).collect();
        let look = members.len().is_multiple_of(2);
        let told = self.writer.append(self.queue, &seen, &members, look).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let same_list = seen.aside != model.aside.is_empty()
            && seen.last.is_none_or(|last| model.order.contains(&last));
        let one = |member: &&Vec<u8>| {
            if model.order.contains(*member) {
                AppendFate::There
            } else if model.waiting.contains_key(*member) {
                model.order.push((*member).clone());
                AppendFate::Done
            } else {
                AppendFate::Gone
            }
        };
        let expected: Option<Vec<AppendFate>> =
            same_list.then(|| lacking.iter().map(one).collect());
        same("append", &told, &expected)
    }
}

type Fates = BTreeMap<usize, ReturnFate>;

/// Why an entry of quarantine does not come.
fn stays(model: &Model, entry: &ReturnedEntry<'_>, from: AwayPlace) -> Option<ReturnFate> {
    if from == AwayPlace::Nowhere {
        return None;
    }
    match model.quarantine.get(entry.member) {
        None => Some(ReturnFate::Gone),
        Some(has) if has.total_cmp(&entry.score).is_ne() => Some(ReturnFate::Changed(*has)),
        Some(_) => None,
    }
}

/// Lets an entry wait again, unless it does; and whether it has come to wait.
fn wait(model: &mut Model, entry: &ReturnedEntry<'_>, from: AwayPlace) -> (ReturnFate, bool) {
    if let Some(why) = stays(model, entry, from) {
        return (why, false);
    }
    let before = model.waiting.get(entry.member).copied();
    let same = before.is_none_or(|has| has.total_cmp(&entry.score).is_eq());
    if let Some(has) = before.filter(|_| from == AwayPlace::Nowhere || !same) {
        return (ReturnFate::Waits(has), false);
    }
    if from == AwayPlace::Quarantined {
        model.quarantine.remove(entry.member);
    }
    model.waiting.insert(entry.member.to_vec(), entry.score);
    (ReturnFate::Done, before.is_none())
}

/// Nothing goes round: each comes behind its neighbour, wherever that is.
fn put_beside(model: &mut Model, back: &[ReturnedEntry<'_>], from: AwayPlace) -> Fates {
    let mut fates = Fates::new();
    let mut neighbours: Vec<&[u8]> = Vec::new();
    for entry in back {
        if let ReturnPlace::Behind(neighbour) = entry.to
            && !neighbours.contains(&neighbour)
        {
            neighbours.push(neighbour);
        }
    }
    for neighbour in neighbours {
        for (i, entry) in back.iter().enumerate().rev() {
            if entry.to != ReturnPlace::Behind(neighbour) {
                continue;
            }
            let stands = model.order.iter().position(|other| other == neighbour);
            let waits = model.waiting.contains_key(entry.member);
            let fate = match (stays(model, entry, from), stands) {
                (Some(why), _) => why,
                (None, None) if !waits => ReturnFate::NoNeighbour,
                (None, at) => {
                    if let Some(at) = at.filter(|_| !waits) {
                        model.order.insert(at + 1, entry.member.to_vec());
                    }
                    wait(model, entry, from).0
                }
            };
            fates.insert(i, fate);
        }
    }
    for (i, entry) in back.iter().enumerate().rev() {
        if entry.to == ReturnPlace::Head {
            let (fate, comes) = wait(model, entry, from);
            fates.insert(i, fate);
            if comes {
                model.order.insert(0, entry.member.to_vec());
            }
        }
    }
    for (i, entry) in back.iter().enumerate() {
        if entry.to == ReturnPlace::Tail {
            let (fate, comes) = wait(model, entry, from);
            fates.insert(i, fate);
            if comes {
                model.order.push(entry.member.to_vec());
            }
        }
    }
    fates
}

/// The first `went` go round, with each right behind its neighbour.
fn put_around(
    model: &mut Model,
    back: &[ReturnedEntry<'_>],
    went: usize,
    from: AwayPlace,
) -> Fates {
    let slice: Vec<Vec<u8>> = model.order.drain(..went).collect();
    let mut fates: Fates = (0..back.len())
        .map(|i| (i, ReturnFate::NoNeighbour))
        .collect();
    let mut put = |model: &mut Model, to: &ReturnPlace<'_>| {
        for (i, entry) in back.iter().enumerate().filter(|(_, entry)| entry.to == *to) {
            let (fate, comes) = wait(model, entry, from);
            fates.insert(i, fate);
            if comes {
                model.order.push(entry.member.to_vec());
            }
        }
    };
    put(model, &ReturnPlace::Head);
    for (at, element) in slice.iter().enumerate() {
        model.order.push(element.clone());
        if !slice[..at].contains(element) {
            put(model, &ReturnPlace::Behind(element));
        }
    }
    put(model, &ReturnPlace::Tail);
    fates
}
