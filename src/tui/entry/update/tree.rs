//! The tree of an opened entry: its cursor, folding, what is found and copied in it.

use crate::tui::effect::Effect;
use crate::tui::entry::tree::Tree;
use crate::tui::entry::{EntryView, Face, Spot};
use crate::tui::keys::Action;
use crate::tui::model::{Model, Screen};
use crate::tui::toast::Tone;
use crate::tui::toast::update::say;

/// The opened entry, if its tree has the keys.
pub(crate) fn opened(model: &Model) -> Option<&EntryView> {
    match &model.screen {
        Screen::Entry(view) if view.face == Face::Tree && view.tree.is_some() => Some(view),
        _ => None,
    }
}

/// Moves the cursor by lines.
pub(crate) fn by(view: &mut EntryView, lines: i64, rows: usize) {
    let Some(tree) = &mut view.tree else {
        return;
    };
    let last = tree.shown.len().saturating_sub(1);
    let steps = usize::try_from(lines.unsigned_abs()).unwrap_or(usize::MAX);
    tree.cursor = if lines < 0 {
        tree.cursor.saturating_sub(steps)
    } else {
        tree.cursor.saturating_add(steps).min(last)
    };
    follow(view, rows);
}

/// Scrolls until the cursor is in sight.
pub(crate) fn follow(view: &mut EntryView, rows: usize) {
    let Some(tree) = &view.tree else {
        return;
    };
    let least = (tree.cursor + 1).saturating_sub(rows);
    view.scroll = view.scroll.clamp(least, tree.cursor.max(least));
}

/// Brings the cursor along when what is in sight was scrolled.
pub(crate) fn come_along(view: &mut EntryView, rows: usize) {
    if let Some(tree) = &mut view.tree {
        let last = tree.shown.len().saturating_sub(1);
        let end = (view.scroll + rows.max(1) - 1).min(last);
        tree.cursor = tree.cursor.clamp(view.scroll.min(end), end);
    }
}

/// Folds or unfolds the value under the cursor; from one that holds nothing, or is folded
/// already, goes to the one that holds it.
pub(crate) fn fold(model: &mut Model, action: Action) {
    let rows = super::rows(model);
    let Screen::Entry(view) = &mut model.screen else {
        return;
    };
    let Some(tree) = &mut view.tree else {
        return;
    };
    let line = tree.line();
    let (has, folded) = (tree.lines[line].below > 0, tree.lines[line].folded);
    match action {
        Action::Fold if !has || folded => {
            let holder = tree.holders(line).next();
            tree.to(holder.unwrap_or(line));
        }
        Action::Fold => tree.fold(line, true),
        Action::Unfold if has && !folded => tree.cursor += 1,
        Action::Unfold => tree.fold(line, false),
        _ => tree.fold(line, !folded),
    }
    follow(view, rows);
}

/// A click puts the cursor on a value; one on the value under the cursor folds it, or unfolds it.
pub(crate) fn clicked(model: &mut Model, at: usize) {
    let Screen::Entry(view) = &mut model.screen else {
        return;
    };
    let Some(tree) = view.tree.as_mut().filter(|tree| at < tree.shown.len()) else {
        return;
    };
    if tree.cursor == at {
        fold(model, Action::Toggle);
    } else {
        tree.cursor = at;
    }
}

/// Says why there is nothing to fold; none when there is.
pub(crate) fn why_not(model: &Model) -> Option<&'static str> {
    match &model.screen {
        Screen::Entry(view) if view.tree.is_none() => Some("there is nothing to fold in it"),
        Screen::Entry(view) if view.face != Face::Tree => Some("Tab turns to the tree"),
        _ => None,
    }
}

/// The lines in which `what` stands, in any case.
pub(crate) fn find(tree: &Tree, what: &str, most: usize) -> Vec<Spot> {
    let what = what.to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&what);
    let lines = tree.lines.iter().enumerate();
    lines
        .filter(|(_, line)| has(&line.name) || has(&line.words) || has(&line.class))
        .map(|(at, _)| Spot::Line(at))
        .take(most)
        .collect()
}

/// Puts the cursor on a line; what holds it is unfolded.
pub(crate) fn show(view: &mut EntryView, line: usize, rows: usize) {
    let Some(tree) = &mut view.tree else {
        return;
    };
    let holders: Vec<usize> = tree.holders(line).collect();
    for holder in holders {
        tree.fold(holder, false);
    }
    tree.to(line);
    follow(view, rows);
}

/// The value under the cursor, and what it is called, to be copied.
pub(crate) fn value(view: &EntryView) -> Option<(String, String)> {
    let tree = view.tree.as_ref().filter(|_| view.face == Face::Tree)?;
    let line = tree.line();
    (line > 0).then(|| (tree.value(line), tree.path(line)))
}

/// Copies how one comes to the value under the cursor.
pub(crate) fn copy_path(model: &mut Model) -> Vec<Effect> {
    let Some(tree) = opened(model).and_then(|view| view.tree.as_ref()) else {
        return Vec::new();
    };
    let path = tree.path(tree.line());
    say(model, format!("copied the path {path}"), Tone::Good);
    vec![Effect::Copy(path)]
}
