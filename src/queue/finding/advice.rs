//! Advice in a sentence that names no key: the screen adds the key that does it.

use std::fmt;

/// Something that a person can do here.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Act {
    /// The finding's own repair.
    Repair,
    /// Start a stand-in worker.
    Worker,
    /// Give entries a new due time.
    Requeue,
    /// Delete entries.
    Delete,
    /// Transfer what is due.
    Transfer,
    /// Open a queue by its name.
    Open,
}

/// A sentence with the acts that do what it says, each behind the words for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    first: String,
    then: Vec<(Act, String)>,
}

impl Advice {
    /// Words alone.
    pub fn of(words: impl Into<String>) -> Self {
        Self {
            first: words.into(),
            then: Vec::new(),
        }
    }

    /// Adds the act that does what was said last, and the `words` behind it.
    #[must_use]
    pub fn by(mut self, act: Act, words: impl Into<String>) -> Self {
        self.then.push((act, words.into()));
        self
    }

    /// The sentence with what `does` says of each act behind the words for it.
    pub fn told(&self, does: impl Fn(Act) -> Option<String>) -> String {
        let mut told = self.first.clone();
        for (act, words) in &self.then {
            if let Some(how) = does(*act) {
                told.extend([" (", &how, ")"]);
            }
            told.push_str(words);
        }
        told
    }
}

/// The sentence where there is no screen whose keys could be pressed.
impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(|_| None))
    }
}

impl From<&str> for Advice {
    fn from(words: &str) -> Self {
        Self::of(words)
    }
}

impl From<String> for Advice {
    fn from(words: String) -> Self {
        Self::of(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_act_stands_behind_its_words_where_something_does_it() {
        let advice = Advice::of("Kick")
            .by(Act::Repair, ", or start a worker")
            .by(Act::Worker, ".");
        assert_eq!(advice.to_string(), "Kick, or start a worker.");
        let key = |act| (act == Act::Worker).then(|| "w".to_owned());
        assert_eq!(advice.told(key), "Kick, or start a worker (w).");
    }
}
