//! Colours by role and glyphs by meaning. A healthy screen is nearly monochrome; colour says
//! state, and whatever colour says, a glyph or word says too.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier, Style};

use crate::config::LabelColour;
use crate::tui::look::{Background, Depth, Look};

/// Styles by role, and the glyphs to draw with.
#[derive(Clone, Debug)]
pub struct Theme {
    /// Data.
    pub text: Style,
    /// Text that steps back behind the data, and still can be read on any background.
    pub dim: Style,
    /// Decoration: lines, rails, ticks. Never text.
    pub faint: Style,
    /// Keys, and the border of the focused pane.
    pub accent: Style,
    /// Titles, and what must be read first.
    pub strong: Style,
    /// The row under the cursor, laid over what is there; its foreground is for what has no colour
    /// of its own.
    pub select: Style,
    /// Late, critical.
    pub late: Style,
    /// Warning, stale.
    pub warn: Style,
    /// Healthy, live.
    pub ok: Style,
    /// Matches of a filter in a text; underlined beside.
    pub found: Style,
    /// Bars due within a minute.
    pub near: Style,
    /// Bars due after that.
    pub mid: Style,
    /// Bars due last.
    pub far: Style,
    /// The row under the cursor is shown by reversing it, so its colours would become patches.
    pub reversed: bool,
    /// No colours are wanted.
    pub colourless: bool,
    /// Nobody knows how its colours look: see [`Theme::legible`].
    pub unsure: bool,
    /// The glyphs to draw with.
    pub glyphs: &'static Glyphs,
}

