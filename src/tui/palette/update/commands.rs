//! The commands that take a word behind them, and those that no key has.

use super::line_of;
use crate::clock::when::Span;
use crate::config;
use crate::queue::Zoom;
use crate::tui::effect::Effect;
use crate::tui::keys::Action;
use crate::tui::look::{Background, Depth};
use crate::tui::model::Model;
use crate::tui::prompt::{Choice, PromptKind};
use crate::tui::refresh::update::interval;
use crate::tui::server::Switch;
use crate::tui::{change, queues, reason, server, timeline};

/// A command.
pub(crate) struct PaletteCommand {
    /// Its name.
    pub(crate) name: &'static str,
    /// Other names that people use for it.
    pub(crate) aliases: &'static [&'static str],
    /// The argument behind its name; nothing stands there when this is empty.
    pub(crate) wants: &'static str,
    /// It can stand alone.
    pub(crate) alone: bool,
    /// The description of what it does.
    pub(crate) help: &'static str,
    /// The action that it is when it stands alone.
    pub(crate) action: Option<Action>,
    /// The reason why it cannot do anything now.
    pub(crate) why_not: fn(&Model) -> Option<&'static str>,
    /// Lists the choices that its line could become.
    pub(crate) choices: fn(&Model, &str) -> Vec<Choice>,
    /// Does it.
    pub(crate) run: fn(&mut Model, &str) -> Result<Vec<Effect>, String>,
}

impl PaletteCommand {
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// Nothing is in its way.
const fn always(_: &Model) -> Option<&'static str> {
    None
}

