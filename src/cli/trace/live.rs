//! `trace` without a log: MONITOR, its price told before.

use std::io::Write;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::task::JoinHandle;

use super::super::confirm::ask;
use super::super::output::Output;
use super::super::session::Session;
use super::super::stop::StopSignal;
use super::super::suspend::Suspend;
use super::super::{CommandOutcome, say};
use super::Account;
use crate::args;
use crate::clock::when::Span;
use crate::config::Config;
use crate::ops::trace::{Brakes, LiveEnd, LiveStop, clients, follow, price};
use crate::queue::{Address, Endpoint, Known, Queue, shell, text};
use crate::store::StoreError;

/// Above so many commands a second MONITOR is asked about first.
const MOST_UNASKED: u64 = 5_000;

/// The longest that MONITOR runs without `--long`.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// Follows messages until the time is over, a brake acts, or somebody ends it.
pub(super) async fn run<W: Write>(
    asked: &args::Trace,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let brakes = brakes(asked)?;
    let mut account = Account::new(asked, config, out)?;
    let what = |server: &Endpoint| format!("could not trace on {server}");
    let session = Session::open(config).await?;
    let session = at_node(session, account.wanted.as_deref(), config).await;
    let session = session.with_context(|| what(&config.endpoint))?;
    // In a cluster the node that bears the burden.
    let server = session.store.whereabouts();
    let now = price(&session.store).await.with_context(|| what(&server))?;
    let server = server.to_string();
    if !agreed(&now, brakes, asked.yes, &server)? {
        say::note("nothing was traced");
        return Ok(CommandOutcome::Partly);
    }
    match clients(&session.store).await {
        Known::Is(clients) => account.tracker.know(&clients),
        Known::Unknown(why) => say::note(&format!(
            "clients that are connected by now are told by their addresses alone: {server} tells \
             no names ({why})"
        )),
        Known::None => {}
    }
    // Heeded before there is anything to be ended.
    let (stop, suspend) = (StopSignal::listen(), Suspend::heed());
    let channel = match account.wanted.as_deref() {
        Some([queue]) => queue.keys().channel,
        _ => None,
    };
    let mut live = follow(&session.store, brakes, channel)
        .await
        .map_err(refused)?;
    let signals = Signals::heed(stop, suspend, live.stopper());
    while let Some(records) = live.next().await {
        if let Some((at_us, count)) = live.listeners() {
            account.tracker.listen(at_us, count);
        }
        for record in &records {
            if !account.is_full() {
                account.read(record)?;
            }
        }
        account.out.flush()?;
        if account.is_full() {
            break;
        }
    }
    account.summary.ended_by_limit = account.is_full();
    live.stopper().stop().await;
    drop(signals);
    // What was on its way does not matter once enough was printed.
    while live.next().await.is_some() {}
    let (end, cost) = live.end().await;
    // Whoever has come since may be named in the lives and the figures. Not after a brake: what
    // burdens the server is ended, and no long list asked of it.
    if end.is_meant()
        && account.has_strangers
        && let Known::Is(clients) = clients(&session.store).await
    {
        account.tracker.know(&clients);
    }
    account.finish()?;
    let span = cost.as_ref().map_or(Duration::ZERO, |cost| cost.span);
    if let Some(cost) = cost {
        account.summary.lived(end.clone(), cost);
    }
    let ms = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
    let told = account.print(&format!("that {server} ran in {}", text::span(ms)));
    match end {
        LiveEnd::Time | LiveEnd::Asked => told.map(|()| CommandOutcome::Done),
        LiveEnd::Broken(why) => {
            bail!("the connection to {server} broke while it ran MONITOR: {why}")
        }
        LiveEnd::Unanswered(why) => Err(why).context("MONITOR was ended before its time"),
        LiveEnd::Rate(_) | LiveEnd::Buffer(_) | LiveEnd::Behind(_) => {
            say::note(&braked(&end, brakes));
            told.map(|()| CommandOutcome::Partly)
        }
    }
}

/// The session at the node that owns the queues; an error where they are at several, since MONITOR
/// tells of one. The node that was named may own none of them, or be a replica, which shows no commands of
/// theirs in their time.
async fn at_node(
    session: Session,
    wanted: Option<&[Queue]>,
    config: &Config,
) -> anyhow::Result<Session> {
    let Some(queues @ [first, others @ ..]) = wanted else {
        return match &session.store.masters().await[..] {
            [] => Ok(session),
            [master] => session.of(master.clone()).await,
            masters => bail!(
                "MONITOR tells of one node, and {} nodes share this cluster's slots. Name a queue, as \
                 in trace orders, or look at the node that you name alone, with --node.",
                masters.len()
            ),
        };
    };
    let session_of_first = session.at(first).await?;
    let node = session_of_first.store.place();
    for other in others {
        let other_node = session.at(other).await?.store.place();
        if other_node != node {
            let at = |node: Option<Address>| node.map_or_else(String::new, |at| at.to_string());
            let program = config.program();
            let each = queues.iter();
            let each = each.map(|queue| shell::about(&program, "trace", queue, &[]));
            bail!(
                "MONITOR tells of one node, and {:?} is at {}, {:?} at {}. Trace each in a terminal \
                 of its own: {}",
                first.name.text(),
                at(node),
                other.name.text(),
                at(other_node),
                each.collect::<Vec<_>>().join("; "),
            );
        }
    }
    Ok(session_of_first)
}

