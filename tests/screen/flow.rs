//! The whole loop without terminal and server: keys come in, pictures come out, and the fake sits
//! where effects leave. Time is virtual.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use delayscope::clock::ServerClock;
use delayscope::queue::{Announcement, Link, LinkState};
use delayscope::tui::edge::{Input, ProgramEnd, Runner, Surface};
use delayscope::tui::effect::Effect;
use delayscope::tui::hitmap::HitMap;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::link;
use delayscope::tui::look::Look;
use delayscope::tui::model::Model;
use delayscope::tui::msg::Msg;
use delayscope::tui::queues;
use delayscope::tui::queues::update::found;
use delayscope::tui::refresh;
use delayscope::tui::run::run;
use delayscope::tui::view;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::desk::{START, World, empty_survey};

/// What was drawn: when, and the text of it.
type Pictures = Arc<Mutex<Vec<(Duration, String)>>>;

struct Paper {
    terminal: Terminal<TestBackend>,
    pictures: Pictures,
    started: Instant,
    suspended: u32,
}

impl Surface for Paper {
    fn size(&self) -> io::Result<(u16, u16)> {
        Ok((120, 40))
    }

    fn draw(&mut self, model: &Model) -> io::Result<HitMap> {
        let mut drawn = HitMap::default();
        let picture = self
            .terminal
            .draw(|f| drawn = view::render(model, f.area(), f.buffer_mut()));
        let text = picture.unwrap().buffer.content.iter().map(Cell::symbol);
        let at = now() - self.started;
        self.pictures.lock().unwrap().push((at, text.collect()));
        Ok(drawn)
    }

    fn copy(&mut self, _text: &str) -> io::Result<()> {
        Ok(())
    }

    fn ring(&mut self, _line: &str) -> io::Result<()> {
        Ok(())
    }

    fn repaint(&mut self) {}

    fn retake(&mut self) -> io::Result<()> {
        Ok(())
    }

    async fn edit(&mut self, text: &str, _extension: &str) -> io::Result<Result<String, String>> {
        Ok(Ok(format!("{text}, edited")))
    }

    async fn suspend(&mut self) -> io::Result<()> {
        self.suspended += 1;
        Ok(())
    }
}

/// Answers from a world, after a latency; or never.
struct Answers {
    world: World,
    latency: Option<Duration>,
    tx: UnboundedSender<Msg>,
    effects: Arc<Mutex<Vec<Effect>>>,
    started: Instant,
}

impl Runner for Answers {
    fn start(&mut self, effect: Effect) {
        self.effects.lock().unwrap().push(effect.clone());
        let Some(latency) = self.latency else {
            return;
        };
        let passed = i64::try_from((now() - self.started).as_millis()).unwrap();
        let at = START.plus(passed);
        let msg = match effect {
            Effect::Refresh(refresh::Effect::LoadPulse {
                generation,
                queue,
                page,
                survey,
            }) => Msg::Refresh(refresh::Msg::PulseLoaded {
                generation,
                queue,
                result: Ok(self.world.pulse(at, page)),
                survey: survey.map(|ask| {
                    Box::new((
                        ask.generation,
                        Ok(empty_survey(at, Some(ask.zoom.unwrap_or_default()))),
                    ))
                }),
            }),
            Effect::Refresh(refresh::Effect::LoadPulses { generation, queues }) => {
                let pulse = |queue| (queue, Ok(self.world.pulse(at, None)));
                Msg::Refresh(refresh::Msg::PulsesLoaded {
                    generation,
                    pulses: queues.into_iter().map(pulse).collect(),
                })
            }
            Effect::Queues(queues::Effect::Discover) => Msg::Queues(queues::Msg::LookedAll(100)),
            Effect::Refresh(refresh::Effect::LoadSurvey {
                generation,
                queue,
                zoom,
                ..
            }) => Msg::Refresh(refresh::Msg::SurveyLoaded {
                generation,
                queue,
                result: Ok(empty_survey(at, zoom)),
            }),
            _ => return,
        };
        let tx = self.tx.clone();
        tokio::spawn(async move {
            tokio::time::sleep(latency).await;
            let _ = tx.send(msg);
        });
    }
}

struct Flow {
    input: UnboundedSender<Input>,
    answers: UnboundedSender<Msg>,
    pictures: Pictures,
    effects: Arc<Mutex<Vec<Effect>>>,
    ended: tokio::task::JoinHandle<ProgramEnd>,
}

fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

impl Flow {
    /// A loop over a queue of 500 entries on a live server that answers so fast, or never.
    fn start(latency: Option<Duration>) -> Self {
        let (input, inputs): (_, UnboundedReceiver<Input>) = unbounded_channel();
        let (answers, replies) = unbounded_channel();
        let world = World::new("orders", 500, 3_600_000, 1000);
        let started = now();
        let mut model = Model::new((120, 40), Look::default(), "s/0".into(), false, started);
        found(&mut model, world.queue.clone());
        let pictures = Pictures::default();
        let effects = Arc::new(Mutex::new(Vec::new()));
        let mut paper = Paper {
            terminal: Terminal::new(TestBackend::new(120, 40)).unwrap(),
            pictures: Arc::clone(&pictures),
            started,
            suspended: 0,
        };
        let mut runner = Answers {
            world,
            latency,
            tx: answers.clone(),
            effects: Arc::clone(&effects),
            started,
        };
        let link = Link {
            state: LinkState::Live,
            clock: Some(ServerClock::set(START, started, 0)),
            ..Link::default()
        };
        answers
            .send(Msg::Link(link::Msg::Changed(Box::new(link))))
            .unwrap();
        let ended = tokio::spawn(async move {
            run(&mut paper, &mut model, inputs, replies, &mut runner, now)
                .await
                .unwrap()
        });
        Self {
            input,
            answers,
            pictures,
            effects,
            ended,
        }
    }

