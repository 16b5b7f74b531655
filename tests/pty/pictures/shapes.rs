//! Block elements, lines and a few signs as shapes: fonts do not agree on them, and between two
//! glyphs of a font there is often a seam.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::pictures::svg::CELL;

/// A colour.
pub(crate) type Rgb = [u8; 3];

/// A part of a cell that is filled: left, top, right, bottom, in eighths of the cell.
type Part = [u8; 4];

/// How thick a line leaves the middle of its cell upwards, to the right, downwards, to the left:
/// 0 not at all, 1 light, 2 heavy.
type Arms = [u8; 4];

/// What a sign looks like that is drawn instead of written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// A part of the cell, covered so far: 4 of 4, or 1 to 3 for a shade.
    Part(Part, u8),
    /// Lines from the middle of the cell.
    Arms(Arms),
    /// A rounded corner; the same two arms.
    Round(Arms),
    /// A sign of some corners, in eighths of the cell.
    Polygon(&'static [[u8; 2]]),
}

fn shape(sign: char) -> Option<Shape> {
    Some(match sign {
        '▁'..='█' => {
            let eighths = u8::try_from(u32::from(sign) - u32::from('▁') + 1).ok()?;
            Shape::Part([0, 8 - eighths, 8, 8], 4)
        }
        '▉'..='▏' => {
            let eighths = u8::try_from(u32::from('▏') - u32::from(sign) + 1).ok()?;
            Shape::Part([0, 0, eighths, 8], 4)
        }
        '▀' => Shape::Part([0, 0, 8, 4], 4),
        '▔' => Shape::Part([0, 0, 8, 1], 4),
        '▐' => Shape::Part([4, 0, 8, 8], 4),
        '▕' => Shape::Part([7, 0, 8, 8], 4),
        '░' => Shape::Part([0, 0, 8, 8], 1),
        '▒' => Shape::Part([0, 0, 8, 8], 2),
        '▓' => Shape::Part([0, 0, 8, 8], 3),
        '▲' => Shape::Polygon(&[[4, 2], [8, 6], [0, 6]]),
        '▼' => Shape::Polygon(&[[0, 3], [8, 3], [4, 7]]),
        '◆' => Shape::Polygon(&[[4, 2], [8, 4], [4, 6], [0, 4]]),
        '╭' => Shape::Round([0, 1, 1, 0]),
        '╮' => Shape::Round([0, 0, 1, 1]),
        '╯' => Shape::Round([1, 0, 0, 1]),
        '╰' => Shape::Round([1, 1, 0, 0]),
        _ => Shape::Arms(arms(sign)?),
    })
}

fn arms(sign: char) -> Option<Arms> {
    Some(match sign {
        '─' => [0, 1, 0, 1],
        '│' => [1, 0, 1, 0],
        '┌' => [0, 1, 1, 0],
        '┐' => [0, 0, 1, 1],
        '└' => [1, 1, 0, 0],
        '┘' => [1, 0, 0, 1],
        '├' => [1, 1, 1, 0],
        '┤' => [1, 0, 1, 1],
        '┬' => [0, 1, 1, 1],
        '┴' => [1, 1, 0, 1],
        '┼' => [1, 1, 1, 1],
        '━' => [0, 2, 0, 2],
        '┃' => [2, 0, 2, 0],
        '╴' => [0, 0, 0, 1],
        '╵' => [1, 0, 0, 0],
        '╶' => [0, 1, 0, 0],
        '╷' => [0, 0, 1, 0],
        '╸' => [0, 0, 0, 2],
        '╹' => [2, 0, 0, 0],
        '╺' => [0, 2, 0, 0],
        '╻' => [0, 0, 2, 0],
        _ => return None,
    })
}

/// Whether a sign is drawn, not written.
pub(crate) fn is_drawn(sign: char) -> bool {
    shape(sign).is_some()
}

/// From so far to so far along one axis, in eighths of a pixel (whole numbers merge exactly).
type Span = (i32, i32);

/// Whether across, and where → from, to.
type Lines = BTreeMap<(bool, i32), Vec<Span>>;

/// Everything that is drawn, by colour; pieces that touch are one.
#[derive(Default)]
pub(crate) struct Shapes {
    /// Top and bottom → from left to right.
    fills: BTreeMap<Rgb, BTreeMap<Span, Vec<Span>>>,
    /// By thickness too.
    lines: BTreeMap<(Rgb, u8), Lines>,
    /// Paths that are filled, and those that are drawn along.
    polygons: BTreeMap<Rgb, String>,
    corners: BTreeMap<Rgb, String>,
}

impl Shapes {
    /// Fills the whole cell, as a background does.
    pub(crate) fn background(&mut self, at: (u16, u16), colour: Rgb) {
        self.fill(at, [0, 0, 8, 8], colour);
    }

    /// Draws `sign` when it is one that is drawn.
    pub(crate) fn sign(&mut self, at: (u16, u16), sign: char, colour: Rgb, behind: Rgb) {
        match shape(sign) {
            Some(Shape::Part(part, cover)) => self.fill(at, part, mix(colour, behind, cover)),
            Some(Shape::Arms(arms)) => self.arms(at, arms, colour),
            Some(Shape::Round(arms)) => self.corner(at, arms, colour),
            Some(Shape::Polygon(corners)) => self.polygon(at, corners, colour),
            None => {}
        }
    }