/// The limits that the flags make.
fn brakes(asked: &args::Trace) -> anyhow::Result<Brakes> {
    let span = asked.span.map_or(Brakes::USUAL.span, Span::duration);
    if span.is_zero() {
        bail!("--for 0 traces nothing: give a span such as 30s.");
    }
    if span > LONGEST && !asked.long {
        bail!(
            "MONITOR is a burden to the server, so --for is at most 5m. Add --long if it must be \
             longer."
        );
    }
    Ok(Brakes {
        span,
        commands_per_s: asked.max_rate.unwrap_or(Brakes::USUAL.commands_per_s),
        ..Brakes::USUAL
    })
}

/// Tells the price, and asks where it is high; `false`: leave it.
fn agreed(now: &Known<u64>, brakes: Brakes, yes: bool, server: &str) -> anyhow::Result<bool> {
    let most = brakes.commands_per_s;
    if let Some(now) = now.get().filter(|now| *now > most) {
        bail!(
            "{server} runs {} commands/s now, and MONITOR is ended above {}. Give a higher \
             --max-rate, or trace when less goes on.",
            text::thousands(now),
            text::thousands(most),
        );
    }
    let runs = match now {
        Known::Is(now) => format!("runs {} commands/s now", text::thousands(*now)),
        _ => "does not tell how many commands/s it runs".to_owned(),
    };
    let ms = u64::try_from(brakes.span.as_millis()).unwrap_or(u64::MAX);
    let told = format!(
        "MONITOR on {server} for {}: it {runs}, copies each to us, and can do about half as much \
         meanwhile. It ends by itself above {} commands/s, or when {} wait there to be sent",
        text::span(ms),
        text::thousands(most),
        text::bytes(brakes.buffer),
    );
    if yes || now.get().is_some_and(|now| now <= MOST_UNASKED) {
        say::note(&format!("{told}; Ctrl-C ends it"));
        return Ok(true);
    }
    let refusal = format!("{told}. That is asked about, and there is no terminal: give --yes.");
    let answer = ask(&format!("{told}. Go on? [y/N] "), &refusal)?;
    Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
}

/// A refusal, with what does without MONITOR.
fn refused(why: StoreError) -> anyhow::Error {
    // The server was there a moment ago: whoever stands between ends what it does not let through.
    let is_cut = matches!(
        why,
        StoreError::NotConnected { .. } | StoreError::Broken { .. } | StoreError::TimedOut { .. }
    );
    let is_refusal = matches!(why, StoreError::Refused { .. });
    let error = anyhow::Error::new(why);
    if is_refusal || is_cut {
        let cut = if is_cut {
            " The connection that was to run MONITOR ended: a proxy that does not let it through does so."
        } else {
            ""
        };
        return anyhow::anyhow!(
            "{error:#}.{cut} Without MONITOR, --probe 5 follows test messages, and --from FILE reads \
             an append-only file of the server's, or what `redis-cli monitor` wrote as a user who may."
        );
    }
    error.context("could not begin to trace")
}

/// Says why it ended before its time.
fn braked(end: &LiveEnd, brakes: Brakes) -> String {
    match end {
        LiveEnd::Rate(per_s) => format!(
            "MONITOR was ended: the server ran {} commands/s, more than the {} of --max-rate",
            text::thousands(*per_s),
            text::thousands(brakes.commands_per_s),
        ),
        LiveEnd::Buffer(waiting) => format!(
            "MONITOR was ended: {} waited on the server to be sent, more than {}. Read faster, or \
             trace when less goes on",
            text::bytes(*waiting),
            text::bytes(brakes.buffer),
        ),
        LiveEnd::Behind(us) => format!(
            "MONITOR was ended: we were {} behind the server. Whoever reads the output has to read \
             faster",
            text::span((us / 1_000).unsigned_abs()),
        ),
        _ => "MONITOR was ended".to_owned(),
    }
}

/// Signals that end a trace, heeded beside the printing, which a terminal may keep. Ctrl-Z ends it
/// in the same way: a process that is stopped reads nothing, and the server would copy into its
/// memory.
struct Signals(JoinHandle<()>);

impl Signals {
    fn heed(mut stop: StopSignal, mut suspend: Suspend, mut live: LiveStop) -> Self {
        Self(tokio::spawn(async move {
            tokio::select! {
                biased;
                () = stop.asked() => live.stop().await,
                () = suspend.asked() => {
                    live.stop().await;
                    say::note("MONITOR was ended: nobody could read while we are stopped");
                }
            }
        }))
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.0.abort();
    }
}
