//! What a frame costs when everything in it changes: the picture is built, compared with the one
//! before and encoded for the terminal, at three sizes, with 40 and with 500 queues, one of them
//! of a million entries; on every screen, with every tab and all that can lie over them.
//!
//! `cargo bench --bench frame`. Each figure stands beside its limit; one that is over it fails
//! the run.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap,
    reason = "a benchmark that fails shall say where; figures made up from a counter"
)]

#[expect(dead_code, reason = "shared with the pictures of the screen")]
#[path = "../screen/screens/build.rs"]
mod build;
#[path = "common.rs"]
mod common;

use std::cell::Cell;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use delayscope::clock::EpochMillis;
use delayscope::queue::{Due, Filter, Known, ListScore, ServerWatch};
use delayscope::tui::entries::{Entries, EntryRow};
use delayscope::tui::filter::{ActiveFilter, HITS_KEPT, Hit, Search};
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::layout;
use delayscope::tui::lists::{ListElement, Stand};
use delayscope::tui::look::{Background, Depth, Look, Zone};
use delayscope::tui::model::{Model, Screen};
use delayscope::tui::msg::Msg;
use delayscope::tui::queues::{DepthTrend, Depths};
use delayscope::tui::tabs::Tab;
use delayscope::tui::update::update;
use delayscope::tui::view;

use nix::time::{ClockId, clock_gettime};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use common::{Limit, asked_for, head, row, spread};

/// Frames that are measured, and those before them that are not.
const FRAMES: u64 = 1_000;
const WARM: u64 = 100;

/// Columns, rows, and the most that a frame may take, in ms; none where nothing is claimed.
const SIZES: [(u16, u16, Option<f64>); 3] =
    [(80, 24, Some(0.7)), (120, 40, None), (200, 60, Some(2.0))];

