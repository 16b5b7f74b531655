//! A model at work without terminal, server or clock: time is told to it, answers are made up at
//! the boundary of the effects.

#![expect(
    unreachable_pub,
    clippy::unwrap_used,
    reason = "shared by test crates; a failure here is a failed test"
)]

use std::time::{Duration, Instant};

use delayscope::clock::{EpochMillis, ServerClock, instant};
use delayscope::payload;
use delayscope::queue::frame::{Form, encode};
use delayscope::queue::{
    Filter, Known, Link, LinkState, List, ListPage, ListRow, ListScore, Page, PageAsk, Pulse,
    Queue, Seen, Survey, Zoom,
};
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::model::{Look, Model};
use delayscope::tui::msg::Msg;
use delayscope::tui::update::{found, update, wakes_at};

/// The server's time when a desk starts.
pub const START: EpochMillis = EpochMillis::new(1_700_000_000_000);

/// The model, and what it has asked for.
pub struct Desk {
    pub model: Model,
    started: Instant,
    /// Effects that nobody has answered yet, oldest first.
    pub open: Vec<Effect>,
    /// What there is to be read.
    pub world: Vec<World>,
}

/// A queue as the server has it: members and scores in order.
#[derive(Clone)]
pub struct World {
    pub queue: Queue,
    pub entries: Vec<(Vec<u8>, f64)>,
    /// The order list; none: the members of timeouts, in the same order.
    pub order: Option<Vec<Vec<u8>>>,
    pub target: Vec<Vec<u8>>,
    /// Clients subscribed to its channel.
    pub clients: u64,
}

impl World {
    /// A queue of `count` entries, the first due after `first_ms`, each `step_ms` later.
    pub fn new(name: &str, count: u64, first_ms: i64, step_ms: i64) -> Self {
        let entry = |i: u64| {
            let due = START.plus(first_ms + step_ms * i64::try_from(i).unwrap());
            (member(i), score(due))
        };
        Self {
            entries: (0..count).map(entry).collect(),
            ..Self::of(Queue::redisson(name))
        }
    }

    /// An empty queue.
    pub fn of(queue: Queue) -> Self {
        Self {
            queue,
            entries: Vec::new(),
            order: None,
            target: Vec::new(),
            clients: 1,
        }
    }

    /// What a page of one of its lists says.
    pub fn list(&self, list: List, first: u64, count: u32) -> ListPage {
        let members = || self.entries.iter().map(|(member, _)| member.clone());
        let elements = match list {
            List::Target => self.target.clone(),
            List::Order => self.order.clone().unwrap_or_else(|| members().collect()),
        };
        let score = |element: &Vec<u8>| match list {
            List::Target => ListScore::None,
            List::Order => {
                let held = self.entries.iter().find(|(member, _)| member == element);
                held.map_or(ListScore::Drift, |(_, score)| ListScore::Is(*score))
            }
        };
        let rows = elements.iter().skip(usize::try_from(first).unwrap());
        let rows = rows.take(count as usize).map(|element| ListRow {
            score: score(element),
            element: element.clone(),
        });
        ListPage {
            first,
            len: elements.len() as u64,
            rows: rows.collect(),
        }
    }

    /// The entries that a filter matches at `at`.
    pub fn hits(&self, filter: &Filter, at: EpochMillis) -> Vec<(Vec<u8>, Option<f64>)> {
        let matching = self.entries.iter().filter(|(member, score)| {
            let payload = self.queue.unwrap(member).unwrap().payload;
            let decoded = payload::decode(payload);
            let seen = Seen {
                id: self.queue.id(member),
                due: Some(self.queue.due(*score)),
                codec: decoded.codec.name(),
                text: &decoded.text,
            };
            filter.matches(&seen, at)
        });
        matching
            .map(|(m, score)| (m.clone(), Some(*score)))
            .collect()
    }

