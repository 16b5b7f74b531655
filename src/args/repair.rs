//! The flags of `repair`: those of [`queue::Repair`](crate::queue::Repair), and what goes with them.

use std::fmt::Write as _;

use clap::builder::PossibleValue;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches};

use super::{ChangeFlags, ChoiceFlags};
use crate::clock::when::Span;
use crate::queue::{self, Change, Form, Queue};

/// `repair`
#[derive(Args)]
#[command(after_help = after_help())]
pub struct Repair {
    /// The queue.
    #[arg(value_name = "QUEUE", help = super::queue_help())]
    pub queue: Queue,
    /// The repair.
    #[command(flatten)]
    pub flag: RepairFlag,
    /// Of --repack: to this format.
    #[arg(long, value_name = "FORMAT", help = to_form(), requires = "repack", value_parser = super::commands::form)]
    pub form: Option<Form>,
    /// Of --repack, --quarantine and --restore: which entries
    #[command(flatten)]
    pub which: ChoiceFlags,
    /// The flags for how it is made.
    #[command(flatten)]
    pub how: ChangeFlags,
}

fn to_form() -> String {
    let forms = super::forms();
    format!("Of --repack: to this format: {forms} [default: that of the newest entry]")
}

/// The one repair that was asked for.
pub struct RepairFlag {
    /// The repair.
    pub repair: queue::Repair,
    /// The span within which a realigned entry falls due; none: all entries.
    pub within: Option<Span>,
}

/// The flag that bounds a realignment.
const WITHIN: &str = "within";

/// The repairs that have a flag, each with its name.
fn flags() -> impl Iterator<Item = (queue::Repair, &'static str, queue::change::Flag)> {
    let all = queue::Repair::ALL.iter();
    all.filter_map(|repair| Some((*repair, repair.name(), repair.flag()?)))
}

impl Args for RepairFlag {
    fn augment_args(command: Command) -> Command {
        let one = |(_, name, flag): (_, &'static str, queue::change::Flag)| {
            let arg = Arg::new(name).long(name).help(flag.help);
            match flag.value {
                Some([unit, only, means]) => arg
                    .value_name(unit)
                    .value_parser([PossibleValue::new(only).help(means)]),
                None => arg.action(ArgAction::SetTrue),
            }
        };
        let names = || flags().map(|(_, name, _)| name);
        let realign = queue::Repair::Realign.name();
        // It does not require what conflicts with another flag.
        let within = Arg::new(WITHIN)
            .long(WITHIN)
            .value_name("SPAN")
            .help("Of --realign: only what falls due within this span")
            .value_parser(|typed: &str| typed.parse::<Span>())
            .requires(realign)
            .conflicts_with_all(names().filter(|name| *name != realign))
            .allow_hyphen_values(true);
        command
            .args(flags().map(one))
            .arg(within)
            .group(ArgGroup::new("repair").args(names()).required(true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for RepairFlag {
    fn from_arg_matches(typed: &ArgMatches) -> Result<Self, clap::Error> {
        let is_given = |name: &str, flag: queue::change::Flag| match flag.value {
            Some(_) => typed.contains_id(name),
            None => typed.get_flag(name),
        };
        let given = flags().find(|(_, name, flag)| is_given(name, *flag));
        let (repair, _, _) = given.ok_or(clap::Error::new(ErrorKind::MissingRequiredArgument))?;
        Ok(Self {
            repair,
            within: typed.get_one(WITHIN).copied(),
        })
    }

    fn update_from_arg_matches(&mut self, typed: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(typed)?;
        Ok(())
    }
}

fn after_help() -> String {
    let mut help = "\
Examples:
  delayscope repair orders --realign --within 1h --dry-run
  delayscope repair orders --restore-order
  delayscope repair orders --drift --yes
  delayscope repair orders --repack --form byte-id
  delayscope repair orders --unit s --dry-run
  delayscope repair orders --quarantine --id 9f3c2a7714e08b55
  delayscope repair orders --restore --all

Each is planned first; --dry-run only prints the plan. What they do:
"
    .to_owned();
    let mut lasting = Vec::new();
    for (repair, name, flag) in flags() {
        let value = flag
            .value
            .map_or_else(String::new, |[_, only, _]| format!(" {only}"));
        let more = flag.more.replace('\n', "\n                   ");
        // Writing into a String cannot fail.
        let _ = writeln!(help, "  --{:15}{more}", format!("{name}{value}"));
        if repair.undo().is_none() {
            lasting.push(format!("--{name}"));
        }
    }
    let last = lasting.pop().unwrap_or_default();
    let all_but = format!("{} and {last}", lasting.join(", "));
    let undo = Change::Undo.word();
    let _ = write!(help, "{undo} takes back all but {all_but}.");
    help
}
