//! A picture by what it means: the text of those rows in which it differs from an evening's, and
//! beside it which words have which role of the theme. A colour, or a word that stands elsewhere on
//! the screen, changes none of these files.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use delayscope::tui::layout;
use delayscope::tui::look::Look;
use delayscope::tui::model::{Model, Pane, Screen};
use delayscope::tui::theme::Theme;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Modifier, Style};

use crate::screens::build::{evening, look, page};
use crate::screens::pictures::draw;

/// The roles of a theme by name, the more telling ones first where two look the same.
fn roles(theme: &Theme) -> [(&'static str, Style); 10] {
    [
        ("", theme.text),
        ("late", theme.late),
        ("warn", theme.warn),
        ("ok", theme.ok),
        ("found", theme.found),
        ("accent", theme.accent),
        ("strong", theme.strong),
        ("dim", theme.dim),
        ("mid", theme.mid),
        ("far", theme.far),
    ]
}

/// The role that a cell has; what is under the cursor is so beside.
fn role(theme: &Theme, cell: &Cell) -> String {
    let look = |style: Style| {
        let mut cell = Cell::default();
        cell.set_style(style);
        (cell.fg, cell.bg, cell.modifier)
    };
    let is = |(fg, bg, modifier)| (fg, bg, modifier) == (cell.fg, cell.bg, cell.modifier);
    let all = roles(theme);
    let plainly = all.iter().find(|(_, style)| is(look(*style)));
    if let Some((name, _)) = plainly {
        return (*name).to_owned();
    }
    let selected = all.iter().find(|(_, style)| {
        // What has a colour of its own keeps it.
        let select = match style.fg {
            Some(_) => Style {
                fg: None,
                ..theme.select
            },
            None => theme.select,
        };
        is(look(style.patch(select)))
    });
    if let Some((name, _)) = selected {
        return format!("selected {name}").trim_end().to_owned();
    }
    let extras = [
        ("bold", Modifier::BOLD),
        ("reversed", Modifier::REVERSED),
        ("underlined", Modifier::UNDERLINED),
        ("dimmed", Modifier::DIM),
    ];
    for (name, style) in &all {
        let (fg, bg, modifier) = look(*style);
        let more = cell.modifier.difference(modifier);
        if (fg, bg) == (cell.fg, cell.bg) && cell.modifier.contains(modifier) {
            let more = extras.iter().filter(|(_, extra)| more.contains(*extra));
            let more: Vec<_> = more.map(|(word, _)| *word).collect();
            return format!("{} {name}", more.join(" ")).trim_end().to_owned();
        }
    }
    format!("{:?} on {:?} {:?}", cell.fg, cell.bg, cell.modifier)
}

/// The row in which the heads of the queues stand.
fn heads(model: &Model) -> u16 {
    let slot = layout::areas(model).queues;
    if slot.boxed {
        slot.inner.y
    } else {
        slot.outer.y
    }
}

/// The screen that a picture is compared with: an evening of that size, seen from the same place.
fn usual(model: &Model) -> Model {
    let plain = Look {
        ascii: model.look.ascii,
        ..look()
    };
    let mut usual = evening(model.size, plain);
    if matches!(model.screen, Screen::Queue) {
        usual.screen = Screen::Queue;
        usual.focus = Pane::Timeline;
        page(&mut usual, 0);
    }
    usual
}

/// A picture with the roles of its cells.
struct Meant {
    cells: Buffer,
    roles: Vec<String>,
}

impl Meant {
    fn of(model: &Model) -> Self {
        let theme = Theme::of(&model.look);
        let cells = draw(model);
        let told = |cell: &Cell| {
            // Of lines only where they are is looked at.
            let is_line = ("\u{2500}".."\u{2580}").contains(&cell.symbol());
            if is_line {
                String::new()
            } else {
                role(&theme, cell)
            }
        };
        let roles = cells.content.iter().map(told).collect();
        Self { cells, roles }
    }

    fn at(&self, x: u16, y: u16) -> (&str, &str) {
        let role = &self.roles[self.cells.index_of(x, y)];
        (self.cells[(x, y)].symbol(), role)
    }

    /// The words of a row, in runs of one role each; plain ones are none.
    fn words(&self, y: u16, columns: Range<u16>) -> Vec<(String, String)> {
        let mut runs: Vec<(String, String)> = Vec::new();
        for x in columns {
            let (symbol, role) = self.at(x, y);
            match runs.last_mut() {
                Some((of, words)) if of == role => words.push_str(symbol),
                _ => runs.push((role.to_owned(), symbol.to_owned())),
            }
        }
        for (_, words) in &mut runs {
            *words = words.trim().to_owned();
        }
        runs.retain(|(role, words)| !role.is_empty() && !words.is_empty());
        runs
    }
}

/// The stretches of a row in which two pictures differ, `differs` says where. What is the same
/// between two of them parts them only where it is much and says something.
fn stretches(
    width: u16,
    differs: impl Fn(u16) -> bool,
    says: impl Fn(u16) -> bool,
) -> Vec<Range<u16>> {
    const MUCH: u16 = 10;
    let mut found: Vec<Range<u16>> = Vec::new();
    for x in (0..width).filter(|x| differs(*x)) {
        match found.last_mut() {
            Some(last) if x < last.end + MUCH || !(last.end..x).any(&says) => last.end = x + 1,
            _ => found.push(x..x + 1),
        }
    }
    found
}

/// All that a picture says beside what an evening's does.
pub(crate) fn meaning(model: &Model) -> String {
    let mut plain = model.clone();
    plain.look.no_color = look().no_color;
    (plain.look.background, plain.look.depth) = (look().background, look().depth);
    let (meant, known) = (Meant::of(&plain), Meant::of(&usual(model)));
    let (w, h) = model.size;
    let mut said = String::new();
    let heads = heads(model);
    for y in 0..h {
        // The heads of the queues are told by the whole pictures.
        let is_head = |role: &str| y == heads && role == "dim";
        let told = |x| !is_head(meant.at(x, y).1) && !is_head(known.at(x, y).1);
        let differs = |x| told(x) && meant.at(x, y) != known.at(x, y);
        for columns in stretches(w, differs, |x| meant.at(x, y).0 != " ") {
            let text: String = columns.clone().map(|x| meant.at(x, y).0).collect();
            let _ = writeln!(said, "{y:>3},{:<3}│{text}│", columns.start);
            let words = meant.words(y, columns);
            let words = words
                .iter()
                .map(|(role, words)| format!("{role} {words:?}"));
            let words: Vec<String> = words.collect();
            if !words.is_empty() {
                let _ = writeln!(said, "        {}", words.join(", "));
            }
        }
    }
    if model.look != plain.look {
        said.push_str(&legend(&meant, &draw(model)));
    }
    assert!(!said.is_empty(), "it is an evening like any other");
    said
}

/// How the roles of a picture look in another theme, in which it is drawn too.
fn legend(meant: &Meant, drawn: &Buffer) -> String {
    let styled = meant.roles.iter().zip(&drawn.content);
    let styled = styled.filter(|(_, cell)| cell.symbol() != " ");
    let styled = styled.map(|(role, cell)| {
        let role = if role.is_empty() { "text" } else { role };
        format!(
            "{role}: {:?} on {:?} {:?}\n",
            cell.fg, cell.bg, cell.modifier
        )
    });
    styled.collect::<BTreeSet<String>>().into_iter().collect()
}