/// What is to be seen: its name, and what brings it there.
type Scene = (&'static str, fn(&mut Model));

const SCREENS: [Scene; 2] = [
    ("dashboard", |_| {}),
    ("queue", |m| m.screen = Screen::Queue),
];

/// What there is beside the plain screens; each of the queues has a finding.
const OTHERS: [Scene; 9] = [
    ("all sick", sick),
    ("findings", |m| {
        sick(m);
        m.tab = Tab::Findings;
    }),
    ("order list, drift", |m| {
        m.tab = Tab::Order;
        m.lists.order.len = Some(1_000_002);
    }),
    ("traffic", |m| m.tab = Tab::Traffic),
    ("filter, 20 k hits", filtered),
    ("palette", |m| typed(m, ":o")),
    ("offer", |m| typed(m, "o")),
    ("help", |m| typed(m, "?")),
    ("entry", |m| {
        press(m, Key::of(Code::Enter));
    }),
];

fn main() -> ExitCode {
    if !asked_for() {
        return ExitCode::SUCCESS;
    }
    let mut held = true;
    for (queues, scenes) in [(40, &SCREENS[..]), (500, &SCREENS), (500, &OTHERS)] {
        let title = format!("a frame, {queues} queues, all changing (ms of CPU)");
        head(&title, &["p50", "p99", "max", "kB"]);
        for (columns, rows, limit) in SIZES {
            for scene in scenes {
                let figures = measured((columns, rows), queues, scene.1);
                let most = limit.map_or(Limit::None, |most| Limit::Most(1, most));
                held &= limit.is_none_or(|most| figures[1] <= most);
                row(&format!("{columns}×{rows} {}", scene.0), &figures, most);
            }
        }
    }
    if held {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn press(model: &mut Model, key: Key) {
    update(model, Msg::KeyPressed(key));
}

fn typed(model: &mut Model, text: &str) {
    let before = (model.prompt.is_some(), model.overlay.is_some());
    for c in text.chars() {
        press(model, Key::char(c));
    }
    let now = (model.prompt.is_some(), model.overlay.is_some());
    assert_ne!(before, now, "{text} opens nothing");
}

/// Nobody serves any of the queues.
fn sick(model: &mut Model) {
    for row in &mut model.queues {
        let Some(pulse) = &mut row.pulse else {
            continue;
        };
        for ago in [30_000, 0] {
            pulse.at = build::NOW.plus(-ago);
            pulse.transfer_clients = Known::Is(0);
            row.watch.saw(pulse);
        }
        row.diagnose(&ServerWatch::default());
        assert!(!row.findings.is_empty());
    }
}

/// A search has found as much as is kept, and goes on.
fn filtered(model: &mut Model) {
    let filter = Filter::parse("order \"customer\" re:/[0-9]+/ sku").unwrap();
    let hits = (0..HITS_KEPT).map(|i| {
        let row = build::sample(i % 997);
        Hit {
            member: row.member,
            score: Some(row.score),
            sure: true,
            gone: i % 7 == 0,
        }
    });
    model.filtered = Some(Box::new(ActiveFilter {
        filter,
        at: model.now,
        tab: Tab::Waiting,
        hits: hits.collect(),
        found: 131_488,
        looked: 400_000,
        of: 1_000_000,
        search: Search::Running(1),
        stale: false,
        whole: Entries::default(),
    }));
}

/// Median, 99th percentile and longest frame in ms, and how many kB one writes on average.
fn measured(size: (u16, u16), queues: u64, scene: fn(&mut Model)) -> [f64; 4] {
    let look = Look {
        zone: Zone::Local,
        background: Some(Background::Dark),
        depth: Depth::True,
        ..Look::default()
    };
    let mut model = build::evening(size, look);
    fill(&mut model, queues);
    scene(&mut model);
    let sheet: Vec<EntryRow> = (0..997).map(build::sample).collect();
    let area = Rect::new(0, 0, size.0, size.1);
    let options = TerminalOptions {
        viewport: Viewport::Fixed(area),
    };
    let written = Cell::new(0);
    let backend = CrosstermBackend::new(Counted(&written));
    let mut terminal = Terminal::with_options(backend, options).unwrap();
    let mut took = Vec::new();
    for step in 0..WARM + FRAMES {
        change(&mut model, step, &sheet);
        let began = spent();
        terminal
            .draw(|frame| {
                view::render(&model, area, frame.buffer_mut());
            })
            .unwrap();
        let span = spent() - began;
        if step < WARM {
            written.set(0);
        } else {
            took.push(span);
        }
    }
    let bytes = written.get();
    let [p50, p99, max] = spread(&mut took);
    [p50, p99, max, bytes as f64 / FRAMES as f64 / 1000.0]
}

/// CPU time of this thread so far, in ms: what other programs take meanwhile is no cost of ours.
fn spent() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap();
    time.tv_sec() as f64 * 1e3 + time.tv_nsec() as f64 / 1e6
}

/// Takes what is written, and counts it.
struct Counted<'a>(&'a Cell<usize>);

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// More queues, each with five minutes of depths and a survey.
fn fill(model: &mut Model, queues: u64) {
    for n in model.queues.len() as u64..queues {
        let pulse = build::figures(1_000 + n * 37, n % 7, n % 4);
        let name = format!("service-{:03}:reminders", n * 7_919 % 1_000);
        let classes = std::array::from_fn(|i| n * (i as u64 + 1) % 91);
        let mut row = build::queue(&name, model.instant, &pulse, classes);
        row.trend = build::trend(1_000 + n * 37, n as i64 % 5);
        model.queues.push(row);
    }
}

/// A second passes: every figure is another one, every bar of another height, the entries are
/// those a page further on.
fn change(model: &mut Model, step: u64, sheet: &[EntryRow]) {
    let second = Duration::from_secs(1);
    model.instant += second;
    model.now = model.now.plus(1_000);
    for (n, row) in model.queues.iter_mut().enumerate() {
        let n = n as u64;
        let wave = (step * 7_919 + n * 104_729) % 90_001;
        row.read_at = Some(model.instant);
        if let Some(pulse) = &mut row.pulse {
            pulse.at = model.now;
            pulse.waiting = Known::Is(1_000_000 - wave * u64::from(n > 0));
            pulse.late = Known::Is(wave % 50);
            pulse.oldest_late = (!wave.is_multiple_of(50)).then(|| model.now.plus(-(wave as i64)));
            pulse.next = Some(Due::At(model.now.plus(wave as i64)));
            pulse.target = Known::Is(wave % 1_000);
            pulse.transfer_clients = Known::Is(wave % 5);
        }
        if let Some(survey) = &mut row.survey {
            survey.at = model.now;
            survey.classes = std::array::from_fn(|i| wave * (i as u64 + 3) % 5_003);
            survey.late = std::array::from_fn(|i| wave * (i as u64 + 2) % 53);
            for (i, bar) in survey.bars.iter_mut().enumerate() {
                bar.count = wave * (i as u64 + 5) % 4_001;
            }
        }
        deeper(&mut row.trend, model.now, wave);
    }
    let rows = layout::rows::entry_rows(model);
    let page = step * rows as u64 % 19_000;
    model.entries.top = page;
    model.entries.first = page;
    model.entries.cursor = page + step % rows.max(1) as u64;
    let from = page as usize % (sheet.len() - rows);
    model.entries.rows = sheet[from..from + rows].to_vec();
    if model.tab == Tab::Order {
        drifted(model, page, from, &sheet[from..from + rows]);
    }
    model.stands.findings.top = page % 400;
    model.stands.findings.cursor = page % 400;
    if let Some(old) = model.traffic.heard.pop_front() {
        model.traffic.heard.push_back(old);
    }
}

/// A page of the order list, of which timeouts knows every other element only.
fn drifted(model: &mut Model, page: u64, from: usize, rows: &[EntryRow]) {
    let element = |(i, row): (usize, &EntryRow)| ListElement {
        row: row.clone(),
        score: if (i + from).is_multiple_of(2) {
            ListScore::Drift
        } else {
            ListScore::Is(row.score)
        },
    };
    let window = &mut model.lists.order;
    window.rows = rows.iter().enumerate().map(element).collect();
    window.first = page;
    window.stand = Stand {
        top: page,
        cursor: page + from as u64 % rows.len().max(1) as u64,
    };
}

/// One more sample of the depths, instead of the oldest.
fn deeper(trend: &mut DepthTrend, at: EpochMillis, wave: u64) {
    trend.samples.pop_front();
    trend.samples.push_back(Some(Depths {
        at,
        waiting: wave,
        order: Some(wave),
        target: wave % 1_000,
    }));
}