    fn fill(&mut self, at: (u16, u16), [left, top, right, bottom]: Part, colour: Rgb) {
        let (x, y) = corner_of(at);
        let rows = (y + down(top), y + down(bottom));
        let row = self.fills.entry(colour).or_default().entry(rows);
        row.or_default().push((x + along(left), x + along(right)));
    }

    fn arms(&mut self, at: (u16, u16), arms: Arms, colour: Rgb) {
        let (x, y) = corner_of(at);
        let (middle, centre) = (x + along(4), y + down(4));
        let ends = [
            (false, middle, (y, centre)),
            (true, centre, (middle, x + along(8))),
            (false, middle, (centre, y + down(8))),
            (true, centre, (x, middle)),
        ];
        for (weight, (across, place, span)) in arms.into_iter().zip(ends) {
            if weight > 0 {
                let lines = self.lines.entry((colour, weight)).or_default();
                lines.entry((across, place)).or_default().push(span);
            }
        }
    }

    /// From the edge below or above, round the corner, to the edge at the side.
    fn corner(&mut self, at: (u16, u16), [up, right, _, _]: Arms, colour: Rgb) {
        let (x, y) = corner_of(at);
        let (from, way) = if up > 0 { (y, 1) } else { (y + down(8), -1) };
        let side = if right > 0 { along(4) } else { -along(4) };
        let path = self.corners.entry(colour).or_default();
        let straight = way * (down(4) - along(4));
        let bend = way * along(4);
        let _ = write!(
            path,
            "M{} {}v{}q0 {} {} {}",
            px(x + along(4)),
            px(from),
            px(straight),
            px(bend),
            px(side),
            px(bend)
        );
    }

    fn polygon(&mut self, at: (u16, u16), corners: &[[u8; 2]], colour: Rgb) {
        let (x, y) = corner_of(at);
        let path = self.polygons.entry(colour).or_default();
        for (i, [right, below]) in corners.iter().enumerate() {
            let step = if i == 0 { 'M' } else { 'L' };
            let _ = write!(
                path,
                "{step}{} {}",
                px(x + along(*right)),
                px(y + down(*below))
            );
        }
        path.push('Z');
    }

    /// The elements: what is filled first, lines over it.
    pub(crate) fn write(self, out: &mut String) {
        for (colour, rows) in self.fills {
            let mut path = String::new();
            for ((top, bottom), spans) in rows {
                for (left, right) in merged(spans) {
                    let _ = write!(
                        path,
                        "M{} {}H{}V{}H{}Z",
                        px(left),
                        px(top),
                        px(right),
                        px(bottom),
                        px(left)
                    );
                }
            }
            let _ = writeln!(
                out,
                r#"<path class="f" fill="{}" d="{path}"/>"#,
                hex(colour)
            );
        }
        for (colour, path) in self.polygons {
            let _ = writeln!(out, r#"<path fill="{}" d="{path}"/>"#, hex(colour));
        }
        for ((colour, weight), lines) in self.lines {
            let mut path = String::new();
            for ((across, place), spans) in lines {
                for (from, to) in merged(spans) {
                    let _ = if across {
                        write!(path, "M{} {}H{}", px(from), px(place), px(to))
                    } else {
                        write!(path, "M{} {}V{}", px(place), px(from), px(to))
                    };
                }
            }
            let kind = if weight > 1 { "h" } else { "l" };
            let _ = writeln!(
                out,
                r#"<path class="{kind}" stroke="{}" d="{path}"/>"#,
                hex(colour)
            );
        }
        for (colour, path) in self.corners {
            let _ = writeln!(
                out,
                r#"<path class="l" stroke="{}" d="{path}"/>"#,
                hex(colour)
            );
        }
    }
}

/// Spans that touch or overlap as one.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut whole: Vec<Span> = Vec::with_capacity(spans.len());
    for (from, to) in spans {
        match whole.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => whole.push((from, to)),
        }
    }
    whole
}

/// `colour` over `behind`, covering `quarters` of it.
pub(crate) fn mix(colour: Rgb, behind: Rgb, quarters: u8) -> Rgb {
    std::array::from_fn(|i| {
        let [over, under] = [colour[i], behind[i]].map(u16::from);
        let quarters = u16::from(quarters.min(4));
        u8::try_from((over * quarters + under * (4 - quarters)) / 4).unwrap_or(u8::MAX)
    })
}

/// `#rrggbb`.
pub(crate) fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// The top left corner of a cell, in eighths of a pixel.
fn corner_of((column, row): (u16, u16)) -> (i32, i32) {
    (i32::from(column) * along(8), i32::from(row) * down(8))
}

/// Eighths of a cell's width, in eighths of a pixel.
fn along(eighths: u8) -> i32 {
    i32::from(eighths) * i32::from(CELL.0)
}

/// Eighths of a cell's height, in eighths of a pixel.
fn down(eighths: u8) -> i32 {
    i32::from(eighths) * i32::from(CELL.1)
}

/// Eighths of a pixel as a coordinate.
fn px(eighths: i32) -> f64 {
    f64::from(eighths) / 8.0
}
