//! A model at work without terminal, server or clock: time is told to it, answers are made up at
//! the boundary of the effects.

#![expect(
    unreachable_pub,
    clippy::unwrap_used,
    reason = "shared by test crates; a failure here is a failed test"
)]

#[path = "world.rs"]
mod world;

use std::borrow::Cow;
use std::time::{Duration, Instant};

use delayscope::clock::{EpochMillis, ServerClock, instant};
use delayscope::queue::{Link, LinkState, PageAsk, Queue, Survey, Zoom};
use delayscope::tui::effect::Effect;
use delayscope::tui::filter;
use delayscope::tui::hitmap::{HitMap, Target};
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::link;
use delayscope::tui::lists;
use delayscope::tui::look::Look;
use delayscope::tui::model::Model;
use delayscope::tui::msg::Msg;
use delayscope::tui::queues;
use delayscope::tui::queues::update::found;
use delayscope::tui::refresh;
use delayscope::tui::refresh::update::time::wakes_at;
use delayscope::tui::timeline;
use delayscope::tui::update::{is_input, update};
use delayscope::tui::view;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
pub use world::*;

/// What a picture of it shows where.
pub fn drawn(model: &Model) -> HitMap {
    let (columns, rows) = model.size;
    let area = Rect::new(0, 0, columns, rows);
    view::render(model, area, &mut Buffer::empty(area))
}

/// Its picture: all that a user sees of it.
fn picture_of(model: &Model) -> Buffer {
    let (columns, rows) = model.size;
    let area = Rect::new(0, 0, columns, rows);
    let mut buf = Buffer::empty(area);
    view::render(model, area, &mut buf);
    buf
}

/// Its picture as lines of text.
pub fn text_of(model: &Model) -> String {
    let (columns, rows) = model.size;
    let buf = picture_of(model);
    let row = |y| -> String { (0..columns).map(|x| buf[(x, y)].symbol()).collect() };
    (0..rows).map(row).collect::<Vec<_>>().join("\n")
}

/// The first cell of its picture that answers like this.
pub fn cell_of(model: &Model, target: Target) -> Option<(u16, u16)> {
    cell_in(&drawn(model), model, target)
}

