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
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Partly) => ExitCode::from(PARTLY),
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

fn start(args: Args) -> anyhow::Result<Outcome> {
    let config = Config::new(&args, |name| std::env::var(name).ok())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let mut out = Output::stdout(config.json);
    let ended = runtime.block_on(cli::run(args.command, &config, &mut out));
    // A read of standard input that nobody waits for must not keep the process.
    runtime.shutdown_background();
    ended
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
