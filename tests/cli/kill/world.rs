//! Where each message is, told by its payload: every one is in exactly one place.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use delayscope::queue::Queue;

use crate::support::Server;

/// Where a message is.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Place {
    /// In timeouts, with that score.
    Waits(String),
    /// In target.
    Delivered,
    /// In quarantine, with that score.
    Quarantined(String),
    /// Held by a consumer of ours.
    Held,
    /// Moved by the server for a consumer of ours.
    Moved,
}

/// Where each message is; what is in none is not told.
pub type Places = BTreeMap<String, Place>;

type Elements = Vec<Vec<u8>>;
type Scored = Vec<(Vec<u8>, String)>;

/// A queue as it lies on the server.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Where each message is.
    pub places: Places,
    /// Messages that are in more than one place, or twice in one.
    pub doubled: BTreeSet<String>,
    /// The members of timeouts, sorted.
    pub waiting: Vec<Vec<u8>>,
    /// The order list.
    pub order: Vec<Vec<u8>>,
    /// The order list that was set aside.
    pub aside: Vec<Vec<u8>>,
}

impl World {
    /// As it is in this moment, all of it read at once.
    pub fn of(server: &Server, queue: &Queue) -> Self {
        let keys = queue.keys();
        let mut all = redis::pipe();
        all.atomic();
        all.cmd("ZRANGE")
            .arg(&keys.timeouts)
            .arg(0)
            .arg(-1)
            .arg("WITHSCORES");
        all.cmd("LRANGE").arg(&keys.order).arg(0).arg(-1);
        all.cmd("LRANGE").arg(&keys.aside).arg(0).arg(-1);
        all.cmd("LRANGE").arg(&keys.target).arg(0).arg(-1);
        all.cmd("ZRANGE")
            .arg(&keys.quarantine)
            .arg(0)
            .arg(-1)
            .arg("WITHSCORES");
        all.cmd("HVALS").arg(&keys.hold.held);
        all.cmd("LRANGE").arg(&keys.hold.intake).arg(0).arg(-1);
        let (scored, order, aside, target, kept, held, intake): (
            Scored,
            Elements,
            Elements,
            Elements,
            Scored,
            Elements,
            Elements,
        ) = all.query(&mut server.connection()).unwrap();
        let mut world = Self {
            order,
            aside,
            ..Self::default()
        };
        for (member, score) in scored {
            world.add(&member[17..], Place::Waits(score));
            world.waiting.push(member);
        }
        for element in target {
            world.add(&element, Place::Delivered);
        }
        for (member, score) in kept {
            world.add(&member[17..], Place::Quarantined(score));
        }
        for (elements, place) in [(held, Place::Held), (intake, Place::Moved)] {
            for element in elements {
                world.add(&element, place.clone());
            }
        }
        world.waiting.sort();
        world
    }

    fn add(&mut self, payload: &[u8], place: Place) {
        let payload = String::from_utf8(payload.to_vec()).unwrap();
        if self.places.insert(payload.clone(), place).is_some() {
            self.doubled.insert(payload);
        }
    }

    /// What is wrong with the order list: nothing may stand in it that does not wait, nothing
    /// twice; and what waits is in it, or, while there is one, in the list that was set aside.
    pub fn disorder(&self) -> Result<(), String> {
        let waiting: BTreeSet<&Vec<u8>> = self.waiting.iter().collect();
        let mut listed = BTreeSet::new();
        for member in &self.order {
            if !waiting.contains(member) {
                return Err(format!("{} does not wait but is listed", told(member)));
            }
            if !listed.insert(member) {
                return Err(format!("{} is listed twice", told(member)));
            }
        }
        for member in &self.aside {
            if listed.contains(member) {
                return Err(format!("{} is listed and aside", told(member)));
            }
        }
        listed.extend(&self.aside);
        match waiting.iter().find(|member| !listed.contains(**member)) {
            Some(member) => Err(format!("{} waits but is not listed", told(member))),
            None => Ok(()),
        }
    }

    /// The members of the order list, sorted.
    pub fn listed(&self) -> Vec<Vec<u8>> {
        let mut listed = self.order.clone();
        listed.sort();
        listed
    }
}

fn told(member: &[u8]) -> String {
    format!(
        "{:?}",
        String::from_utf8_lossy(&member[17.min(member.len())..])
    )
}

/// The messages that are elsewhere in the one than in the other.
pub fn moved(from: &Places, to: &Places) -> BTreeSet<String> {
    let names = from.keys().chain(to.keys());
    names
        .filter(|name| from.get(*name) != to.get(*name))
        .cloned()
        .collect()
}

/// Whether each message of `now` is where it is in `before` or where it is in `after`, save those
/// of `others`, which may be anywhere but in two places.
pub fn astray(
    now: &World,
    before: &Places,
    after: &Places,
    is_others: impl Fn(&str) -> bool,
) -> Result<(), String> {
    let mut wrong = String::new();
    for name in &now.doubled {
        let _ = writeln!(wrong, "{name:?} is doubled");
    }
    let names: BTreeSet<&String> = before
        .keys()
        .chain(after.keys())
        .chain(now.places.keys())
        .collect();
    for name in names.into_iter().filter(|name| !is_others(name)) {
        let place = now.places.get(name);
        if place != before.get(name) && place != after.get(name) {
            let (before, after) = (before.get(name), after.get(name));
            let _ = writeln!(
                wrong,
                "{name:?} is {place:?}; before {before:?}, done {after:?}"
            );
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}
