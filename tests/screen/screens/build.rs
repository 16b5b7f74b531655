//! Models as they look on a server with life in it. The clock stands still at 14:02:09.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use delayscope::clock::{self, EpochMillis, ServerClock};
use delayscope::config::Profile;
use delayscope::payload;
use delayscope::queue::{
    Address, Announcement, Bar, Due, Endpoint, Facts, Form, Known, LinkState, Pulse, Queue, Scale,
    ServerWatch, Survey, Zoom, frame,
};
use delayscope::tui::entries::EntryRow;
use delayscope::tui::help::HelpPage;
use delayscope::tui::layout;

use delayscope::tui::link::CostRate;
use delayscope::tui::look::{Background, Depth, Look, Zone};
use delayscope::tui::model::{Model, Overlay, Pane};
use delayscope::tui::queues::{DepthTrend, Depths, Discovery, Opening, QueueRow};

/// 2026-11-20T13:02:09.300Z: 14:02:09 in the zone of these tests.
pub(crate) const NOW: EpochMillis = EpochMillis::new(1_795_179_729_300);

/// The look of most tests: in it each role of the theme has a style of its own.
pub(crate) fn look() -> Look {
    Look {
        background: Some(Background::Dark),
        depth: Depth::True,
        zone: Zone::Offset(3600),
        ..Look::default()
    }
}

/// The keys over the screen, scrolled by so many lines.
pub(crate) const fn keys_at(scroll: usize) -> Overlay {
    Overlay::Help {
        page: HelpPage::Keys,
        scroll,
    }
}

/// A profile whose changes are asked about by name.
pub(crate) fn protected(name: &str) -> Profile {
    Profile {
        codecs: Vec::new(),
        name: name.to_owned(),
        endpoint: Endpoint {
            address: Address::Tcp("prod-1".to_owned(), 6379),
            db: 0,
            user: None,
            password: None,
            tls: None,
            via: delayscope::queue::via::Via::default(),
            profile: None,
        },
        password_command: None,
        sentinel_password_command: None,
        read_only: false,
        protected: true,
        label: None,
        label_colour: None,
        queues: Vec::new(),
        keep_days: None,
    }
}

/// Nothing known yet but the server.
pub(crate) fn bare(size: (u16, u16), look: Look) -> Model {
    let instant = clock::instant() + Duration::from_secs(60 * 60);
    let mut model = Model::new(size, look, "prod-1:6379/0".to_owned(), false, instant);
    model.now = NOW;
    model.table.opening = Opening::Over;
    model.link.state = LinkState::Live;
    model.link.clock = Some(ServerClock::set(NOW, instant, 312));
    model.link.facts = Some(Facts {
        product: "redis".to_owned(),
        version: "7.2.4".to_owned(),
        role: "master".to_owned(),
        uptime_s: 41 * 86_400,
        ..Facts::default()
    });
    model.link_memory.cost = CostRate {
        commands: 14.0,
        server_ms: 0.9,
        bytes: 4_096.0,
    };
    model
}

/// A healthy-looking evening: a million orders, twelve of them late.
pub(crate) fn evening(size: (u16, u16), look: Look) -> Model {
    let mut m = bare(size, look);
    m.table.discovery = Discovery::Done { looked: 12_034 };
    m.queues = vec![
        orders(m.instant),
        queue(
            "emails",
            m.instant,
            &figures(120, 0, 4),
            [0, 12, 30, 78, 0, 0, 0],
        ),
        queue(
            "invoices",
            m.instant,
            &figures(40, 0, 2),
            [0, 0, 0, 0, 11, 29, 0],
        ),
        reminders(m.instant),
    ];
    m.focus = Pane::Entries;
    page(&mut m, 0);
    m.timeline.bar = Some(EpochMillis::new(NOW.get() / 10_000 * 10_000).plus(280_000));
    m.traffic.heard = VecDeque::from([
        announced("orders", -61_000, b"1795179700000"),
        announced("emails", -9_000, b"1795179760500"),
        announced("orders", -5_400, b"0"),
        announced("orders", -2_000, b"1795180011000"),
    ]);
    m
}

/// A message on a queue's channel, `ms` from now.
pub(crate) fn announced(queue: &str, ms: i64, message: &[u8]) -> Announcement {
    let channel = Queue::redisson(queue).keys().channel.unwrap_or_default();
    Announcement::new(NOW.plus(ms), channel, message)
}

/// A pulse with these figures: waiting, late, transfer clients.
pub(crate) fn figures(waiting: u64, late: u64, clients: u64) -> Pulse {
    Pulse {
        at: NOW.plus(-400),
        waiting: Known::Is(waiting),
        late: Known::Is(late),
        head: Some(Due::At(NOW.plus(31_200))),
        oldest_late: None,
        next: (waiting > late).then(|| Due::At(NOW.plus(31_200))),
        order: Known::Is(waiting),
        target: Known::Is(0),
        transfer_clients: Known::Is(clients),
        first: None,
        told: None,
        beside_bytes: 100,
        page: None,
        server_us: 80,
        took_ms: 0,
    }
}

/// A queue that was read just now.
pub(crate) fn queue(name: &str, instant: Instant, pulse: &Pulse, classes: [u64; 7]) -> QueueRow {
    let waiting = pulse.waiting.get().unwrap_or(0);
    let mut row = QueueRow {
        pulse: Some(pulse.clone()),
        survey: Some(survey(Zoom::TenMinutes, classes)),
        trend: trend(waiting, if waiting > 100 { -1 } else { 0 }),
        read_at: instant.checked_sub(Duration::from_millis(400)),
        ..QueueRow::new(Queue::redisson(name))
    };
    // Watched for half a minute.
    let first = Pulse {
        at: pulse.at.plus(-30_000),
        ..pulse.clone()
    };
    row.watch.saw(&first);
    row.watch.saw(pulse);
    row.diagnose(&ServerWatch::default());
    row
}