/// The commands, those asked for most often first.
pub(crate) const COMMANDS: &[PaletteCommand] = &[
    PaletteCommand {
        name: "queue",
        aliases: &["qu", "go"],
        wants: "NAME",
        alone: false,
        help: "open a queue, one that was not found too",
        action: None,
        why_not: always,
        choices: super::queues::choices,
        run: super::queues::open,
    },
    PaletteCommand {
        name: "queues",
        aliases: &["qs", "home"],
        wants: "",
        alone: true,
        help: "back to all queues",
        action: None,
        why_not: always,
        choices: |_, _| Vec::new(),
        run: |model, _| {
            queues::update::show_table(model);
            Ok(Vec::new())
        },
    },
    PaletteCommand {
        name: "db",
        aliases: &["select"],
        wants: "N",
        alone: false,
        help: "another database of this server",
        action: None,
        why_not: always,
        choices: |model, arg| {
            let read = db(arg).and_then(|db| elsewhere(model, db));
            vec![echo(
                "db",
                arg,
                read.map(|db| format!("go to database {db}")),
            )]
        },
        run: |model, arg| {
            let db = db(arg).and_then(|db| elsewhere(model, db))?;
            Ok(server::update::to(model, Switch::Db(db)))
        },
    },
    PaletteCommand {
        name: "profile",
        aliases: &["ctx", "context"],
        wants: "P",
        alone: false,
        help: "another server: a profile of the configuration",
        action: None,
        why_not: |model| {
            let none = model.site.profiles.is_empty();
            none.then_some("the configuration has no profiles")
        },
        choices: |model, arg| {
            let profiles = model.site.profiles.iter();
            let choice = |name: &String| {
                let here = model.site.profile.as_ref().is_some_and(|p| p.name == *name);
                Choice {
                    line: format!("profile {name}"),
                    help: if here { "here" } else { "go to this server" }.to_owned(),
                    ..Choice::default()
                }
            };
            of_words(arg, profiles.map(|name| (name.clone(), choice(name))))
        },
        run: |model, arg| {
            if !model.site.profiles.iter().any(|name| name == arg) {
                return Err(format!("there is no profile {arg}"));
            }
            Ok(server::update::to(model, Switch::Profile(arg.to_owned())))
        },
    },
    PaletteCommand {
        name: "server",
        aliases: &["connect", "host", "url"],
        wants: "HOST:PORT/DB",
        alone: false,
        help: "another server: an address, a recent one, a profile",
        action: None,
        why_not: always,
        choices: servers,
        run: |model, arg| {
            config::check_address(arg)?;
            Ok(server::update::to(model, Switch::Address(arg.to_owned())))
        },
    },
    PaletteCommand {
        name: "goto",
        aliases: &["jump", "@"],
        wants: "TIME",
        alone: true,
        help: "jump to a time: 14:10, +5m, now",
        action: Some(Action::Jump),
        why_not: |model| reason::why_not(model, Action::Jump),
        choices: |_, arg| vec![echo("goto", arg, Ok("jump to this time".to_owned()))],
        run: |model, arg| line_of(model, Action::Jump, arg),
    },
    PaletteCommand {
        name: "filter",
        aliases: &["/", "grep", "search"],
        wants: "TEXT",
        alone: true,
        help: "show only the entries that match",
        action: Some(Action::Filter),
        why_not: |model| match model.selected() {
            None => Some("no queue to look in"),
            Some(_) => reason::why_not(model, Action::Filter),
        },
        choices: |_, arg| {
            let what = "show only the entries that match".to_owned();
            vec![echo("filter", arg, Ok(what))]
        },
        run: |model, arg| line_of(model, Action::Filter, arg),
    },
    PaletteCommand {
        name: "find",
        aliases: &["find-all", "everywhere"],
        wants: "TEXT",
        alone: false,
        help: "look for an entry that matches, in all queues",
        action: None,
        why_not: |model| model.queues.is_empty().then_some("no queue to look in"),
        choices: |_, arg| {
            let what = "look through all queues".to_owned();
            vec![echo("find", arg, Ok(what))]
        },
        run: super::find::run,
    },
    PaletteCommand {
        name: "keep-one",
        aliases: &["dedupe", "unique"],
        wants: "",
        alone: true,
        help: "delete what is marked, but one of each that are equal",
        action: None,
        why_not: change::update::why_not_keep_one,
        choices: |_, _| Vec::new(),
        run: |model, _| Ok(change::update::keep_one(model)),
    },
    PaletteCommand {
        name: "zoom",
        aliases: &[],
        wants: "SPAN",
        alone: false,
        help: "how much of the future the timeline shows",
        action: None,
        why_not: always,
        choices: zooms,
        run: |model, arg| {
            timeline::update::zoom(model, zoom(model, arg)?);
            Ok(Vec::new())
        },
    },
    PaletteCommand {
        name: "interval",
        aliases: &["every", "refresh-every"],
        wants: "SPAN",
        alone: true,
        help: "refresh each 200ms to 60s; alone: the next one",
        action: Some(Action::Interval),
        why_not: always,
        choices: |_, arg| {
            let read = span(arg).map(interval::said);
            vec![echo("interval", arg, read)]
        },
        run: |model, arg| {
            if arg.is_empty() {
                return Ok(vec![Effect::asks(Action::Interval)]);
            }
            interval::set(model, span(arg)?);
            Ok(Vec::new())
        },
    },
    PaletteCommand {
        name: "theme",
        aliases: &["skin", "colours", "colors"],
        wants: "NAME",
        alone: false,
        help: "light, dark, or the terminal's own colours",
        action: None,
        why_not: |model| model.look.no_color.then_some("NO_COLOR is set"),
        choices: themes,
        run: |model, arg| {
            let (_, background) = theme(arg).ok_or_else(|| format!("there is no theme {arg}"))?;
            if background.is_some() && model.look.depth == Depth::Own {
                return Err(FEW_COLOURS.to_owned());
            }
            model.look.background = background;
            model.schedule.background_by = None;
            Ok(Vec::new())
        },
    },
    PaletteCommand {
        name: "help",
        aliases: &["h", "keys"],
        wants: "",
        alone: true,
        help: "the keys",
        action: Some(Action::Help),
        why_not: always,
        choices: |_, _| Vec::new(),
        run: |_, _| Ok(vec![Effect::asks(Action::Help)]),
    },
    PaletteCommand {
        name: "quit",
        aliases: &["q", "q!", "qa", "wq", "x", "exit", "quit-now"],
        wants: "",
        alone: true,
        help: "leave the program",
        action: Some(Action::Quit),
        why_not: always,
        choices: |_, _| Vec::new(),
        run: |_, _| Ok(vec![Effect::asks(Action::QuitNow)]),
    },
];

/// A theme for a background is drawn in 24-bit colours.
const FEW_COLOURS: &str =
    "this terminal does not say that it has more than 16 colours (TERM, COLORTERM)";

/// The most words that are offered.
const OFFERED: usize = 200;

/// The line as it is typed, with what it will do, or why it will not.
pub(crate) fn echo(name: &str, arg: &str, read: Result<String, String>) -> Choice {
    let line = if arg.is_empty() {
        name.to_owned()
    } else {
        format!("{name} {arg}")
    };
    let (help, disabled) = match read {
        Ok(help) => (help, None),
        Err(why) => (String::new(), Some(why)),
    };
    Choice {
        line,
        help,
        disabled,
        ..Choice::default()
    }
}

/// Returns the choices that fit what is typed behind the command, best first. Letters that stand
/// far apart are no fit: what was not meant would be chosen.
pub(crate) fn of_words(arg: &str, words: impl Iterator<Item = (String, Choice)>) -> Vec<Choice> {
    let arg = arg.to_lowercase();
    let rated = words.filter_map(|(word, choice)| {
        let fit = super::rank::fit(&word.to_lowercase(), &arg)?;
        (fit <= super::rank::NameFit::Within).then_some((fit, choice))
    });
    let mut rated: Vec<_> = rated.collect();
    rated.sort_by_key(|(fit, _)| *fit);
    let best = rated.into_iter().map(|(_, choice)| choice);
    best.take(OFFERED).collect()
}

