//! The ranking of names by how well they fit what was typed.

use crate::tui::prompt::Choice;

/// Returns the choices whose name, another name or help fits `typed`, best first: those that are
/// called so or begin so, and the others. Of those that fit equally well, what works here stands
/// first, and of these what `titles` name, in their order.
pub(crate) fn best(
    typed: &str,
    titles: &[&str],
    choices: Vec<(&'static [&'static str], Choice)>,
) -> (Vec<Choice>, Vec<Choice>) {
    let typed = typed.to_lowercase();
    let rated = choices.into_iter().filter_map(|(names, choice)| {
        let own = fit(&choice.line.to_lowercase(), &typed);
        let others = names.iter().filter_map(|name| fit(name, &typed));
        let by_name = own.into_iter().chain(others).min();
        let by_help = || {
            let help = choice.help.to_lowercase();
            let found = typed.chars().count() > 2 && help.contains(&typed);
            found.then_some(NameFit::Help)
        };
        Some((by_name.or_else(by_help)?, choice))
    });
    let mut rated: Vec<(NameFit, Choice)> = rated.collect();
    rated.sort_by_key(|(fit, choice)| {
        let title = titles.iter().position(|title| *title == choice.line);
        let title = title.unwrap_or(titles.len());
        (*fit, choice.disabled.is_some(), title)
    });
    let sure = rated.partition_point(|(fit, _)| *fit <= NameFit::Start);
    let rest = rated.split_off(sure);
    let bare =
        |rated: Vec<(NameFit, Choice)>| rated.into_iter().map(|(_, choice)| choice).collect();
    (bare(rated), bare(rest))
}

/// The degree to which a name fits, the best first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum NameFit {
    /// It is that name.
    Whole,
    /// The name begins with it.
    Start,
    /// One of its words does.
    Word,
    /// It stands within the name.
    Within,
    /// Its letters stand there in order, with so many others between them.
    Letters(usize),
    /// The help has it.
    Help,
}

/// Returns the degree to which `name` fits `typed`; none when it does not.
pub(crate) fn fit(name: &str, typed: &str) -> Option<NameFit> {
    let words = || name.split(['-', ' ', ':', '.', '_']);
    Some(if typed.is_empty() || name == typed {
        NameFit::Whole
    } else if name.starts_with(typed) {
        NameFit::Start
    } else if words().any(|word| word.starts_with(typed)) {
        NameFit::Word
    } else if name.contains(typed) {
        NameFit::Within
    } else {
        NameFit::Letters(between(name, typed)?)
    })
}

/// Counts the letters that stand between those of `typed`, the first of which begins the name.
fn between(name: &str, typed: &str) -> Option<usize> {
    let mut typed = typed.chars().peekable();
    if name.chars().next() != typed.peek().copied() {
        return None;
    }
    let mut skipped = 0;
    for c in name.chars() {
        match typed.peek() {
            None => break,
            Some(next) if *next == c => {
                typed.next();
            }
            Some(_) => skipped += 1,
        }
    }
    typed.peek().is_none().then_some(skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_fits_by_its_beginning_its_words_and_its_letters() {
        assert_eq!(fit("zoom-in", "zoom-in"), Some(NameFit::Whole));
        assert_eq!(fit("zoom-in", "zo"), Some(NameFit::Start));
        assert_eq!(fit("zoom-in", "in"), Some(NameFit::Word));
        assert_eq!(fit("zoom-in", "oom"), Some(NameFit::Within));
        assert_eq!(fit("zoom-in", "zin"), Some(NameFit::Letters(4)));
        assert_eq!(fit("zoom-in", "im"), None);
        assert_eq!(fit("zoom-in", "nix"), None);
    }
}
