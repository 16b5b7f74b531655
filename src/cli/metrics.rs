//! `metrics`: what a monitoring system asks for. How late the queues are, what waits in them, who
//! serves them, what is wrong; in Prometheus's text format, once or over HTTP.

mod exposition;
mod reading;
mod serve;

use std::io::Write;
use std::time::Duration;

use self::exposition::Exposition;
use self::reading::MetricsReading;
use super::doctor::Doctor;
use super::output::Output;
use super::session::Session;
use super::{CommandOutcome, queues, say};
use crate::args;
use crate::clock::instant;
use crate::config::Config;
use crate::queue::{fleet, text};

/// The time for which it looks when it prints once: some rules need two looks.
const SPAN: Duration = Duration::from_secs(4);

/// Prints the metrics once, or serves them.
pub(super) async fn run<W: Write>(
    asked: &args::Metrics,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    if let Some(address) = asked.listen {
        return serve::run(address, asked, config).await;
    }
    out.keep_whole();
    let text = match once(asked, config).await {
        Ok(text) => text,
        Err(why) => {
            // What collects the file sees the server away; whoever started us, why.
            print(&reading::away(), out)?;
            return Err(why);
        }
    };
    print(&text, out)?;
    Ok(CommandOutcome::Done)
}

async fn once(asked: &args::Metrics, config: &Config) -> anyhow::Result<String> {
    let began = instant();
    let session = Session::open(config).await?;
    let mut found = queues::found(&session, config).await?;
    if !found.away.is_empty() {
        say::note(&fleet::away(&found.away));
    }
    found.queues.sort_by(|a, b| a.name.cmp(&b.name));
    let all = found.queues.len();
    found.queues.truncate(asked.limit as usize);
    let mut doctor = Doctor::new(&session, found.queues);
    doctor.away = found.away;
    doctor.quiet();
    doctor.recall(config).await;
    let said = doctor.examine(Some(SPAN)).await?;
    doctor.check_that_the_last_look_was_whole()?;
    for (queue, why) in &doctor.unread {
        let name = text::printable_bytes(queue.name.as_bytes());
        say::note(&format!("{name} is not told: {why}"));
    }
    Ok(MetricsReading {
        link: session.store.link().borrow().clone(),
        server: &doctor.server,
        queues: doctor.read(&said),
        found: all,
        away: &doctor.away,
        took: instant().saturating_duration_since(began),
    }
    .text())
}

fn print<W: Write>(text: &str, out: &mut Output<W>) -> anyhow::Result<()> {
    for line in text.lines() {
        out.line(line)?;
    }
    Ok(out.flush()?)
}
