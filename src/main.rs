//! Parses, loads the configuration, hands over to `cli` or `tui`, and says how it ended.

use std::process::ExitCode;

use anyhow::Context as _;
use delayscope::args::{Args, Command};
use delayscope::cli::{self, output::Output};
use delayscope::config::Config;

fn main() -> ExitCode {
    cli::completions::answer();
    ExitCode::from(match Args::typed(std::env::args_os()) {
        Ok(args) => start(args).unwrap_or_else(|error| cli::failed(&error)),
        Err(error) => cli::usage(&error),
    })
}

fn start(mut args: Args) -> anyhow::Result<u8> {
    if args.connection.askpass {
        let typed = rpassword::prompt_password("Password: ");
        let typed = typed.context("could not ask for the password: there is no terminal")?;
        args.connection.password = Some(typed);
    }
    let config = Config::new(&args, |name| std::env::var(name).ok())?;
    cli::warned(&config);
    // A mistake in the file is told whatever is to be done; only the screen knows its keys.
    #[cfg(feature = "tui")]
    delayscope::tui::keys::Keymap::new(&config.keys)?;
    #[cfg(feature = "tui")]
    if shows_screen(args.command.as_ref(), &config) {
        // The terminal is given back first.
        delayscope::stops::hold()?;
    }
    // Of the screen that is its own business.
    if args.command.as_ref().is_some_and(Command::holds_stops) {
        cli::hold_stops()?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let ended = runtime.block_on(hand_over(args.command, &config));
    // A read of standard input that nobody waits for must not keep the process.
    runtime.shutdown_background();
    ended
}

/// Tells whether there is a screen: on a terminal, for the demo and where no command is named.
#[cfg(feature = "tui")]
fn shows_screen(command: Option<&Command>, config: &Config) -> bool {
    let has_one = matches!(command, None | Some(Command::Demo(_)));
    has_one && !config.json && cli::is_on_terminal()
}

async fn hand_over(command: Option<Command>, config: &Config) -> anyhow::Result<u8> {
    #[cfg(feature = "tui")]
    if shows_screen(command.as_ref(), config) {
        use delayscope::tui::start::show;
        match &command {
            None => {
                let (server, queues) = (config.endpoint.clone(), config.queues.clone());
                return Box::pin(show(config, server, None, queues)).await;
            }
            Some(Command::Demo(asked)) => {
                // Where its private server listens says nothing to anybody.
                let called = (!config.endpoint_named).then_some("demo");
                let screen = |server, queues| show(config, server, called, queues);
                return Box::pin(cli::demo::behind(asked, config, screen)).await;
            }
            Some(_) => {}
        }
    }
    let mut out = Output::stdout(config.json);
    Ok(Box::pin(cli::run(command, config, &mut out)).await?.code())
}