/// The glyphs, each one column wide.
#[derive(Debug)]
pub struct Glyphs {
    /// Bars by eighths of a cell, empty first.
    pub eighths: [&'static str; 9],
    /// The left and the right half of a cell, where there are such.
    pub halves: Option<[&'static str; 2]>,
    /// Left end of the row under the cursor.
    pub cursor: &'static str,
    /// A gauge: full, its half end, what is not reached yet.
    pub gauge: [&'static str; 3],
    /// The now line.
    pub now: &'static str,
    /// The bar under the cursor, below the axis.
    pub pointer: &'static str,
    /// A tick of the scale.
    pub tick: &'static str,
    /// More lies to the right.
    pub more: &'static str,
    /// Zero.
    pub zero: &'static str,
    /// There is no such thing.
    pub none: &'static str,
    /// Something was cut off.
    pub cut: &'static str,
    /// From, to.
    pub to: &'static str,
    /// All is well.
    pub live: &'static str,
    /// Waiting for an answer.
    pub waiting: &'static str,
    /// Lost, broken.
    pub lost: &'static str,
    /// Growing.
    pub up: &'static str,
    /// Shrinking.
    pub down: &'static str,
    /// Differs.
    pub differs: &'static str,
    /// A marked row.
    pub mark: &'static str,
    /// Sorted, the largest first; the smallest first.
    pub falls: &'static str,
    /// See `falls`.
    pub rises: &'static str,
    /// Good news.
    pub good: &'static str,
    /// A reason why not.
    pub warn: &'static str,
    /// Something leads to this: a repair, a server.
    pub leads_to: &'static str,
    /// A separator within a line.
    pub dot: &'static str,
    /// Enter.
    pub enter: &'static str,
    /// The ends of what is chosen among a few: the one before, the next.
    pub choose: [&'static str; 2],
    /// Horizontal and vertical line.
    pub lines: [&'static str; 2],
    /// The thumb of a scrollbar.
    pub thumb: &'static str,
    /// Corners: top left, top right, bottom left, bottom right.
    pub corners: [&'static str; 4],
}

const UNICODE: Glyphs = Glyphs {
    eighths: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    halves: Some(["▌", "▐"]),
    cursor: "▌",
    gauge: ["━", "╸", "─"],
    now: "┃",
    pointer: "▲",
    tick: "┤",
    more: "›",
    zero: "·",
    none: "—",
    cut: "…",
    to: "–",
    live: "●",
    waiting: "◌",
    lost: "✖",
    up: "↑",
    down: "↓",
    differs: "≠",
    mark: "◆",
    falls: "▾",
    rises: "▴",
    good: "✓",
    warn: "▲",
    leads_to: "→",
    dot: "·",
    enter: "⏎",
    choose: ["‹", "›"],
    lines: ["─", "│"],
    thumb: "▐",
    corners: ["╭", "╮", "╰", "╯"],
};

const ASCII: Glyphs = Glyphs {
    eighths: [" ", ".", ":", "-", "=", "+", "*", "%", "#"],
    halves: None,
    cursor: ">",
    gauge: ["=", ">", "-"],
    now: "|",
    pointer: "^",
    tick: "+",
    more: ">",
    zero: "0",
    none: "-",
    cut: "~",
    to: "-",
    live: "*",
    waiting: "o",
    lost: "x",
    up: "+",
    down: "-",
    differs: "!",
    mark: "*",
    falls: "v",
    rises: "^",
    good: "*",
    warn: "!",
    leads_to: ">",
    dot: "-",
    enter: "Enter",
    choose: ["<", ">"],
    lines: ["-", "|"],
    thumb: "#",
    corners: ["+", "+", "+", "+"],
};

impl Theme {
    /// The cell that the next character goes to, in a text that is being typed: reversed in any
    /// theme, for a soft background is no cursor.
    #[must_use]
    pub const fn caret() -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// The theme that a look asks for.
    #[must_use]
    pub fn of(look: &Look) -> Self {
        let glyphs = if look.ascii { &ASCII } else { &UNICODE };
        let colours = match (look.background, look.depth) {
            _ if look.no_color => return Self::colourless(glyphs),
            (None, _) | (_, Depth::Own) => &OWN_COLOURS,
            (Some(Background::Dark), Depth::Indexed) => &DARK_INDEXED,
            (Some(Background::Light), Depth::Indexed) => &LIGHT_INDEXED,
            (Some(Background::Dark), Depth::True) => &DARK,
            (Some(Background::Light), Depth::True) => &LIGHT,
        };
        let fg = |c: Color| Style::new().fg(c);
        let unsure = colours.select.is_none();
        let text = colours.text.map_or_else(Style::new, fg);
        Self {
            text,
            dim: fg(colours.dim),
            faint: match colours.faint {
                Some(colour) => fg(colour),
                None => Style::new().add_modifier(Modifier::DIM),
            },
            accent: fg(colours.accent),
            strong: text.add_modifier(Modifier::BOLD),
            select: match colours.select {
                Some((bg, text)) => Style::new().bg(bg).fg(text),
                None => Style::new().add_modifier(Modifier::REVERSED),
            }
            .add_modifier(Modifier::BOLD),
            late: fg(colours.late).add_modifier(Modifier::BOLD),
            warn: fg(colours.warn),
            ok: fg(colours.ok),
            found: fg(colours.accent).add_modifier(Modifier::BOLD),
            near: fg(colours.near),
            mid: fg(colours.mid),
            far: fg(colours.far),
            reversed: unsure,
            colourless: false,
            unsure,
            glyphs,
        }
    }

    /// Without any colour: weight and reversal only, as `NO_COLOR` asks.
    fn colourless(glyphs: &'static Glyphs) -> Self {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        Self {
            text: plain,
            dim: plain,
            faint: plain.add_modifier(Modifier::DIM),
            accent: bold,
            strong: bold,
            select: bold.add_modifier(Modifier::REVERSED),
            late: bold,
            warn: bold,
            ok: plain,
            found: bold,
            near: plain,
            mid: plain,
            far: plain,
            reversed: true,
            colourless: true,
            unsure: true,
            glyphs,
        }
    }

    /// The cell that the cursor of a text stands on: told from its neighbours without any colour.
    #[must_use]
    pub fn cursor(&self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// The style of a label that the user has given a colour.
    #[must_use]
    pub fn label(&self, colour: LabelColour) -> Style {
        match colour {
            LabelColour::Text => self.text,
            LabelColour::Dim => self.dim,
            LabelColour::Accent => self.accent,
            LabelColour::Strong => self.strong,
            LabelColour::Late => self.late,
            LabelColour::Warn => self.warn,
            LabelColour::Ok => self.ok,
            LabelColour::Own(_) if self.colourless => self.strong,
            // By its number, which says that the user has chosen it.
            LabelColour::Own(n) => Style::new().fg(Color::Indexed(n % 16)),
        }
    }

    /// Tells whether a colour is that of a state.
    #[must_use]
    pub fn is_state(&self, colour: Color) -> bool {
        [self.late, self.warn, self.ok]
            .iter()
            .any(|style| style.fg == Some(colour))
    }

    /// Takes from text the colours of which nobody knows whether they can be read: yellow on white,
    /// say. Signs and bars keep theirs.
    pub fn legible(&self, buf: &mut Buffer) {
        if !self.unsure {
            return;
        }
        let columns = usize::from(buf.area.width).max(1);
        for row in buf.content.chunks_mut(columns) {
            let words: Vec<bool> = row.iter().map(is_word).collect();
            for (x, cell) in row.iter_mut().enumerate() {
                let beside = [x.checked_sub(1), x.checked_add(1)];
                let joins = || {
                    beside
                        .into_iter()
                        .flatten()
                        .any(|x| words.get(x) == Some(&true))
                };
                // Nothing is to be seen of it, unless it is reversed: it goes with the words.
                let is_blank = cell.symbol() == " ";
                if is_blank && !matches!(cell.fg, Color::Reset | Color::Indexed(_)) {
                    cell.fg = Color::Reset;
                    continue;
                }
                // A mark between digits is read with them, and so is one at the end of a word.
                if !(words[x] || is_mark(cell) && joins()) {
                    continue;
                }
                // What stands in a line is as dim as that, until here.
                cell.modifier -= Modifier::DIM;
                if !matches!(cell.fg, Color::Reset | Color::Indexed(_)) {
                    cell.fg = Color::Reset;
                    cell.modifier |= Modifier::BOLD;
                }
            }
        }
    }

    /// `theme` for data that is no longer fresh: everything steps back.
    #[must_use]
    pub fn faded(&self) -> Self {
        let dim = self.dim;
        Self {
            text: dim,
            strong: dim,
            late: dim,
            warn: dim,
            ok: dim,
            near: dim,
            mid: dim,
            far: dim,
            ..self.clone()
        }
    }
}

fn is_word(cell: &Cell) -> bool {
    // Lines and blocks, of which a picture is full, are looked up in no table.
    let is_drawn = |c: char| ('\u{2500}'..='\u{25ff}').contains(&c);
    let mut chars = cell.symbol().chars();
    chars.any(|c| c.is_ascii_alphanumeric() || !c.is_ascii() && !is_drawn(c) && c.is_alphanumeric())
}

/// Punctuation: no sign by itself.
fn is_mark(cell: &Cell) -> bool {
    let mut chars = cell.symbol().chars();
    chars.all(|c| c.is_ascii_punctuation())
}

/// The colours of a palette. Text has at least 4.5:1 against all backgrounds that a palette is for,
/// and against that of the row under the cursor.
struct Colours {
    /// Of data; none: the terminal's own.
    text: Option<Color>,
    dim: Color,
    /// Of decoration; none: the text's, dimmed by the terminal.
    faint: Option<Color>,
    accent: Color,
    /// Background of the row under the cursor, and of text on it; none: that row is reversed.
    select: Option<(Color, Color)>,
    late: Color,
    warn: Color,
    ok: Color,
    near: Color,
    mid: Color,
    far: Color,
}

/// From the terminal's own palette, whatever that is: colours are for signs and bars, text is the
/// terminal's own.
const OWN_COLOURS: Colours = Colours {
    text: None,
    dim: Color::Reset,
    faint: None,
    accent: Color::Cyan,
    select: None,
    late: Color::Red,
    warn: Color::Yellow,
    ok: Color::Green,
    near: Color::Yellow,
    mid: Color::Cyan,
    far: Color::Reset,
};

const DARK: Colours = Colours {
    text: None,
    dim: Color::Rgb(0x9a, 0xa5, 0xb1),
    faint: Some(Color::Rgb(0x6b, 0x72, 0x80)),
    accent: Color::Rgb(0x5e, 0xc4, 0xd6),
    select: Some((Color::Rgb(0x26, 0x38, 0x50), Color::Rgb(0xe6, 0xed, 0xf3))),
    late: Color::Rgb(0xff, 0x80, 0x80),
    warn: Color::Rgb(0xf2, 0xc1, 0x4e),
    ok: Color::Rgb(0x7b, 0xc4, 0x7f),
    near: Color::Rgb(0xf2, 0xc1, 0x4e),
    mid: Color::Rgb(0x4f, 0xb3, 0xa5),
    far: Color::Rgb(0x8e, 0xa4, 0xc4),
};

const LIGHT: Colours = Colours {
    // That of some light terminals is too light to be read well.
    text: Some(Color::Rgb(0x1f, 0x29, 0x33)),
    dim: Color::Rgb(0x5a, 0x62, 0x70),
    faint: Some(Color::Rgb(0x9a, 0xa3, 0xb0)),
    accent: Color::Rgb(0x0b, 0x61, 0x78),
    select: Some((Color::Rgb(0xdb, 0xe7, 0xf3), Color::Rgb(0x1f, 0x29, 0x33))),
    late: Color::Rgb(0xb0, 0x1c, 0x24),
    warn: Color::Rgb(0x7a, 0x52, 0x00),
    ok: Color::Rgb(0x16, 0x6a, 0x2e),
    near: Color::Rgb(0x8a, 0x5a, 0x00),
    mid: Color::Rgb(0x0f, 0x65, 0x5e),
    far: Color::Rgb(0x4a, 0x64, 0x80),
};

const DARK_INDEXED: Colours = Colours {
    text: None,
    dim: Color::Indexed(248),
    faint: Some(Color::Indexed(242)),
    accent: Color::Indexed(80),
    select: Some((Color::Indexed(236), Color::Indexed(255))),
    late: Color::Indexed(210),
    warn: Color::Indexed(221),
    ok: Color::Indexed(114),
    near: Color::Indexed(221),
    mid: Color::Indexed(73),
    far: Color::Indexed(109),
};

const LIGHT_INDEXED: Colours = Colours {
    text: Some(Color::Indexed(235)),
    dim: Color::Indexed(240),
    faint: Some(Color::Indexed(247)),
    accent: Color::Indexed(24),
    select: Some((Color::Indexed(253), Color::Indexed(235))),
    late: Color::Indexed(124),
    warn: Color::Indexed(58),
    ok: Color::Indexed(22),
    near: Color::Indexed(58),
    mid: Color::Indexed(23),
    far: Color::Indexed(59),
};
