//! The abilities of the terminal, as the environment tells them.

/// The terminal, as the environment describes it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Terminal {
    /// It can move no cursor (`TERM=dumb`): lines only, no screen.
    pub dumb: bool,
    /// It shows ASCII only: its locale says so, or its font is known for it.
    pub ascii: bool,
    /// The colours that it has and wants.
    pub colours: Colours,
    /// Its background is light (`COLORFGBG`); none: nothing is said of it.
    pub light: Option<bool>,
}

/// The colours of a terminal.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Colours {
    /// No colours are wanted: `NO_COLOR`.
    No,
    /// The 16 of its own palette.
    Own,
    /// The fixed ones of 256 too: `TERM` says so.
    Indexed,
    /// 24-bit ones too: `COLORTERM` is `truecolor` or `24bit`.
    True,
}

impl Terminal {
    /// The terminal of an environment, which is asked by name.
    pub fn of(env: impl Fn(&str) -> Option<String>) -> Self {
        let env = |name: &str| env(name).filter(|value| !value.is_empty());
        let term = env("TERM");
        // The first that is set decides, as for all programs.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(env);
        Self {
            dumb: term.as_deref() == Some("dumb"),
            // The console's font has the whole and half blocks, not the eighths of the bars.
            ascii: term.as_deref() == Some("linux") || locale.is_some_and(|l| !is_utf8(&l)),
            colours: match (env("NO_COLOR"), env("COLORTERM").as_deref()) {
                (Some(_), _) => Colours::No,
                (None, Some("truecolor" | "24bit")) => Colours::True,
                _ if term
                    .as_deref()
                    .is_some_and(|term| term.contains("256color")) =>
                {
                    Colours::Indexed
                }
                _ => Colours::Own,
            },
            light: env("COLORFGBG").as_deref().and_then(is_light),
        }
    }
}

/// Tells by `COLORFGBG`, the numbers of text and background (`15;0`, `0;default;15`), whether the
/// background is light.
fn is_light(numbers: &str) -> Option<bool> {
    match numbers.rsplit(';').next()?.parse().ok()? {
        0..=6 | 8 => Some(false),
        7 | 9..=15 => Some(true),
        _ => None,
    }
}

/// Tells whether text is UTF-8 in that locale. One that names no character set is, nowadays; nobody
/// having said anything (a container's shell) is not taken for a no either.
fn is_utf8(locale: &str) -> bool {
    if matches!(locale, "C" | "POSIX") {
        return false;
    }
    let locale = locale.split('@').next().unwrap_or(locale);
    let Some((_, charset)) = locale.split_once('.') else {
        return true;
    };
    let charset = charset.to_ascii_lowercase();
    matches!(&*charset, "utf-8" | "utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(env: &[(&str, &str)]) -> Terminal {
        Terminal::of(|name| {
            let set = env.iter().find(|(known, _)| *known == name);
            set.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_locale_says_whether_ascii_is_all_there_is() {
        for (env, ascii) in [
            (&[][..], false),
            (&[("LANG", "")], false),
            (&[("LANG", "C")], true),
            (&[("LANG", "POSIX")], true),
            (&[("LANG", "C.UTF-8")], false),
            (&[("LANG", "en_GB.utf8")], false),
            (&[("LANG", "de_DE")], false),
            (&[("LANG", "de_DE@euro")], false),
            (&[("LANG", "de_DE.ISO-8859-15@euro")], true),
            (&[("LANG", "ja_JP.eucJP")], true),
            (&[("LANG", "C"), ("LC_CTYPE", "en_GB.UTF-8")], false),
            (&[("LANG", "en_GB.UTF-8"), ("LC_CTYPE", "C")], true),
            (&[("LC_CTYPE", "en_GB.UTF-8"), ("LC_ALL", "C")], true),
            (&[("LC_CTYPE", "C"), ("LC_ALL", "")], true),
            (&[("TERM", "linux"), ("LANG", "en_GB.UTF-8")], true),
            (&[("TERM", "xterm-256color"), ("LANG", "C.UTF-8")], false),
        ] {
            assert_eq!(of(env).ascii, ascii, "{env:?}");
        }
    }

    #[test]
    fn colours_are_24_bit_only_where_the_terminal_says_so() {
        for (env, colours) in [
            (&[][..], Colours::Own),
            (&[("COLORTERM", "truecolor")], Colours::True),
            (&[("COLORTERM", "24bit")], Colours::True),
            (&[("COLORTERM", "yes")], Colours::Own),
            (&[("COLORTERM", "")], Colours::Own),
            (&[("TERM", "xterm")], Colours::Own),
            (&[("TERM", "xterm-256color")], Colours::Indexed),
            (&[("NO_COLOR", "1")], Colours::No),
            (&[("NO_COLOR", "1"), ("COLORTERM", "24bit")], Colours::No),
            (&[("NO_COLOR", "")], Colours::Own),
        ] {
            assert_eq!(of(env).colours, colours, "{env:?}");
        }
    }

    #[test]
    fn the_last_number_of_colorfgbg_says_whether_the_background_is_light() {
        for (said, light) in [
            ("15;0", Some(false)),
            ("0;15", Some(true)),
            ("0;default;7", Some(true)),
            ("12;8", Some(false)),
            ("default;default", None),
            ("0;", None),
            ("0;300", None),
            ("", None),
        ] {
            assert_eq!(of(&[("COLORFGBG", said)]).light, light, "{said:?}");
        }
    }

    #[test]
    fn a_dumb_terminal_is_one_that_calls_itself_so() {
        assert!(of(&[("TERM", "dumb")]).dumb);
        assert!(!of(&[("TERM", "vt100")]).dumb);
        assert!(!of(&[]).dumb);
    }
}
