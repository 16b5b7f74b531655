//! The hints of the bar at the bottom: what the keys do here.

pub mod view;

use crate::queue::text;
use crate::tui::change::{self, queries};
use crate::tui::focus::place;
use crate::tui::keys::{Action, Binding, Code, Key, KeyPlace, table};
use crate::tui::model::{Model, Overlay};
use crate::tui::reason;
use crate::tui::{entry, help, journal, lives};

/// A hint of the bar at the bottom.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Hint {
    /// The keys.
    pub keys: String,
    /// The effect of the keys, in a word.
    pub word: &'static str,
    /// They can do it now.
    pub enabled: bool,
    /// Each of the keys, and the columns that it takes.
    pub parts: Vec<(Key, u16)>,
    /// It has its place at every width: the way out, and the help.
    pub stays: bool,
}

/// The hints for where the keys go now, the most important first, help last.
#[must_use]
pub fn hints(model: &Model) -> Vec<Hint> {
    if model.then.is_some() && model.overlay.is_none() {
        return in_the_past(model);
    }
    let below = hints_at(model, place(model));
    if !change::progress::queries::has_keys(model) {
        return below;
    }
    let mut hints = hints_at(model, KeyPlace::Bulk);
    // What the panel has taken is not for what lies below it.
    let taken = |key: &Key| {
        let action = model.keymap.resolve(KeyPlace::Bulk, *key);
        matches!(action, Some(Action::Pause | Action::Stop))
    };
    let free = |hint: &Hint| !hint.parts.iter().any(|(key, _)| taken(key));
    hints.extend(below.into_iter().filter(free));
    hints
}

