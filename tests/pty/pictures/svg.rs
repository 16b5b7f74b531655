//! What a terminal shows as an SVG: it looks the same with any monospace font, because each
//! character has a place of its own and what must join is drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

use crate::pictures::shapes::{Rgb, Shapes, hex, is_drawn, mix};

/// A cell in pixels.
pub(crate) const CELL: (u16, u16) = (10, 20);
/// Where the foot of the letters stands, in pixels from the top of their row.
pub(crate) const BASELINE: u16 = 15;
/// Empty room around the screen.
const MARGIN: u16 = 12;

/// The terminal's own colours: its background and its text.
const BACKGROUND: Rgb = [0x0d, 0x11, 0x17];
const TEXT: Rgb = [0xd5, 0xdb, 0xe3];
const BORDER: &str = "#30363d";
/// Its sixteen.
const PALETTE: [u32; 16] = [
    0x0048_4f58,
    0x00ff_7b72,
    0x003f_b950,
    0x00d2_9922,
    0x0058_a6ff,
    0x00bc_8cff,
    0x0039_c5cf,
    0x00b1_bac4,
    0x006e_7681,
    0x00ff_a198,
    0x0056_d364,
    0x00e3_b341,
    0x0079_c0ff,
    0x00d2_a8ff,
    0x0056_d4dd,
    0x00ff_ffff,
];

/// How a text is written. Ordered, so that the same screen makes the same file.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Ink {
    colour: Rgb,
    bold: bool,
    italic: bool,
    underline: bool,
}

/// How long a moment of a moving picture is shown, in seconds.
const MOMENT: usize = 4;

/// What is on one screen.
#[derive(Default)]
struct Moment {
    behind: Shapes,
    drawn: Shapes,
    texts: BTreeMap<Ink, BTreeMap<u16, Vec<(u16, String)>>>,
}

/// Writes what `screens` show, one after the other and again from the first; `title` says what that
/// is to those who cannot see it. Where nothing moves the first one is seen.
pub(crate) fn picture(screens: &[Screen], title: &str) -> String {
    let moments: Vec<Moment> = screens.iter().map(moment).collect();
    let inks: BTreeSet<Ink> = moments
        .iter()
        .flat_map(|one| one.texts.keys().copied())
        .collect();
    let classes: BTreeMap<Ink, usize> = inks.into_iter().zip(0..).collect();
    let size = size(&screens[0]);
    let mut out = head(size, title, classes.keys(), screens.len());
    let moves = moments.len() > 1;
    for (n, one) in moments.into_iter().enumerate() {
        if moves {
            let (w, h) = (size.0 * CELL.0, size.1 * CELL.1);
            let (class, after) = if n == 0 { ("s", 0) } else { ("m", n * MOMENT) };
            let _ = writeln!(
                out,
                r#"<g class="{class}" style="animation-delay:{after}s"><rect width="{w}" height="{h}" fill="{}"/>"#,
                hex(BACKGROUND)
            );
        }
        one.write(&classes, &mut out);
        if moves {
            out.push_str("</g>\n");
        }
    }
    out.push_str("</svg>\n");
    out
}

fn moment(screen: &Screen) -> Moment {
    let mut all = Moment::default();
    for (column, row) in places(screen) {
        let Some(cell) = screen.cell(row, column) else {
            continue;
        };
        let (ink, ground) = colours(cell);
        if ground != BACKGROUND {
            all.behind.background((column, row), ground);
        }
        let sign = cell.contents();
        let mut characters = sign.chars();
        match (characters.next(), characters.next()) {
            (None | Some(' '), None) => {}
            (Some(one), None) if is_drawn(one) => {
                all.drawn.sign((column, row), one, ink.colour, ground);
            }
            _ => {
                let middle = CELL.0 * column + CELL.0 / if cell.is_wide() { 1 } else { 2 };
                let line = all.texts.entry(ink).or_default().entry(row).or_default();
                line.push((middle, sign.to_owned()));
            }
        }
    }
    all
}

