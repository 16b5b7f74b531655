//! The link to the server comes and goes; what is published arrives.

use std::sync::Arc;
use std::time::Duration;

use super::{CostRate, Msg};
use crate::queue::name::names_of_key;
use crate::queue::{Announcement, Link, LinkCost, LinkState, Queue};
use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::queues::{self, Discovery, QueueRow};
use crate::tui::refresh;
use crate::tui::refresh::update::time;
use crate::tui::schedule::pace;
use crate::tui::tabs;
use crate::tui::toast::{self, Tone};
use crate::tui::traffic::TRAFFIC_KEPT;

/// The span that our cost is smoothed over.
const SMOOTHED: Duration = Duration::from_secs(5);

/// Away for less than this is not worth a word.
const NOTABLE: Duration = Duration::from_secs(1);

/// The link changed, or something was published.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Changed(link) => changed(model, *link),
        Msg::Announced(announcement) => {
            announced(model, announcement);
            Vec::new()
        }
    }
}

/// The link changed: when the server is back, all is read again at once.
fn changed(model: &mut Model, link: Link) -> Vec<Effect> {
    let was_live = model.is_live();
    count_cost(model, link.cost);
    model.server.linked(&link);
    let moved = match (&model.link.leads_to, &link.leads_to) {
        (Some(before), Some(now)) if before != now && link.nodes.is_none() => Some(format!(
            "{now} is the master now, {before} was (a failover)"
        )),
        _ => None,
    };
    if link.nodes.is_some() {
        model.site.redis_cli.follow_slots();
    }
    model.link = link;
    if let Some(text) = &moved {
        toast::update::say(model, text.clone(), Tone::Warn);
    }
    time::carry_on(model);
    if let LinkState::Lost { since, .. } | LinkState::Hung { since } = model.link.state {
        if was_live {
            model.link_memory.away = Some(since);
        }
        return Vec::new();
    }
    if was_live || !model.is_live() {
        return Vec::new();
    }
    if let Some(since) = model.link_memory.away.take() {
        let away = model.instant.saturating_duration_since(since);
        if away >= NOTABLE && moved.is_none() {
            let text = format!("back after {} s", away.as_secs());
            toast::update::say(model, text, Tone::Good);
        }
    }
    // What was true before says nothing of what is.
    for row in &mut model.queues {
        row.watch.interrupted();
        Arc::make_mut(&mut row.record).interrupted();
    }
    refresh::update::start_over(model);
    // A search under way waits for the server by itself.
    if matches!(model.table.discovery, Discovery::Idle) {
        return vec![Effect::Queues(queues::Effect::Discover)];
    }
    Vec::new()
}

/// Computes what we cost per second, over the last seconds.
fn count_cost(model: &mut Model, cost: LinkCost) {
    let now = model.instant;
    let costs = &mut model.link_memory.costs;
    costs.push_back((now, cost));
    while costs.len() > 2 && now.saturating_duration_since(costs[1].0) >= SMOOTHED {
        costs.pop_front();
    }
    let (since, before) = costs[0];
    let seconds = now.saturating_duration_since(since).as_secs_f64();
    if seconds < 0.5 {
        return;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "a rate for reading, not for accounting"
    )]
    let rate = |new: u64, old: u64| new.saturating_sub(old) as f64 / seconds;
    model.link_memory.cost = CostRate {
        commands: rate(cost.commands, before.commands),
        server_ms: rate(cost.server_us, before.server_us) / 1000.0,
        bytes: rate(cost.bytes, before.bytes),
    };
}

/// While the server is away the trends get gaps, never a line across.
pub(crate) fn leave_gaps(model: &mut Model) {
    let now = model.instant;
    let last = model.link_memory.gap.or(model.link_memory.away);
    if model.is_live() || model.link_memory.away.is_none() {
        model.link_memory.gap = None;
        return;
    }
    if last.is_some_and(|at| now.saturating_duration_since(at) < Duration::from_secs(1)) {
        return;
    }
    model.link_memory.gap = Some(now);
    for row in &mut model.queues {
        if !row.trend.samples.is_empty() {
            row.trend.push(None);
        }
    }
}

/// Something was published: it is shown, and the selected queue is read again.
fn announced(model: &mut Model, announcement: Announcement) {
    if announcement.message == b"0" {
        let of =
            |row: &&mut QueueRow| row.queue.keys().channel.as_ref() == Some(&announcement.channel);
        if let Some(row) = model.queues.iter_mut().find(of) {
            row.watch.announced(&announcement);
        }
    }
    let selected = model.selected().and_then(|row| row.queue.keys().channel);
    if selected.is_some_and(|channel| channel == announcement.channel) {
        pace::want_selected(model);
        if model.frozen.is_none() {
            tabs::update::announced(model);
        }
    } else if !model.table.only_named {
        notice(model, &announcement.channel);
    }
    if model.frozen.is_some() {
        model.traffic.held.push_back(announcement);
        if model.traffic.held.len() > TRAFFIC_KEPT {
            model.traffic.held.pop_front();
        }
    } else {
        model.traffic.heard.push_back(announcement);
        trim_traffic(model);
    }
}

/// A queue that was not there when the keys were looked through shows itself.
fn notice(model: &mut Model, channel: &[u8]) {
    if model.table.channels.contains(channel) {
        return;
    }
    let Some(name) = names_of_key(channel).into_iter().next() else {
        return;
    };
    queues::update::found(model, Queue::redisson(name.as_bytes()));
}

/// No more announcements than are kept.
pub(crate) fn trim_traffic(model: &mut Model) {
    while model.traffic.heard.len() > TRAFFIC_KEPT {
        model.traffic.heard.pop_front();
    }
}
