//! Parses, loads the configuration, hands over to `cli` or `tui`, and says how it ended.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use delayscope::args::{Args, without_passwords};
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
    let on_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let ended = if cfg!(feature = "tui") && args.command.is_none() && on_terminal {
        runtime.block_on(screen(&config))
    } else {
        let mut out = Output::stdout(config.json);
        let outcome = runtime.block_on(cli::run(args.command, &config, &mut out));
        outcome.map(|outcome| match outcome {
            Outcome::Done => 0,
            Outcome::Partly => PARTLY,
        })
    };
    // A read of standard input that nobody waits for must not keep the process.
    runtime.shutdown_background();
    ended
}

/// Shows the screen; its exit code.
#[cfg(feature = "tui")]
async fn screen(config: &Config) -> anyhow::Result<u8> {
    use delayscope::args::Theme;
    use delayscope::store::{Access, Store};
    use delayscope::tui::model::{Background, Look, Zone};

    let access = if config.read_only {
        Access::ReadOnly
    } else {
        Access::ReadWrite
    };
    let options = delayscope::tui::Options {
        named: config.queues.clone(),
        look: Look {
            ascii: config.screen.ascii,
            no_color: !config.screen.colour,
            truecolor: config.screen.theme.map(|theme| match theme {
                Theme::Dark => Background::Dark,
                Theme::Light => Background::Light,
            }),
            zone: Zone::Local,
        },
        interval_ms: u64::try_from(config.screen.interval.as_millis()).unwrap_or(u64::MAX),
    };
    let store = Store::open(config.endpoint.clone(), access);
    Ok(delayscope::tui::run(store, options).await?.code())
}

/// Built without it.
#[cfg(not(feature = "tui"))]
async fn screen(_config: &Config) -> anyhow::Result<u8> {
    Ok(0)
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