impl Moment {
    fn write(self, classes: &BTreeMap<Ink, usize>, out: &mut String) {
        self.behind.write(out);
        self.drawn.write(out);
        for (ink, lines) in &self.texts {
            let _ = writeln!(out, r#"<g class="t{}">"#, classes[ink]);
            for (row, signs) in lines {
                line(*row, signs, out);
            }
            out.push_str("</g>\n");
        }
    }
}

/// Columns and rows of a screen.
pub(crate) fn size(screen: &Screen) -> (u16, u16) {
    let (rows, columns) = screen.size();
    (columns.get(), rows.get())
}

/// All its cells, each as column and row.
pub(crate) fn places(screen: &Screen) -> impl Iterator<Item = (u16, u16)> {
    let (columns, rows) = size(screen);
    (0..rows).flat_map(move |row| (0..columns).map(move |column| (column, row)))
}

fn head<'a>(
    (columns, rows): (u16, u16),
    title: &str,
    inks: impl Iterator<Item = &'a Ink>,
    moments: usize,
) -> String {
    let (w, h) = (columns * CELL.0, rows * CELL.1);
    let (wide, high) = (w + 2 * MARGIN, h + 2 * MARGIN);
    let title = escaped(title);
    let mut out = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{wide}" height="{high}" viewBox="-{MARGIN} -{MARGIN} {wide} {high}">
<title>{title}</title>
<style>
g{{font:16.5px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;font-variant-ligatures:none;font-variant-emoji:text;text-anchor:middle;white-space:pre}}
.f{{shape-rendering:crispEdges}}.l,.h{{fill:none;stroke-width:1.5}}.h{{stroke-width:3}}
"#
    );
    for (class, ink) in inks.enumerate() {
        let _ = write!(out, ".t{class}{{fill:{}", hex(ink.colour));
        if ink.bold {
            out.push_str(";font-weight:bold");
        }
        if ink.italic {
            out.push_str(";font-style:italic");
        }
        if ink.underline {
            out.push_str(";text-decoration:underline");
        }
        out.push_str("}\n");
    }
    if moments > 1 {
        let (all, end) = (moments * MOMENT, 100.0 / count(moments));
        let _ = write!(
            out,
            "@keyframes m{{0%{{visibility:visible}}{end:.3}%{{visibility:hidden}}}}\n\
             .m{{visibility:hidden;animation:m {all}s step-end infinite}}\n\
             @media(prefers-reduced-motion:reduce){{.m{{animation:none}}}}\n"
        );
    }
    let _ = write!(
        out,
        r#"</style>
<rect x="-{0}" y="-{0}" width="{1}" height="{2}" rx="8" fill="{3}" stroke="{BORDER}"/>
"#,
        f32::from(MARGIN) - 0.5,
        wide - 1,
        high - 1,
        hex(BACKGROUND)
    );
    out
}

#[expect(clippy::cast_precision_loss, reason = "a handful")]
fn count(moments: usize) -> f64 {
    moments as f64
}

/// One line of one colour. A sign of several characters stands by itself: renderers do not agree
/// how such a sign uses up a list of places.
fn line(row: u16, signs: &[(u16, String)], out: &mut String) {
    let y = row * CELL.1 + BASELINE;
    let (single, whole): (Vec<_>, Vec<_>) = signs
        .iter()
        .partition(|(_, sign)| sign.encode_utf16().count() == 1);
    if !single.is_empty() {
        let places: Vec<String> = single.iter().map(|(x, _)| x.to_string()).collect();
        let text: String = single.iter().map(|(_, sign)| escaped(sign)).collect();
        let _ = writeln!(
            out,
            r#"<text y="{y}" x="{}">{text}</text>"#,
            places.join(" ")
        );
    }
    for (x, sign) in whole {
        let _ = writeln!(out, r#"<text y="{y}" x="{x}">{}</text>"#, escaped(sign));
    }
}

/// Text and background of a cell as they are seen.
fn colours(cell: &Cell) -> (Ink, Rgb) {
    let mut colour = rgb(cell.fgcolor(), TEXT);
    let mut ground = rgb(cell.bgcolor(), BACKGROUND);
    if cell.inverse() {
        std::mem::swap(&mut colour, &mut ground);
    }
    if cell.dim() {
        colour = mix(colour, ground, 2);
    }
    let ink = Ink {
        colour,
        bold: cell.bold(),
        italic: cell.italic(),
        underline: cell.underline(),
    };
    (ink, ground)
}

fn rgb(colour: Color, own: Rgb) -> Rgb {
    match colour {
        Color::Default => own,
        Color::Rgb(r, g, b) => [r, g, b],
        Color::Idx(n @ 0..16) => {
            let [_, r, g, b] = PALETTE[usize::from(n)].to_be_bytes();
            [r, g, b]
        }
        Color::Idx(n @ 16..232) => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            [(n - 16) / 36, (n - 16) / 6 % 6, (n - 16) % 6].map(level)
        }
        Color::Idx(grey) => [8 + 10 * (grey - 232); 3],
    }
}

/// `text` as XML holds it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no way to say them.
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
