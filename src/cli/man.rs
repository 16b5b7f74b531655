//! `man`: the manual page of the program or of one of its commands, in roff. Needs no server.

use std::io::Write;

use anyhow::{Context as _, bail};
use clap::{Arg, Command};
use clap_mangen::Man;

use super::CommandOutcome;
use super::output::Output;
use crate::args::{self, Args, no_command};

/// Prints the page.
pub(super) fn run<W: Write>(
    asked: &args::Man,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    out.keep_whole();
    let page = page(asked.command.as_deref())?;
    for line in page.lines() {
        out.line(line)?;
    }
    Ok(CommandOutcome::Done)
}

/// The page of that command, or of the whole program.
fn page(of: Option<&str>) -> anyhow::Result<String> {
    let mut program = Args::described();
    program.build();
    let command = match of {
        None => program,
        Some(name) => one(&program, name)?,
    };
    // A page has no short form: it tells of each flag what the long help tells.
    let command = command.mut_args(|flag| flag.hide_short_help(false));
    let mut page = Vec::new();
    let man = Man::new(command).date("").manual("delayscope");
    man.render(&mut page).context("could not write the page")?;
    String::from_utf8(page).context("could not write the page")
}

/// A command of the program, by its name.
fn one(program: &Command, name: &str) -> anyhow::Result<Command> {
    let Some(command) = program.find_subcommand(name).filter(|of| !of.is_hide_set()) else {
        match no_command(name) {
            Some(said) => bail!("{said} See delayscope --help."),
            None => bail!("there is no command {name:?}. See delayscope --help."),
        }
    };
    // How to reach a server stands on the page of the program.
    let elsewhere = |arg: Arg| {
        let is_connection = arg.get_help_heading() == Some("Connection");
        arg.hide(is_connection)
    };
    Ok(command.clone().mut_args(elsewhere))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_flags_and_examples() {
        let mut program = Args::described();
        program.build();
        let names: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        assert!(names.len() > 25, "{names:?}");
        for name in names {
            let Ok(page) = page(Some(name)) else {
                assert!(matches!(name, "connection"), "{name} has no page");
                continue;
            };
            assert!(page.contains(&format!("delayscope\\-{name}")), "{page}");
        }
        let transfer = page(Some("transfer")).unwrap();
        assert!(transfer.contains("\\-\\-max\\-block"), "{transfer}");
        assert!(
            transfer.contains("delayscope transfer orders"),
            "{transfer}"
        );
    }

    #[test]
    fn the_page_of_the_program_has_the_connection_and_the_exit_codes() {
        let page = page(None).unwrap();
        for words in [
            ".TH delayscope 1",
            "\\-\\-cacert",
            "Exit codes",
            "delayscope\\-doctor(1)",
        ] {
            assert!(page.contains(words), "{words} in {page}");
        }
    }

    #[test]
    fn every_flag_of_a_page_is_described() {
        for name in [None, Some("transfer"), Some("trace"), Some("demo")] {
            let page = page(name).unwrap();
            let lines: Vec<&str> = page.lines().collect();
            let flags = lines.windows(3).filter(|lines| lines[0] == ".TP");
            let bare = flags.filter(|lines| lines[2].trim().is_empty());
            let bare: Vec<&str> = bare.map(|lines| lines[1]).collect();
            assert_eq!(bare, [""; 0], "{name:?}");
        }
    }

    #[test]
    fn the_page_of_a_mistyped_command_names_the_one_that_is_meant() {
        let why = page(Some("transfr")).unwrap_err().to_string();
        assert!(why.contains("did you mean transfer?"), "{why}");
    }
}
