//! `demo`: delayed queues with life in them, behind the screen or, without one, as lines.

use std::io::{self, Write};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use super::output::Output;
use super::stop::StopSignal;
use super::{CommandOutcome, say, times};
use crate::args;
use crate::clock::local_now;
use crate::config::Config;
use crate::ops::demo::{Demo, DemoEvent, DemoOptions};
use crate::queue::{Address, Endpoint, Queue, redis_cli, shell, text};

/// Plays until asked to end; prints what happens.
pub(super) async fn run<W: Write>(
    asked: &args::Demo,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let mut stop = StopSignal::listen();
    let mut demo = started(asked, config).await?;
    let mut events = demo.events();
    opening(&demo, asked.keep, out)?;
    let played = loop {
        let event = tokio::select! {
            biased;
            () = stop.asked() => break Ok(()),
            event = events.recv() => event,
        };
        match event {
            Ok(event) => {
                if let Err(why) = print(&event, out) {
                    break Err(why);
                }
            }
            // The oldest were dropped: whoever reads us is slow.
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => break Ok(()),
        }
    };
    ended(demo).await?;
    played?;
    Ok(CommandOutcome::Done)
}

/// Plays behind a screen, which is given the server and the queues, until that is left; returns
/// how it was.
pub async fn behind<F, S, T>(asked: &args::Demo, config: &Config, screen: F) -> anyhow::Result<T>
where
    F: FnOnce(Endpoint, Vec<Queue>) -> S,
    S: Future<Output = anyhow::Result<T>>,
{
    let demo = started(asked, config).await?;
    let seen = screen(demo.endpoint().clone(), demo.queues().to_vec()).await;
    ended(demo).await?;
    seen
}

async fn started(asked: &args::Demo, config: &Config) -> anyhow::Result<Demo> {
    const WHAT: &str = "could not start the demo";
    match &config.profile {
        Some(profile) if profile.protected => {
            bail!(
                "{WHAT}: it writes, and profile {} is protected.",
                profile.name
            );
        }
        Some(profile) if profile.read_only => {
            bail!(
                "{WHAT}: it writes, and profile {} is read-only.",
                profile.name
            );
        }
        _ if config.read_only => bail!(
            "{WHAT}: it writes, and every change is refused (--read-only, or read_only in the \
             configuration file)."
        ),
        _ => {}
    }
    let scenarios = asked.scenarios.iter().map(|name| name.parse());
    let options = DemoOptions {
        scenarios: scenarios.collect::<Result<_, _>>().context(WHAT)?,
        own: config.endpoint_named.then(|| config.endpoint.clone()),
        prefix: asked.prefix.clone().unwrap_or_default(),
        keep: asked.keep,
        ..DemoOptions::default()
    };
    Demo::start(options).await.context(WHAT)
}

async fn ended(demo: Demo) -> anyhow::Result<()> {
    let kept = demo.end().await.context("could not clean up the demo")?;
    if let Some(kept) = kept {
        say::lines(&kept.to_string());
    }
    Ok(())
}

fn opening<W: Write>(demo: &Demo, keep: bool, out: &mut Output<W>) -> io::Result<()> {
    let names = demo.queues().iter().map(|queue| queue.name.text());
    let names: Vec<String> = names.map(std::borrow::Cow::into_owned).collect();
    if out.is_json() {
        let server = demo.endpoint().to_string();
        out.json(&json!({"event": "started", "server": server, "queues": names}))?;
    } else {
        let endpoint = demo.endpoint();
        match &endpoint.address {
            // Its path alone is what redis-cli and -s take.
            Address::Unix(path) => out.line(&format!("socket {}", path.display()))?,
            Address::Tcp(..) | Address::Sentinel(_) | Address::Cluster(_) => {
                out.line(&format!("server {endpoint}"))?;
            }
        }
        out.line(&format!("queues {}", names.join(", ")))?;
        if let Some(first) = demo.queues().first() {
            let program = redis_cli::ours(endpoint);
            out.line(&format!(
                "try    {}",
                shell::about(&program, "show", first, &[])
            ))?;
        }
    }
    out.flush()?;
    say::note(if keep {
        "Ctrl-C ends the demo; the server and its queues stay"
    } else {
        "Ctrl-C ends the demo, and everything it made is gone"
    });
    Ok(())
}

fn print<W: Write>(event: &DemoEvent, out: &mut Output<W>) -> io::Result<()> {
    if out.is_json() {
        out.json(&fields(event))?;
    } else {
        out.line(&line(event))?;
    }
    out.flush()
}

fn fields(event: &DemoEvent) -> Value {
    match event {
        DemoEvent::Offered { queue, count, due } => json!({
            "event": "offered", "queue": queue.name.text(), "count": count, "due_ms": due.get(),
        }),
        DemoEvent::Consumed { queue, at, text } => json!({
            "event": "consumed", "queue": queue.name.text(), "at_ms": at.get(), "text": text,
        }),
        DemoEvent::Note { queue, text } => json!({
            "event": "note", "queue": queue.name.text(), "text": text,
        }),
        DemoEvent::Trouble { queue, why } => json!({
            "event": "trouble", "queue": queue.name.text(), "why": why.to_string(),
        }),
    }
}

fn line(event: &DemoEvent) -> String {
    let now = local_now();
    match event {
        DemoEvent::Offered { queue, count, due } => format!(
            "{}  {:12} offered   {}, due {}",
            times::local(now, now),
            text::printable(&queue.name.text()),
            text::thousands(*count as u64),
            times::local(*due, now)
        ),
        DemoEvent::Consumed { queue, at, text } => format!(
            "{}  {:12} consumed  {text}",
            times::local(*at, now),
            text::printable(&queue.name.text())
        ),
        DemoEvent::Note { queue, text } => format!(
            "{}  {:12} note      {text}",
            times::local(now, now),
            text::printable(&queue.name.text())
        ),
        DemoEvent::Trouble { queue, why } => format!(
            "{}  {:12} trouble   {why}",
            times::local(now, now),
            text::printable(&queue.name.text())
        ),
    }
}
