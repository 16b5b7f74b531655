//! The help: its columns, its place, and how far it can be scrolled.

use std::ops::Range;

use super::HelpPage;
pub use super::words::HelpLine;
use crate::queue::{filter, text};
use crate::tui::area::{Area, Slot};
use crate::tui::model::{Model, Overlay};
use crate::tui::theme::Theme;
use crate::tui::widget::wrap::wrap;
use crate::tui::{focus, keys};

/// One column of the help.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct HelpColumn {
    /// Columns of the screen that its keys take.
    pub keys: u16,
    /// Its lines.
    pub lines: Vec<HelpLine>,
}

/// The help as it is laid out.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Page {
    /// Side by side.
    pub columns: Vec<HelpColumn>,
    /// Below them, never scrolled: a head and what it is about.
    pub foot: Vec<(&'static str, String)>,
}

impl Page {
    /// Rows of its longest column.
    #[must_use]
    pub fn rows(&self) -> usize {
        let rows = self.columns.iter().map(|column| column.lines.len());
        rows.max().unwrap_or(0)
    }
}

/// Keys take so many columns at most; more stand over the words' place.
const KEYS: usize = 14;

/// From so many columns on there are two side by side.
const TWO: u16 = 76;

/// Columns between the two, and around them.
pub const GAP: u16 = 2;

/// The amount of help that there is room for.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Detail {
    /// All, with blanks between its parts.
    Airy,
    /// All.
    Full,
    /// The signs and the filter's grammar in a line each.
    Brief,
    /// The same without heads.
    Dense,
}

/// The page in sight, as airy as there is room for.
#[must_use]
pub fn page(model: &Model) -> Page {
    match &model.overlay {
        Some(Overlay::Help { page, .. }) if *page != HelpPage::Keys => {
            let lines = super::words::lines(model, *page);
            let width = width(model).saturating_sub(2);
            Page {
                columns: vec![column(&lines, width)],
                foot: Vec::new(),
            }
        }
        _ => keys(model),
    }
}

fn keys(model: &Model) -> Page {
    let fits = |page: &Page| page.rows() <= usize::from(body(slot(model, page), page).h);
    let details = [Detail::Airy, Detail::Full, Detail::Brief, Detail::Dense];
    let mut pages = details.iter().map(|detail| laid_out(model, *detail));
    let page = pages.find(fits);
    // What must be scrolled in any case can as well say all.
    page.unwrap_or_else(|| laid_out(model, Detail::Full))
}

fn laid_out(model: &Model, detail: Detail) -> Page {
    let brief = matches!(detail, Detail::Brief | Detail::Dense);
    let mut lines = Vec::new();
    for (head, rows) in sections(model, brief) {
        if !lines.is_empty() && detail == Detail::Airy {
            lines.push(HelpLine::Blank);
        }
        if detail != Detail::Dense {
            lines.push(HelpLine::Head(head.to_owned()));
        }
        lines.extend(rows);
    }
    let width = width(model).saturating_sub(2);
    let columns = if width < TWO {
        vec![column(&lines, width)]
    } else {
        in_two(&lines, (width - GAP) / 2)
    };
    let foot = if brief { foot(model) } else { Vec::new() };
    Page { columns, foot }
}

/// Returns the lines of the help, under their heads.
fn sections(model: &Model, brief: bool) -> Vec<(&'static str, Vec<HelpLine>)> {
    let line = |row: keys::HelpRow| HelpLine::Keys {
        keys: row.keys,
        words: row.words.to_owned(),
        here: row.here,
    };
    let keys = keys::help(&model.keymap, model.look.ascii, focus::place_below(model));
    let keys = keys.into_iter();
    let mut sections: Vec<(&str, Vec<HelpLine>)> = keys
        .map(|(head, rows)| (head, rows.into_iter().map(line).collect()))
        .collect();
    if !brief {
        let told = |(sign, words): (&str, &str)| HelpLine::Keys {
            keys: sign.to_owned(),
            words: words.replace('…', if model.look.ascii { "..." } else { "…" }),
            here: true,
        };
        let grammar = filter::GRAMMAR.into_iter().map(told);
        sections.push(("filter", grammar.collect()));
        let signs = signs(model);
        let signs = signs.iter().map(|(sign, words, _)| told((sign, words)));
        sections.push(("signs", signs.collect()));
    }
    sections
}

/// The signs of the tables, what they say, and that in a word or two.
fn signs(model: &Model) -> [(String, &'static str, &'static str); 7] {
    let g = Theme::of(&model.look).glyphs;
    let own = |sign: &str| sign.to_owned();
    [
        (
            format!("{} {}", g.lost, g.warn),
            "critical, or a warning",
            "wrong",
        ),
        (own("!"), "late, cause not known yet", "late"),
        (own(g.mark), "marked", "marked"),
        (own("~"), "by this machine's clock", "our clock"),
        (own("?"), "could not be read", "unknown"),
        (own(g.zero), "zero", "zero"),
        (own(g.none), "there is no such thing", "none"),
    ]
}

/// The signs and the grammar of the filter, a line each.
fn foot(model: &Model) -> Vec<(&'static str, String)> {
    let forms = filter::GRAMMAR.into_iter().map(|(form, _)| form);
    // Whoever quotes is no stranger to it.
    let forms: Vec<&str> = forms.filter(|form| !form.starts_with('"')).collect();
    let signs = signs(model).map(|(sign, _, word)| format!("{sign} {word}"));
    vec![("filter", forms.join("  ")), ("signs", signs.join("  "))]
}

