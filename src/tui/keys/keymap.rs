//! The keymap, from keys to actions: the table's own, where the configuration file says nothing
//! else.

use super::table::HABITS;
use super::{Action, BINDINGS, Binding, Code, Key, KeyPlace, Section};
use crate::config::{At, BadFile, KeySetting};

/// The map of keys to actions. Dispatch, hints, help and palette read it, so that a key that was
/// given to another action is seen there everywhere.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Keymap {
    /// The keys of each row of the table, in its order.
    keys: Vec<Vec<Key>>,
}

/// The keymap of the table.
impl Default for Keymap {
    fn default() -> Self {
        Self {
            keys: BINDINGS.iter().map(|row| row.keys.to_vec()).collect(),
        }
    }
}

/// The key that always quits, whatever is written.
const QUIT: Key = Key::ctrl('c');

impl Keymap {
    /// The table, changed as the `[keys]` of the configuration file say.
    ///
    /// Refused are unknown actions and keys, a key that would do two things in one place, a yes
    /// that could be typed by mistake, and a change after which nothing leads out of a screen.
    /// Ctrl-C quits in any case.
    pub fn new(settings: &[KeySetting]) -> Result<Self, BadFile> {
        let mut map = Self::default();
        for setting in settings {
            let row = BINDINGS.iter().position(|row| row.name == setting.action);
            let Some(row) = row else {
                let names: Vec<&str> = BINDINGS.iter().map(|row| row.name).collect();
                return Err(setting.unknown(&names));
            };
            let mut keys = given(setting)?;
            if BINDINGS[row].action == Action::QuitNow && !keys.contains(&QUIT) {
                keys.push(QUIT);
            }
            map.keys[row] = keys;
        }
        map.has_a_way_out(settings)?;
        for setting in settings {
            map.is_alone(setting)?;
            map.is_no_hasty_yes(setting)?;
        }
        Ok(map)
    }

    /// The rows of the table, each with its keys; none where the user wants none.
    pub fn rows(&self) -> impl Iterator<Item = (&'static Binding, &[Key])> {
        BINDINGS.iter().zip(self.keys.iter().map(Vec::as_slice))
    }

    /// The keys of an action, the one to be shown first.
    #[must_use]
    pub fn keys(&self, action: Action) -> &[Key] {
        let mut rows = self.rows();
        let row = rows.find(|(row, _)| row.action == action);
        row.map_or(&[], |(_, keys)| keys)
    }

    /// Returns the name of an action's key in a sentence; none when it has no key.
    #[must_use]
    pub fn label(&self, action: Action, ascii: bool) -> Option<String> {
        self.keys(action).first().map(|key| key.label(ascii))
    }

    /// Returns a sentence with the keys that are bound: where it has `{requeue}`, the key of the
    /// action of that name; the way to it through the palette where it has none.
    #[must_use]
    pub fn sentence(&self, words: &str, ascii: bool) -> String {
        let mut words = words.to_owned();
        for (row, keys) in self.rows() {
            let place = format!("{{{}}}", row.name);
            if words.contains(&place) {
                let way = || format!(":{}", row.name);
                let key = keys.first().map_or_else(way, |key| key.label(ascii));
                words = words.replace(&place, &key);
            }
        }
        words
    }

    /// Returns the action that a key means there.
    #[must_use]
    pub fn resolve(&self, place: KeyPlace, key: Key) -> Option<Action> {
        let bound = self.at(place, key).map(|row| row.action);
        bound.or_else(|| habit(place, key))
    }

    fn at(&self, place: KeyPlace, key: Key) -> Option<&'static Binding> {
        let mut rows = self.rows();
        let row = rows.find(|(row, keys)| row.places.contains(&place) && keys.contains(&key));
        row.map(|(row, _)| row)
    }

    /// Refuses a setting of which a key does something else in a place where it is to act, or is
    /// only typed there.
    fn is_alone(&self, setting: &KeySetting) -> Result<(), BadFile> {
        let Some(own) = BINDINGS.iter().find(|row| row.name == setting.action) else {
            return Ok(());
        };
        for (name, at) in &setting.keys {
            let Ok(key) = name.parse::<Key>() else {
                continue;
            };
            let typed = matches!(key.code, Code::Char(_)) && !key.ctrl && !key.alt;
            if typed && own.places == [KeyPlace::Form] {
                let why =
                    "would be typed into the form. Choose one with ctrl- or alt-, or F1 to F12";
                return Err(bad(at, format!("{name:?} {why}")));
            }
            let others = self.rows().filter(|(row, _)| row.name != own.name);
            let meet = |row: &Binding| row.places.iter().any(|place| own.places.contains(place));
            let mut taken = others.filter(|(row, keys)| keys.contains(&key) && meet(row));
            if let Some((other, _)) = taken.next() {
                let other = other.name;
                return Err(bad(
                    at,
                    if key == QUIT {
                        format!("{name:?} always quits. Choose another key")
                    } else {
                        format!(
                            "{name:?} does {other} already. Choose another key, or give {other} another one"
                        )
                    },
                ));
            }
        }
        Ok(())
    }

    /// Refuses a yes that could be typed by mistake: Enter, or the key that has just asked.
    fn is_no_hasty_yes(&self, setting: &KeySetting) -> Result<(), BadFile> {
        let yes = self.keys(Action::Confirm);
        let asks = |row: &Binding| row.section == Section::Change && row.action != Action::Confirm;
        for (name, at) in &setting.keys {
            let Some(key) = name.parse::<Key>().ok().filter(|key| yes.contains(key)) else {
                continue;
            };
            let mut asking = self
                .rows()
                .filter(|(row, keys)| asks(row) && keys.contains(&key));
            let asking = asking.next().map(|(row, _)| row.name);
            if key.code == Code::Enter || asking.is_some() {
                let why = match asking {
                    Some(asking) => format!("{name:?} must not confirm what {asking} asks"),
                    None => format!("{name:?} must not confirm: it is pressed too easily"),
                };
                return Err(bad(at, why + ". Choose another key"));
            }
        }
        Ok(())
    }

    /// Refuses to leave neither a key that goes back nor one that quits.
    fn has_a_way_out(&self, settings: &[KeySetting]) -> Result<(), BadFile> {
        let ways = [Action::Back, Action::Quit];
        if ways.iter().any(|way| !self.keys(*way).is_empty()) {
            return Ok(());
        }
        let taken = settings
            .iter()
            .rev()
            .find(|s| s.keys.is_empty() && matches!(&*s.action, "back" | "quit"));
        taken.map_or(Ok(()), |setting| {
            let why = "without a key for back or for quit there is no way out of a screen. Leave one of them its key";
            Err(bad(&setting.at, why.to_owned()))
        })
    }
}

/// The action that a key does by habit.
fn habit(place: KeyPlace, key: Key) -> Option<Action> {
    let works = |action: Action| {
        let row = BINDINGS.iter().find(|row| row.action == action);
        row.is_some_and(|row| row.places.contains(&place))
    };
    let mut known = HABITS.iter().filter(|(habit, _)| *habit == key);
    known
        .find(|(_, action)| works(*action))
        .map(|(_, action)| *action)
}

/// The keys that a setting names, each once.
fn given(setting: &KeySetting) -> Result<Vec<Key>, BadFile> {
    let mut keys = Vec::with_capacity(setting.keys.len());
    for (name, at) in &setting.keys {
        let key = name.parse().map_err(|why| bad(at, format!("{why}")))?;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}

fn bad(at: &At, why: String) -> BadFile {
    BadFile {
        at: at.clone(),
        why,
    }
}