/// The address as it is typed, then the servers that were gone to before, the last one first, and
/// the profiles.
fn servers(model: &Model, arg: &str) -> Vec<Choice> {
    let mut all = Vec::new();
    if !arg.is_empty() {
        let read = config::check_address(arg);
        all.push(echo(
            "server",
            arg,
            read.map(|()| "go to this server".to_owned()),
        ));
    }
    let before = (1..).map_while(|back| model.history.back(PromptKind::Command, back));
    let before = before.filter_map(|line| Some((line, line.strip_prefix("server ")?)));
    let before = before.map(|(line, address)| {
        let choice = Choice {
            line: line.to_owned(),
            help: "gone to before".to_owned(),
            ..Choice::default()
        };
        (address.to_owned(), choice)
    });
    let profiles = model.site.profiles.iter().map(|name| {
        let choice = Choice {
            line: format!("profile {name}"),
            help: "a profile of the configuration".to_owned(),
            ..Choice::default()
        };
        (name.clone(), choice)
    });
    let others = of_words(arg, before.chain(profiles));
    let typed = all.first().map(|choice| choice.line.clone());
    all.extend(
        others
            .into_iter()
            .filter(|choice| Some(&choice.line) != typed.as_ref()),
    );
    all
}

fn db(arg: &str) -> Result<i64, String> {
    let db = arg.parse().ok().filter(|db| *db >= 0);
    db.ok_or_else(|| "a database is a number: 0, 1, 2 …".to_owned())
}

fn elsewhere(model: &Model, db: i64) -> Result<i64, String> {
    if db == model.site.db {
        return Err(format!("database {db} is the one that is shown"));
    }
    Ok(db)
}

/// Returns the name of a zoom in a command: `10min`.
fn label(zoom: Zoom) -> String {
    zoom.label().replace(' ', "")
}

fn zooms(_: &Model, arg: &str) -> Vec<Choice> {
    let choice = |zoom: &Zoom| Choice {
        line: format!("zoom {}", label(*zoom)),
        help: zoom.scale().map_or_else(
            || "as far as the last due time".to_owned(),
            |scale| format!("bars of {}", scale.width()),
        ),
        ..Choice::default()
    };
    of_words(
        arg,
        Zoom::ALL.iter().map(|zoom| (label(*zoom), choice(zoom))),
    )
}

/// A zoom by its label, by its span however written, or from the one that is shown.
fn zoom(model: &Model, arg: &str) -> Result<Zoom, String> {
    let wanted = arg.replace(' ', "").to_lowercase();
    let span = wanted.parse::<Span>().ok().map(Span::ms);
    let fits = |zoom: &&Zoom| {
        let ms = zoom
            .scale()
            .map(|scale| scale.bar_ms.unsigned_abs() * scale.bars as u64);
        label(**zoom) == wanted || span.is_some() && span == ms
    };
    match wanted.as_str() {
        "in" => Ok(model.timeline.zoom.closer()),
        "out" => Ok(model.timeline.zoom.wider()),
        _ => Zoom::ALL.iter().find(fits).copied().ok_or_else(|| {
            let all: Vec<String> = Zoom::ALL.iter().map(|zoom| label(*zoom)).collect();
            format!("{arg} is none of {}", all.join(", "))
        }),
    }
}

/// An interval in ms.
fn span(arg: &str) -> Result<u64, String> {
    let span: Span = arg.parse().map_err(|why| format!("{why}"))?;
    config::interval(Some(span)).map_err(|why| why.to_string())?;
    Ok(span.ms())
}

const THEMES: [(&str, Option<Background>); 3] = [
    ("dark", Some(Background::Dark)),
    ("light", Some(Background::Light)),
    ("terminal", None),
];

fn theme(name: &str) -> Option<(&'static str, Option<Background>)> {
    THEMES.into_iter().find(|(known, _)| *known == name)
}

fn themes(model: &Model, arg: &str) -> Vec<Choice> {
    let choice = |(name, background): (&str, Option<Background>)| {
        let help = match background {
            Some(_) => format!("for a {name} background"),
            None => "the terminal's own 16 colours".to_owned(),
        };
        let few = background.is_some() && model.look.depth == Depth::Own;
        Choice {
            line: format!("theme {name}"),
            help,
            disabled: few.then(|| FEW_COLOURS.to_owned()),
            ..Choice::default()
        }
    };
    of_words(
        arg,
        THEMES
            .into_iter()
            .map(|theme| (theme.0.to_owned(), choice(theme))),
    )
}