/// Lines in a column of `width`: long words go on below themselves.
fn column(lines: &[HelpLine], width: u16) -> HelpColumn {
    let wide: Vec<Wide> = lines.iter().map(Wide::of).collect();
    let room = Room::of(&wide, width);
    let mut folded = Vec::new();
    for (line, wide) in lines.iter().zip(wide) {
        let (keys, words, here) = match line {
            HelpLine::Keys { keys, words, here } => (keys, words, here),
            HelpLine::Words(words) => {
                let rows = wrap(words, usize::from(width).saturating_sub(2));
                folded.extend(rows.into_iter().map(HelpLine::Words));
                continue;
            }
            _ => {
                folded.push(line.clone());
                continue;
            }
        };
        for (i, words) in room.pieces(words, wide).into_iter().enumerate() {
            folded.push(HelpLine::Keys {
                keys: if i == 0 { keys.clone() } else { String::new() },
                words,
                here: *here,
            });
        }
    }
    HelpColumn {
        keys: u16::try_from(room.keys).unwrap_or(0),
        lines: folded,
    }
}

/// Columns that the parts of a line take: measured once, for all the places where it may stand.
#[derive(Clone, Copy)]
struct Wide {
    keys: usize,
    words: usize,
}

impl Wide {
    fn of(line: &HelpLine) -> Self {
        match line {
            HelpLine::Keys { keys, words, .. } => Self {
                keys: text::width(keys),
                words: text::width(words),
            },
            _ => Self { keys: 0, words: 0 },
        }
    }
}

/// Columns that there are for the parts of a line.
struct Room {
    keys: usize,
    words: usize,
}

impl Room {
    /// In a column of `width` that holds these lines.
    fn of(lines: &[Wide], width: u16) -> Self {
        let keys = lines.iter().map(|line| line.keys);
        let keys = keys.filter(|w| *w <= KEYS).max().unwrap_or(0);
        let words = usize::from(width).saturating_sub(keys + 3).max(1);
        Self { keys, words }
    }

    /// The words of a line, as they are folded.
    fn pieces(&self, words: &str, wide: Wide) -> Vec<String> {
        // Keys that stand over their place leave the words less of it.
        let over = wide.keys.saturating_sub(self.keys);
        let mut pieces = wrap(words, self.words);
        if over > 0 && wide.words + over > self.words {
            pieces.insert(0, String::new());
        }
        pieces
    }

    /// Counts the rows that a line takes. Nearly all of them need not be folded to know that.
    fn rows(&self, line: &HelpLine, wide: Wide) -> usize {
        match line {
            HelpLine::Keys { words, .. } if wide.words > self.words => {
                self.pieces(words, wide).len()
            }
            _ if wide.keys > self.keys && wide.words + wide.keys - self.keys > self.words => 2,
            _ => 1,
        }
    }
}

/// Lines in two columns of `width`, as equally high as can be; no head ends the first one.
fn in_two(lines: &[HelpLine], width: u16) -> Vec<HelpColumn> {
    let wide: Vec<Wide> = lines.iter().map(Wide::of).collect();
    let second = |i: usize| i + usize::from(lines.get(i) == Some(&HelpLine::Blank));
    // How high each line is depends on the keys' columns alone, of which there are few.
    let mut heights: [Option<Vec<usize>>; KEYS + 1] = [const { None }; KEYS + 1];
    let mut rows = |range: Range<usize>| -> usize {
        let room = Room::of(&wide[range.clone()], width);
        let all = heights[room.keys].get_or_insert_with(|| {
            let each = lines.iter().zip(&wide);
            each.map(|(line, wide)| room.rows(line, *wide)).collect()
        });
        all[range].iter().sum()
    };
    let ends_in_head =
        |i: usize| matches!(lines[..i].last(), Some(HelpLine::Head(_) | HelpLine::Blank));
    let places = (0..=lines.len()).filter(|i| !ends_in_head(*i));
    let height = |i: &usize| rows(0..*i).max(rows(second(*i)..lines.len()));
    let best = places.min_by_key(height).unwrap_or(0);
    let (left, right) = (&lines[..best], &lines[second(best)..]);
    vec![column(left, width), column(right, width)]
}

/// Columns of the box. Beside one on a narrow terminal only shreds would be seen.
fn width(model: &Model) -> u16 {
    let w = model.size.0;
    if w < 100 { w } else { 100 }
}

/// Returns the place of the help: in the middle, as high as it needs.
#[must_use]
pub fn slot(model: &Model, page: &Page) -> Slot {
    let (w, h) = model.size;
    let bw = width(model);
    let needed = page.rows() + foot_rows(page) + 2;
    let bh = u16::try_from(needed).unwrap_or(u16::MAX).min(h);
    Slot::new(Area::new((w - bw) / 2, (h - bh) / 2, bw, bh), true)
}

/// Rows of the foot.
fn foot_rows(page: &Page) -> usize {
    page.foot.len()
}

/// Returns the place of the columns, above the foot.
#[must_use]
pub fn body(slot: Slot, page: &Page) -> Area {
    let inner = slot.inner;
    let foot = u16::try_from(foot_rows(page)).unwrap_or(0);
    Area::new(inner.x, inner.y, inner.w, inner.h.saturating_sub(foot))
}

/// The last line it can be scrolled to.
#[must_use]
pub fn last_scroll(model: &Model) -> usize {
    let page = page(model);
    let rows = usize::from(body(slot(model, &page), &page).h);
    page.rows().saturating_sub(rows)
}