/// Depths that went up (or down) by `step` a second to `waiting`, with an outage in between.
pub(crate) fn trend(waiting: u64, step: i64) -> DepthTrend {
    let samples = (0..300_i64).rev().map(|ago| {
        (!(120..135).contains(&ago)).then(|| Depths {
            at: NOW.plus(-ago * 1000),
            waiting: waiting.saturating_add_signed(-ago * step),
            order: Some(waiting.saturating_add_signed(-ago * step)),
            target: u64::try_from((ago / 7 * 5) % 9).unwrap_or(0),
        })
    });
    DepthTrend {
        samples: samples.collect(),
    }
}

/// A survey with waves of due times and one burst.
pub(crate) fn survey(zoom: Zoom, classes: [u64; 7]) -> Survey {
    let day_wide = Scale {
        bar_ms: 86_400_000,
        bars: 60,
    };
    let scale = zoom.scale().unwrap_or(day_wide);
    let edges = scale.edges(NOW.plus(-400));
    let total: u64 = classes.iter().sum();
    let bars = edges.windows(2).enumerate().map(|(i, edge)| {
        let wave = [
            2, 4, 6, 9, 14, 22, 30, 34, 28, 19, 24, 31, 26, 17, 12, 8, 5, 3, 2, 2,
        ];
        let shape = wave[i % 20] * (70 - i as u64) / 70;
        let count = match i {
            _ if total < 1000 => u64::from(i % 9 == 4) * (i as u64 % 5 + 1),
            28 => 41_203,
            27 => 12_400,
            29 => 9_050,
            45.. if i % 3 != 0 => 0,
            _ => shape * 240,
        };
        Bar {
            from: edge[0],
            to: edge[1],
            count,
        }
    });
    Survey {
        at: NOW.plus(-400),
        zoom: Some(zoom),
        scale: Some(scale),
        no_time: 0,
        micros: [0; 2],
        bars: bars.collect(),
        beyond: if total < 1000 {
            classes[3..].iter().sum()
        } else {
            687_600
        },
        late: [0; 4],
        handing_over: 0,
        classes,
        keys: Vec::new(),
        aside: None,
        quarantined: Some(0),
        held: Some(delayscope::queue::HeldCount::default()),
        frames: None,
        server_us: 150,
    }
}

fn orders(instant: Instant) -> QueueRow {
    let classes = [1_200, 9_800, 41_203, 120_034, 290_500, 537_251, 90_000];
    let mut pulse = figures(1_000_000, 12, 4);
    pulse.head = Some(Due::At(NOW.plus(-12_187)));
    pulse.oldest_late = Some(NOW.plus(-12_187));
    pulse.next = Some(Due::At(NOW.plus(2_402)));
    pulse.target = Known::Is(3);
    let mut row = queue("orders", instant, &pulse, classes);
    row.trend = trend(1_000_000, 12);
    if let Some(survey) = &mut row.survey {
        survey.late = [0, 0, 0, 12];
    }
    row
}

fn reminders(instant: Instant) -> QueueRow {
    let mut pulse = figures(7, 7, 0);
    pulse.head = Some(Due::At(NOW.plus(-242_000)));
    pulse.oldest_late = Some(NOW.plus(-242_000));
    let mut row = queue("reminders", instant, &pulse, [0; 7]);
    if let Some(survey) = &mut row.survey {
        survey.late = [0, 0, 5, 2];
    }
    row
}

/// Loads the rows in sight, from rank `top` on.
pub(crate) fn page(m: &mut Model, top: u64) {
    let rows = layout::rows::entry_rows(m);
    let left = usize::try_from(m.waiting().saturating_sub(top)).unwrap_or(usize::MAX);
    m.entries.top = top;
    m.entries.first = top;
    m.entries.cursor = top;
    m.entries.rows = (0..rows.min(left)).map(sample).collect();
}

/// The `i`th entry of the page: mostly orders, one of another codec, one without a frame.
pub(crate) fn sample(i: usize) -> EntryRow {
    let wait: i64 = match i {
        0 => -12_187,
        1 => 2_402,
        2 => 8_011,
        3 => 31_200,
        _ => 33_000 + i64::try_from(i * i).unwrap_or(0) * 1_370,
    };
    let id = (i as u64 + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .to_be_bytes();
    let order = format!(
        r#"{{"orderId":{},"customer":"c-{:05}","action":"cancel-unpaid","lines":[{{"sku":"A-7","n":2}}]}}"#,
        465_801 + i * 7_919,
        6_773 + i * 317
    );
    let payload = match i % 9 {
        4 => b"\xac\xed\x00\x05t\x00\x12remind customer 17".to_vec(),
        7 => "plain words, 订单 и ещё 🎉".as_bytes().to_vec(),
        _ => order.into_bytes(),
    };
    if i == 5 {
        return entry(b"\x08not a frame at all".to_vec(), wait);
    }
    entry(frame::encode(Form::ByteId, id, &payload), wait)
}

/// An entry of a Redisson queue due in `wait` ms.
pub(crate) fn entry(member: Vec<u8>, wait: i64) -> EntryRow {
    let queue = Queue::redisson("orders");
    let due = NOW.plus(wait);
    let score = queue.score(due);
    let unwrapped = queue.unwrap(&member);
    EntryRow {
        score,
        due: Due::At(due),
        id: queue.id(&member),
        form: unwrapped.as_ref().ok().and_then(|u| u.form),
        size: unwrapped.as_ref().map_or(member.len(), |u| u.payload.len()),
        content: unwrapped.map(|u| payload::decode(u.payload)),
        member,
    }
}