    /// What a pulse of it says at `at`.
    pub fn pulse(&self, at: EpochMillis, page: Option<PageAsk>) -> Pulse {
        let now = score(at);
        let late = self.entries.partition_point(|(_, s)| *s <= now);
        let due = |(_, s): &(Vec<u8>, f64)| self.queue.due(*s);
        let at_place = |i: usize| self.entries.get(i).map_or(0, |(member, _)| member.len());
        let beside = if late > 0 { at_place(0) } else { 0 } + at_place(late);
        let rows = |ask: PageAsk| {
            let first = usize::try_from(ask.first).unwrap().min(self.entries.len());
            let end = (first + ask.count as usize).min(self.entries.len());
            Page {
                first: ask.first,
                rows: self.entries[first..end].to_vec(),
            }
        };
        Pulse {
            at,
            waiting: Known::Is(self.entries.len() as u64),
            late: Known::Is(late as u64),
            head: self.entries.first().map(due),
            oldest_late: (late > 0).then(|| due(&self.entries[0]).at()).flatten(),
            next: self.entries.get(late).map(due),
            order: Known::Is(self.list(List::Order, 0, 0).len),
            target: Known::Is(self.target.len() as u64),
            transfer_clients: Known::Is(self.clients),
            beside_bytes: beside as u64,
            page: page.map(rows),
            server_us: 50,
        }
    }
}

/// The member of entry `i`.
pub fn member(i: u64) -> Vec<u8> {
    encode(
        Form::ByteId,
        i.to_be_bytes(),
        format!("entry {i}").as_bytes(),
    )
}

/// The score of a due time.
#[expect(clippy::cast_precision_loss, reason = "times are small enough")]
pub fn score(due: EpochMillis) -> f64 {
    due.get() as f64
}

impl Desk {
    /// A screen of 120×40 with these queues found, the server not yet there.
    pub fn waiting_for_server(world: Vec<World>) -> Self {
        let started = instant();
        let look = Look::default();
        let mut model = Model::new((120, 40), look, "server/0".into(), false, started);
        for one in &world {
            found(&mut model, one.queue.clone());
        }
        Self {
            model,
            started,
            open: Vec::new(),
            world,
        }
    }

    /// The same with the server there and everything read once.
    pub fn of(world: Vec<World>) -> Self {
        let mut desk = Self::waiting_for_server(world);
        desk.link(LinkState::Live);
        desk.answer_all();
        desk
    }

    /// One queue named `orders` of `count` entries, the first due in a minute, one a second.
    pub fn of_one(count: u64) -> Self {
        Self::of(vec![World::new("orders", count, 60_000, 1000)])
    }

    /// The server's time now.
    pub fn now(&self) -> EpochMillis {
        let passed = self.model.instant.saturating_duration_since(self.started);
        START.plus(i64::try_from(passed.as_millis()).unwrap())
    }

    /// Something happens; what it asks for is kept in `open` and returned.
    pub fn tell(&mut self, msg: Msg) -> Vec<Effect> {
        let effects = update(&mut self.model, msg);
        self.open.extend(effects.iter().cloned());
        effects
    }

    pub fn key(&mut self, key: Key) -> Vec<Effect> {
        self.tell(Msg::KeyPressed(key))
    }

    pub fn press(&mut self, code: Code) -> Vec<Effect> {
        self.key(Key::of(code))
    }

    pub fn char(&mut self, c: char) -> Vec<Effect> {
        self.key(Key::char(c))
    }

    /// Types a text, key by key.
    pub fn type_in(&mut self, text: &str) {
        for c in text.chars() {
            self.char(c);
        }
    }

    /// Time passes in one step, nothing is answered.
    pub fn pass(&mut self, ms: u64) -> Vec<Effect> {
        let at = self.model.instant + Duration::from_millis(ms);
        self.tell(Msg::Ticked(at))
    }

    /// Time passes as the loop lets it pass: it wakes when the model says so, and every request is
    /// answered after `latency_ms`. Returns what was asked for.
    pub fn live(&mut self, ms: u64, latency_ms: u64) -> Vec<Effect> {
        let end = self.model.instant + Duration::from_millis(ms);
        let mut asked = Vec::new();
        for turn in 0.. {
            assert!(turn < 20 * (ms + 10), "the loop would spin");
            let wake = wakes_at(&self.model).unwrap_or(end).min(end);
            asked.extend(self.tell(Msg::Ticked(wake)));
            while !self.open.is_empty() {
                let open = std::mem::take(&mut self.open);
                asked.extend(self.pass(latency_ms));
                for effect in open {
                    asked.extend(self.answer(&effect));
                }
            }
            if self.model.instant >= end {
                break;
            }
        }
        asked
    }

