//! Parses, loads the configuration, hands over to `cli` or `tui`, and says how it ended.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use delayscope::args::{Args, Command, without_passwords};
use delayscope::cli::{self, NothingMatched, Outcome, output::Output};
use delayscope::config::Config;

/// Nothing matched, or not all was done.
const PARTLY: u8 = 1;
/// It failed.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    match start(args) {
        Ok(code) => ExitCode::from(code),
        Err(error) if cli::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "delayscope: {}", cli::sentence(&error));
            ExitCode::from(if error.is::<NothingMatched>() {
                PARTLY
            } else {
                FAILED
            })
        }
    }
}

fn start(args: Args) -> anyhow::Result<u8> {
    let config = Config::new(&args, |name| std::env::var(name).ok())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let ended = runtime.block_on(front(args.command, &config));
    // A read of standard input that nobody waits for must not keep the process.
    runtime.shutdown_background();
    ended
}

/// The screen for a person at a terminal, else lines; its exit code.
async fn front(command: Option<Command>, config: &Config) -> anyhow::Result<u8> {
    #[cfg(feature = "tui")]
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && !config.json {
        use delayscope::tui;
        match command {
            None => return tui::show(config, config.endpoint.clone(), config.queues.clone()).await,
            Some(Command::Demo(asked)) => {
                let screen = |endpoint, queues| tui::show(config, endpoint, queues);
                return cli::demo::behind(&asked, config, screen).await;
            }
            _ => {}
        }
    }
    let mut out = Output::stdout(config.json);
    Ok(match cli::run(command, config, &mut out).await? {
        Outcome::Done => 0,
        Outcome::Partly => PARTLY,
    })
}

/// Help and version on standard output, what clap does not understand on standard error.
fn usage(error: &clap::Error) -> ExitCode {
    let shown = error.render();
    let said = if error.use_stderr() {
        let plain = !std::io::stderr().is_terminal() || std::env::var_os("NO_COLOR").is_some();
        let text = if plain {
            shown.to_string()
        } else {
            shown.ansi().to_string()
        };
        write!(std::io::stderr(), "{}", without_passwords(&text))
    } else {
        write!(std::io::stdout(), "{shown}")
    };
    // Whoever closed the pipe wants no more of it.
    drop(said);
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(FAILED))
}
