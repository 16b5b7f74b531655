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
    /// In target, with its frame.
    Framed,
    /// In the order list alone, or in what is aside of it.
    OnlyListed,
    /// It is a key, and expires.
    Expires,
    /// It is the text under that key, where one of the queue should be.
    Under(String),
}

/// Where each message is; what is in none is not told.
pub type Places = BTreeMap<String, Place>;

/// The text of a key that has taken the name of one of the queue: that name.
pub const TAKEN: &str = "orders";
/// What the name of a second copy ends with.
const AGAIN: &str = " again";

/// The elements of a list; none where the key is of another type.
const LIST: &str = "if redis.call('type', KEYS[1]).ok ~= 'list' then return {} end; \
    return redis.call('lrange', KEYS[1], 0, -1)";
/// Those of the keys that expire.
const EXPIRING: &str = "local found = {}; \
    for _, key in ipairs(KEYS) do \
        if redis.call('pttl', key) > 0 then found[#found + 1] = key end \
    end; return found";
/// All keys of texts, each with its text.
const TEXTS: &str = "local found = {}; \
    for _, key in ipairs(redis.call('keys', '*')) do \
        if redis.call('type', key).ok == 'string' then \
            found[#found + 1] = key; found[#found + 1] = redis.call('get', key) \
        end \
    end; return found";

type Elements = Vec<Vec<u8>>;
type Scored = Vec<(Vec<u8>, String)>;
/// All that is read at once.
type Read = (
    Scored,
    Elements,
    Elements,
    Elements,
    Scored,
    Elements,
    Elements,
    Vec<String>,
    Vec<(String, String)>,
);

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
        for list in [keys.order.as_ref(), keys.aside.as_ref(), Some(&keys.target)] {
            all.cmd("EVAL").arg(LIST).arg(1).arg(list);
        }
        all.cmd("ZRANGE")
            .arg(&keys.quarantine)
            .arg(0)
            .arg(-1)
            .arg("WITHSCORES");
        all.cmd("HVALS").arg(&keys.hold.held);
        all.cmd("LRANGE").arg(&keys.hold.intake).arg(0).arg(-1);
        let own = [
            Some(&keys.timeouts),
            keys.order.as_ref(),
            Some(&keys.target),
        ];
        all.cmd("EVAL").arg(EXPIRING).arg(3).arg(&own);
        all.cmd("EVAL").arg(TEXTS).arg(0);
        let (scored, order, aside, target, kept, held, intake, expiring, texts): Read =
            all.query(&mut server.connection()).unwrap();
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
            match queue.unwrap(&element) {
                Ok(framed) => world.add(framed.payload, Place::Framed),
                Err(_) => world.add(&element, Place::Delivered),
            }
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
        let expiring = expiring.into_iter().map(|key| (key, Place::Expires));
        let texts = texts.into_iter();
        let taken = texts.filter(|(_, text)| text == TAKEN);
        let taken = taken.map(|(key, text)| (text, Place::Under(key)));
        world.places.extend(expiring.chain(taken));
        world
    }

    /// The same with what the order list alone holds, where a change is about that.
    pub fn with_strays(mut self) -> Self {
        let listed = self.order.iter().chain(&self.aside);
        let strays: Vec<Vec<u8>> = listed
            .filter(|member| self.waiting.binary_search(member).is_err())
            .cloned()
            .collect();
        for stray in strays {
            self.add(&stray[17..], Place::OnlyListed);
        }
        self
    }

    /// The same where copies are made: that one of them is there is not wrong.
    pub fn with_copies(mut self) -> Self {
        self.doubled.retain(|name| name.ends_with(AGAIN));
        self
    }

    fn add(&mut self, payload: &[u8], place: Place) {
        let mut name = String::from_utf8(payload.to_vec()).unwrap();
        while self.places.contains_key(&name) {
            self.doubled.insert(name.clone());
            name.push_str(AGAIN);
        }
        self.places.insert(name, place);
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