    fn key(&self, key: Key) {
        let pressed = Box::new(Msg::KeyPressed(key));
        self.input.send(Input::Happened(pressed)).unwrap();
    }

    async fn pass(&self, ms: u64) {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }

    fn last(&self) -> String {
        let pictures = self.pictures.lock().unwrap();
        pictures.last().unwrap().1.clone()
    }

    fn drawn(&self) -> usize {
        self.pictures.lock().unwrap().len()
    }
}

#[tokio::test(start_paused = true)]
async fn the_queue_is_on_the_screen_as_soon_as_it_was_read() {
    let flow = Flow::start(Some(Duration::from_millis(2)));
    flow.pass(20).await;
    assert!(flow.last().contains("500"));
    assert!(flow.last().contains("entry 0"));
}

#[tokio::test(start_paused = true)]
async fn keys_act_at_once_while_answers_never_come() {
    let flow = Flow::start(None);
    flow.pass(5_000).await;
    let before = flow.drawn();
    flow.key(Key::char('?'));
    flow.pass(1).await;
    assert_eq!(flow.drawn(), before + 1);
    assert!(flow.last().contains("Keys"));
    flow.key(Key::char('q'));
    flow.key(Key::char('q'));
    flow.pass(1).await;
    assert_eq!(flow.ended.await.unwrap(), ProgramEnd::Quit);
}

#[tokio::test(start_paused = true)]
async fn a_burst_of_keys_is_one_picture() {
    let flow = Flow::start(Some(Duration::from_millis(1)));
    flow.pass(100).await;
    let before = flow.drawn();
    for _ in 0..50 {
        flow.key(Key::of(Code::Down));
    }
    flow.pass(0).await;
    tokio::task::yield_now().await;
    assert!(flow.drawn() <= before + 2, "{}", flow.drawn() - before);
}

#[tokio::test(start_paused = true)]
async fn a_click_finds_what_a_key_in_the_same_breath_has_brought() {
    let flow = Flow::start(Some(Duration::from_millis(1)));
    flow.pass(100).await;
    flow.key(Key::char('?'));
    // Beside the help, which no picture has shown yet.
    let clicked = Box::new(Msg::Clicked(0, 1));
    flow.input.send(Input::Happened(clicked)).unwrap();
    flow.pass(1).await;
    assert!(!flow.last().contains("Keys"), "{}", flow.last());
}

#[tokio::test(start_paused = true)]
async fn an_idle_screen_is_drawn_a_few_times_a_second() {
    let flow = Flow::start(Some(Duration::from_millis(1)));
    flow.pass(15_000).await;
    let before = flow.drawn();
    flow.pass(10_000).await;
    let drawn = flow.drawn() - before;
    assert!((10..=25).contains(&drawn), "{drawn}");
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_announcements_is_two_or_three_pictures_a_second_after_the_first_few() {
    let flow = Flow::start(Some(Duration::from_millis(1)));
    flow.pass(100).await;
    let before = flow.drawn();
    for i in 0..2000 {
        let announcement = Announcement::new(
            START,
            b"redisson_delay_queue_channel:{other}".to_vec(),
            b"0",
        );
        flow.answers
            .send(Msg::Link(link::Msg::Announced(announcement)))
            .unwrap();
        if i % 2 == 1 {
            flow.pass(1).await;
        }
    }
    let drawn = flow.drawn() - before;
    assert!((2..=10).contains(&drawn), "{drawn}");
}

#[tokio::test(start_paused = true)]
async fn a_signal_or_a_terminal_that_is_gone_ends_it() {
    let flow = Flow::start(None);
    flow.input.send(Input::End(ProgramEnd::Signal(15))).unwrap();
    let ended = flow.ended.await.unwrap();
    assert_eq!((ended, ended.code()), (ProgramEnd::Signal(15), 143));

    let flow = Flow::start(None);
    drop(flow.input);
    assert_eq!(flow.ended.await.unwrap().code(), 129);
}

#[tokio::test(start_paused = true)]
async fn after_control_z_the_queue_is_read_again() {
    let flow = Flow::start(Some(Duration::from_millis(1)));
    flow.pass(100).await;
    let before = flow.effects.lock().unwrap().len();
    flow.key(Key::ctrl('z'));
    flow.pass(5).await;
    let effects = flow.effects.lock().unwrap();
    let after: VecDeque<&Effect> = effects.iter().skip(before).collect();
    assert!(after.iter().any(|e| crate::desk::is_pulse(e)), "{after:?}");
}