/// The hints while a moment of the past is looked at: all other keys only move about there.
fn in_the_past(model: &Model) -> Vec<Hint> {
    let all: [(&'static str, &[Action]); 5] = [
        ("step", &[Action::Earlier, Action::Later]),
        ("next problem", &[Action::ChangeBefore, Action::ChangeAfter]),
        ("zoom", &[Action::ZoomIn, Action::ZoomOut]),
        ("now", &[Action::ZoomReset]),
        ("help", &[Action::Help]),
    ];
    let hint = |(word, actions): &(&'static str, &[Action])| {
        let rows = model.keymap.rows();
        let keys = rows.filter(|(binding, _)| actions.contains(&binding.action));
        let keys: Vec<Key> = keys.filter_map(|(_, keys)| keys.first().copied()).collect();
        let part = |key: &Key| {
            let label = key.label(model.look.ascii);
            (*key, u16::try_from(text::width(&label) + 1).unwrap_or(0))
        };
        let labels: Vec<_> = keys.iter().map(|key| key.label(model.look.ascii)).collect();
        Hint {
            keys: labels.join(" "),
            word,
            enabled: true,
            parts: keys.iter().map(part).collect(),
            stays: actions.len() == 1,
        }
    };
    let hints = all.iter().map(hint);
    hints.filter(|hint| !hint.keys.is_empty()).collect()
}

/// The last line that what has the keys can be scrolled to.
fn last_line(model: &Model) -> usize {
    match (&model.overlay, &model.screen) {
        (Some(Overlay::Help { .. }), _) => help::place::last_scroll(model),
        (Some(Overlay::Lives(view)), _) => lives::place::last_scroll(model, view),
        (Some(Overlay::Change(view)), _) => journal::detail::place::last_scroll(model, view),
        _ => entry::update::last(model),
    }
}

fn hints_at(model: &Model, place: KeyPlace) -> Vec<Hint> {
    // What is in sight as a whole is not scrolled.
    let still = last_line(model) == 0;
    let ascii = model.look.ascii;
    // Where a name is typed, Enter is the answer.
    let named = matches!(&model.overlay, Some(Overlay::Dialog(asked)) if asked.name.is_some());
    let hint = |(binding, keys): (&'static Binding, &[Key])| {
        let (_, word) = binding.hints.iter().find(|(at, _)| *at == place)?;
        let key = *keys.first()?;
        // Nothing makes it act: it would only take the room of what does.
        if model.site.read_only && queries::is_change(binding.action) {
            return None;
        }
        if is_idle(model, binding.action) {
            return None;
        }
        // A menu is not filled in, and what the other form proposes may be all right.
        let enters = matches!(
            model.overlay,
            Some(Overlay::Repair(_) | Overlay::Requeue(_))
        );
        let key = match binding.action {
            Action::Submit if enters => Key::of(Code::Enter),
            _ => key,
        };
        let word = match (binding.action, &model.overlay) {
            (Action::Submit, Some(form)) => &submits(form),
            (Action::Quit, None) if model.is_on_first_screen() => &"quit",
            (Action::Quit, None) => &"back",
            (Action::Monitor, _) if model.lives.tracing.is_some() => &"end MONITOR",
            (Action::Pause, _) if change::progress::update::is_paused(model) => &"go on",
            (Action::Editor, Some(form)) if form.form().is_none_or(|f| f.message().is_none()) => {
                return None;
            }
            _ => word,
        };
        (*word != table::SCROLL || !still).then_some((binding, key, *word))
    };
    let mut rows: Vec<_> = model.keymap.rows().filter_map(hint).collect();
    // What mends has the first place, whether something is wrong or not: no other key moves.
    rows.sort_by_key(|(binding, ..)| binding.action != Action::Repair);
    if matches!(
        place,
        KeyPlace::Entries | KeyPlace::Delivered | KeyPlace::Order
    ) && !model.marks.is_empty()
    {
        // Who has marked entries has done it to do that with them.
        let first = |action| matches!(action, Action::Deliver | Action::Requeue | Action::Delete);
        rows.sort_by_key(|(binding, ..)| !first(binding.action));
    }
    let mut hints: Vec<Hint> = Vec::new();
    hints.extend(named.then(|| end_of_name(ascii)));
    for (binding, key, word) in rows {
        let enabled = reason::why_not(model, binding.action).is_none();
        if !enabled && model.selected().is_none() {
            // Without a queue most keys wait for one: only what leads on is told.
            continue;
        }
        let label = key.label(ascii);
        let columns = u16::try_from(text::width(&label)).unwrap_or(0);
        // Two neighbours with one word are one hint: `←→ bar`.
        match hints.last_mut().filter(|last| last.word == word) {
            Some(last) => {
                last.keys.push_str(&label);
                last.parts.push((key, columns));
            }
            None => hints.push(Hint {
                keys: label,
                word,
                enabled,
                parts: vec![(key, columns)],
                stays: matches!(binding.action, Action::Quit | Action::Help),
            }),
        }
    }
    for hint in &mut hints {
        hint.in_short(ascii);
    }
    hints
}

impl Hint {
    /// Says `1–8` of many digits that follow each other.
    fn in_short(&mut self, ascii: bool) {
        let digits = self.keys.as_bytes();
        let follow = |two: &[u8]| two[0].is_ascii_digit() && two[0] + 1 == two[1];
        let run = digits.len() > 3 && digits.windows(2).all(follow);
        if let (true, [(first, _), .., (last, _)]) = (run, self.parts.as_slice()) {
            let dash = if ascii { '-' } else { '–' };
            let (from, to) = (char::from(digits[0]), char::from(digits[digits.len() - 1]));
            self.keys = format!("{from}{dash}{to}");
            self.parts = vec![(*first, 2), (*last, 1)];
        }
    }
}

/// Enter would do nothing: in the menu of repairs its cursor is on words, in an opened entry there
/// is nothing to fold, of the lives none to open.
fn is_idle(model: &Model, action: Action) -> bool {
    match (action, &model.overlay) {
        (Action::Submit, Some(Overlay::Repair(menu))) => menu.chosen().is_none(),
        (Action::Toggle, _) | (Action::Open, Some(Overlay::Lives(_))) => {
            reason::why_not(model, action).is_some()
        }
        _ => false,
    }
}

/// Returns the hint of what Enter waits for where a name is typed.
fn end_of_name(ascii: bool) -> Hint {
    let enter = Key::of(Code::Enter);
    let keys = enter.label(ascii);
    let columns = u16::try_from(text::width(&keys)).unwrap_or(0);
    Hint {
        keys,
        word: "once the name is typed",
        enabled: true,
        parts: vec![(enter, columns)],
        stays: false,
    }
}

/// Returns the word for what a form does.
const fn submits(form: &Overlay) -> &'static str {
    match form {
        Overlay::Requeue(_) => "requeue",
        Overlay::Edit(_) => "save",
        Overlay::Repair(_) => "plan",
        Overlay::Offer(_)
        | Overlay::Help { .. }
        | Overlay::Lives(_)
        | Overlay::Dialog(_)
        | Overlay::Change(_) => "offer",
    }
}