/// The same of a picture that was drawn before.
pub fn cell_in(picture: &HitMap, model: &Model, target: Target) -> Option<(u16, u16)> {
    let (columns, rows) = model.size;
    let its = picture.places().filter(|(_, answers)| *answers == target);
    let cells = its.flat_map(|(place, _)| {
        let across = place.x..place.right().min(columns);
        let down = place.y..(place.y + place.h).min(rows);
        down.flat_map(move |y| across.clone().map(move |x| (x, y)))
    });
    // Something else may lie over it.
    cells
        .filter(|(x, y)| picture.at(*x, *y) == Some(target))
        .min_by_key(|(x, y)| (*y, *x))
}

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
    /// Whoever presses a key or the mouse has seen what was drawn.
    pub fn tell(&mut self, msg: Msg) -> Vec<Effect> {
        if is_input(&msg) {
            self.model.drawn = drawn(&self.model);
        }
        self.tell_at_once(msg)
    }

    /// The same before anything that has changed since was drawn.
    pub fn tell_at_once(&mut self, msg: Msg) -> Vec<Effect> {
        let effects = update(&mut self.model, msg);
        self.open.extend(effects.iter().cloned());
        effects
    }

    pub fn key(&mut self, key: Key) -> Vec<Effect> {
        self.tell(Msg::KeyPressed(key))
    }

    /// Presses a key, and tells whether anything comes of it: something is asked for, or the picture
    /// is another one. (The model alone changes with each key: it keeps what was drawn, and when.)
    pub fn acts(&mut self, key: Key) -> bool {
        let before = picture_of(&self.model);
        let asked = self.key(key);
        !asked.is_empty() || picture_of(&self.model) != before
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
        self.tell(Msg::Link(link::Msg::Changed(Box::new(link))))
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
        let msg = self.read(effect).or_else(|| self.find(effect));
        msg.map_or_else(Vec::new, |msg| self.tell(msg))
    }

    /// The queue as the server has it; one that nobody put there is empty.
    fn world(&self, queue: &Queue) -> Cow<'_, World> {
        let known = self.world.iter().find(|world| world.queue == *queue);
        known.map_or_else(|| Cow::Owned(World::of(queue.clone())), Cow::Borrowed)
    }

    /// The answer to what is read at each refresh.
    fn read(&self, effect: &Effect) -> Option<Msg> {
        let at = self.now();
        let world = |queue: &Queue| self.world(queue);
        Some(match effect.clone() {
            Effect::Refresh(refresh::Effect::LoadPulse {
                generation,
                queue,
                page,
                survey,
            }) => Msg::Refresh(refresh::Msg::PulseLoaded {
                generation,
                result: Ok(world(&queue).pulse(at, page)),
                survey: survey.map(|ask| {
                    let seen = Survey {
                        keys: world(&queue).keys(at),
                        server_us: world(&queue).survey_us,
                        ..empty_survey(at, Some(ask.zoom.unwrap_or_default()))
                    };
                    Box::new((ask.generation, Ok(seen)))
                }),
                queue,
            }),
            Effect::Refresh(refresh::Effect::LoadPulses { generation, queues }) => {
                Msg::Refresh(refresh::Msg::PulsesLoaded {
                    generation,
                    pulses: queues
                        .into_iter()
                        .map(|q| (q.clone(), Ok(world(&q).pulse(at, None))))
                        .collect(),
                })
            }
            Effect::Refresh(refresh::Effect::LoadSurvey {
                generation,
                queue,
                zoom,
                ..
            }) => Msg::Refresh(refresh::Msg::SurveyLoaded {
                generation,
                result: Ok(Survey {
                    keys: world(&queue).keys(at),
                    server_us: world(&queue).survey_us,
                    ..empty_survey(at, zoom)
                }),
                queue,
            }),
            Effect::Lists(lists::Effect::Load {
                generation,
                queue,
                list,
                first,
                count,
            }) => Msg::Lists(lists::Msg::Loaded {
                generation,
                list,
                result: Ok(world(&queue).list(list, first, count)),
                queue,
            }),
            _ => return None,
        })
    }

    /// The answer to what is looked for.
    fn find(&mut self, effect: &Effect) -> Option<Msg> {
        let at = self.now();
        let world = |queue: &Queue| self.world(queue);
        Some(match effect.clone() {
            Effect::Timeline(timeline::Effect::FindRank {
                generation,
                queue,
                score,
            }) => {
                let world = world(&queue);
                let entries = &world.entries;
                let rank = entries.partition_point(|(_, s)| *s < score);
                Msg::Timeline(timeline::Msg::RankFound {
                    generation,
                    queue,
                    result: Ok(rank as u64),
                })
            }
            Effect::Filter(filter::Effect::Search {
                generation,
                queue,
                filter,
                habit: _,
                tab,
            }) => {
                let one = world(&queue);
                let of = one.length(tab);
                let hits = one.hits(&filter, at, tab);
                self.tell(Msg::Filter(filter::Msg::Hits {
                    generation,
                    found: hits.len() as u64,
                    hits,
                    looked: of,
                    of,
                }));
                Msg::Filter(filter::Msg::Searched {
                    generation,
                    result: Ok(()),
                })
            }
            Effect::Filter(filter::Effect::CheckScores {
                generation,
                queue,
                members,
            }) => {
                let world = world(&queue);
                let entries = &world.entries;
                let score = |m: &Vec<u8>| entries.iter().find(|(e, _)| e == m).map(|e| e.1);
                let scores = members.into_iter().map(|m| (m.clone(), score(&m)));
                Msg::Filter(filter::Msg::ScoresChecked {
                    generation,
                    queue,
                    result: Ok(scores.collect()),
                })
            }
            Effect::Queues(queues::Effect::Discover) => Msg::Queues(queues::Msg::LookedAll(100)),
            _ => return None,
        })
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
        micros: [0; 2],
        late: [0; 4],
        handing_over: 0,
        classes: [0; 7],
        keys: Vec::new(),
        aside: None,
        quarantined: Some(0),
        held: Some(delayscope::queue::HeldCount::default()),
        frames: None,
        server_us: 50,
    }
}

/// Whether an effect reads the selected queue.
pub fn is_pulse(effect: &Effect) -> bool {
    matches!(effect, Effect::Refresh(refresh::Effect::LoadPulse { .. }))
}

/// The page that the first pulse among `effects` asks for.
pub fn page_of(effects: &[Effect]) -> Option<PageAsk> {
    effects.iter().find_map(|effect| match effect {
        Effect::Refresh(refresh::Effect::LoadPulse { page, .. }) => *page,
        _ => None,
    })
}