    /// The link is in that state.
    pub fn link(&mut self, state: LinkState) -> Vec<Effect> {
        let clock = ServerClock::set(START, self.started, 0);
        let link = Link {
            state,
            clock: Some(clock),
            ..Link::default()
        };
        self.tell(Msg::LinkChanged(Box::new(link)))
    }

    /// Answers everything that is open, and what that asks for.
    pub fn answer_all(&mut self) {
        while !self.open.is_empty() {
            for effect in std::mem::take(&mut self.open) {
                self.answer(&effect);
            }
        }
    }

    /// Answers one request from the world; further requests stay open.
    pub fn answer(&mut self, effect: &Effect) -> Vec<Effect> {
        let at = self.now();
        // A queue that somebody has named need not be there.
        let world = |queue: &Queue| {
            let known = self.world.iter().find(|w| w.queue == *queue).cloned();
            known.unwrap_or_else(|| World {
                queue: queue.clone(),
                ..World::new("", 0, 0, 0)
            })
        };
        let msg = match effect.clone() {
            Effect::LoadPulse {
                generation,
                queue,
                page,
            } => Msg::PulseLoaded {
                generation,
                result: Ok(world(&queue).pulse(at, page)),
                queue,
            },
            Effect::LoadPulses { generation, queues } => Msg::PulsesLoaded {
                generation,
                result: Ok(queues
                    .into_iter()
                    .map(|q| (q.clone(), world(&q).pulse(at, None)))
                    .collect()),
            },
            Effect::LoadSurvey {
                generation,
                queue,
                zoom,
                ..
            } => Msg::SurveyLoaded {
                generation,
                queue,
                result: Ok(empty_survey(at, zoom)),
            },
            Effect::LoadList {
                generation,
                queue,
                list,
                first,
                count,
            } => Msg::ListLoaded {
                generation,
                list,
                result: Ok(world(&queue).list(list, first, count)),
                queue,
            },
            Effect::FindRank {
                generation,
                queue,
                due,
            } => {
                let entries = world(&queue).entries;
                let rank = entries.partition_point(|(_, s)| *s < score(due));
                Msg::RankFound {
                    generation,
                    queue,
                    due,
                    result: Ok(rank as u64),
                }
            }
            Effect::Search {
                generation,
                queue,
                filter,
                ..
            } => {
                let one = world(&queue);
                let hits = one.hits(&filter, at);
                let of = one.entries.len() as u64;
                self.tell(Msg::SearchHits {
                    generation,
                    found: hits.len() as u64,
                    hits,
                    looked: of,
                    of,
                });
                Msg::Searched {
                    generation,
                    result: Ok(()),
                }
            }
            Effect::CheckScores {
                generation,
                queue,
                members,
            } => {
                let entries = &world(&queue).entries;
                let score = |m: &Vec<u8>| entries.iter().find(|(e, _)| e == m).map(|e| e.1);
                let scores = members.into_iter().map(|m| (m.clone(), score(&m)));
                Msg::ScoresChecked {
                    generation,
                    queue,
                    result: Ok(scores.collect()),
                }
            }
            Effect::Discover => Msg::LookedAll(100),
            _ => return Vec::new(),
        };
        self.tell(msg)
    }

    /// The member under the cursor.
    pub fn under_cursor(&self) -> Option<Vec<u8>> {
        self.model.entry().map(|row| row.member.clone())
    }

    /// The row of the screen that the entry cursor stands on.
    pub fn screen_row(&self) -> u64 {
        self.model.entries.cursor - self.model.entries.top
    }
}

/// A survey that saw nothing.
pub fn empty_survey(at: EpochMillis, zoom: Option<Zoom>) -> Survey {
    Survey {
        at,
        zoom,
        scale: zoom.map(|zoom| zoom.scale().unwrap_or_default()),
        bars: Vec::new(),
        beyond: 0,
        no_time: 0,
        late: [0; 4],
        handing_over: 0,
        classes: [0; 7],
        keys: Vec::new(),
        server_us: 50,
    }
}

/// Whether an effect reads the selected queue.
pub fn is_pulse(effect: &Effect) -> bool {
    matches!(effect, Effect::LoadPulse { .. })
}

/// The page that the first pulse among `effects` asks for.
pub fn page_of(effects: &[Effect]) -> Option<PageAsk> {
    effects.iter().find_map(|effect| match effect {
        Effect::LoadPulse { page, .. } => *page,
        _ => None,
    })
}
