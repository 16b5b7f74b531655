//! A picture read back, as an XML reader and an eye do it: which text stands in which cell, and
//! which cells something is drawn in.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::{Document, Node};

use crate::pictures::svg::{BASELINE, CELL};

/// What is in a picture. Cells are (column, row).
pub(crate) struct Read {
    /// Its title.
    pub(crate) title: String,
    /// Columns and rows.
    pub(crate) size: (u16, u16),
    texts: BTreeMap<(u16, u16), String>,
    drawn: BTreeSet<(u16, u16)>,
}

impl Read {
    /// Reads a picture that stands still; panics when it is none.
    pub(crate) fn of(picture: &str) -> Self {
        let mut moments = Self::moments(picture);
        assert_eq!(moments.len(), 1, "a moving picture");
        moments.remove(0)
    }

    /// Reads the moments of a picture, one that stands still has one; panics when it is none.
    pub(crate) fn moments(picture: &str) -> Vec<Self> {
        let document = Document::parse(picture).unwrap();
        let svg = document.root_element();
        let is_moment = |node: &Node| matches!(node.attribute("class"), Some("s" | "m"));
        let moments: Vec<Node> = svg.children().filter(is_moment).collect();
        if moments.is_empty() {
            return vec![Self::within(svg, svg)];
        }
        let each = moments.into_iter().map(|moment| Self::within(svg, moment));
        each.collect()
    }

    /// Reads what is in a part of the picture.
    fn within(svg: Node, part: Node) -> Self {
        let [left, top, wide, high]: [f64; 4] = numbers(svg.attribute("viewBox").unwrap())
            .try_into()
            .unwrap();
        let cells = |room: f64, cell: u16| whole(room / f64::from(cell));
        let mut read = Self {
            title: String::new(),
            size: (
                cells(wide + 2.0 * left, CELL.0),
                cells(high + 2.0 * top, CELL.1),
            ),
            texts: BTreeMap::new(),
            drawn: BTreeSet::new(),
        };
        let title = svg.children().find(|node| node.has_tag_name("title"));
        title.unwrap().text().unwrap().clone_into(&mut read.title);
        for node in part.descendants().filter(Node::is_element) {
            match node.tag_name().name() {
                "text" => read.write(node),
                "path" => read.draw(node.attribute("d").unwrap()),
                "svg" | "title" | "style" | "g" | "rect" => {}
                other => panic!("<{other}> in a picture"),
            }
        }
        read
    }

    /// The text of a cell.
    pub(crate) fn text(&self, column: u16, row: u16) -> Option<&str> {
        self.texts.get(&(column, row)).map(String::as_str)
    }

    /// Whether a shape reaches into the cell.
    pub(crate) fn is_drawn(&self, column: u16, row: u16) -> bool {
        self.drawn.contains(&(column, row))
    }

    /// The text of a row, spaces for cells without.
    pub(crate) fn row(&self, row: u16) -> String {
        let cells = (0..self.size.0).map(|column| self.text(column, row).unwrap_or(" "));
        cells.collect::<String>().trim_end().to_owned()
    }

    fn write(&mut self, node: Node) {
        let y: u16 = node.attribute("y").unwrap().parse().unwrap();
        assert_eq!(y % CELL.1, BASELINE);
        let text = node.text().unwrap();
        let places = numbers(node.attribute("x").unwrap());
        let signs: Vec<String> = if places.len() == 1 {
            vec![text.to_owned()]
        } else {
            text.chars().map(String::from).collect()
        };
        assert_eq!(places.len(), signs.len(), "a place for each of {text:?}");
        for (x, sign) in places.into_iter().zip(signs) {
            // A sign stands in the middle of its cell; a wide one on the edge between its two.
            let column = whole(((x - 1.0) / f64::from(CELL.0)).floor());
            let before = self.texts.insert((column, y / CELL.1), sign);
            assert_eq!(before, None, "two signs in column {column} at {y}");
        }
    }

    /// Marks the cells that the pieces of a path reach into.
    fn draw(&mut self, path: &str) {
        for piece in path.split('M').skip(1) {
            let [left, top, right, bottom] = bounds(piece);
            let span = |from: f64, to: f64, cell: u16| {
                let cell = f64::from(cell);
                // A line of no width lies within a cell, a filled piece ends on its edge.
                let last = (to / cell - 0.001).max(from / cell);
                whole((from / cell).floor())..=whole(last.floor())
            };
            for row in span(top, bottom, CELL.1) {
                for column in span(left, right, CELL.0) {
                    self.drawn.insert((column, row));
                }
            }
        }
    }
}

/// Left, top, right, bottom of one piece of a path, written without its leading `M`.
fn bounds(piece: &str) -> [f64; 4] {
    let parts = piece.split_inclusive(|c: char| c.is_ascii_alphabetic());
    let mut step = 'M';
    let (mut x, mut y) = (0.0, 0.0);
    let mut all = [f64::MAX, f64::MAX, f64::MIN, f64::MIN];
    for part in parts {
        let digits = part.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let places = numbers(digits);
        match (step, places.as_slice()) {
            ('M' | 'L', [to, below]) => (x, y) = (*to, *below),
            ('H', [to]) => x = *to,
            ('V', [to]) => y = *to,
            ('v', [by]) => y += by,
            ('q', [_, _, by, down]) => (x, y) = (x + by, y + down),
            ('Z', []) => {}
            other => panic!("{other:?} in the path {piece:?}"),
        }
        all = [all[0].min(x), all[1].min(y), all[2].max(x), all[3].max(y)];
        step = part.chars().last().unwrap();
    }
    all
}

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace()
        .map(|n| n.parse().unwrap())
        .collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count of cells"
)]
fn whole(number: f64) -> u16 {
    number.round() as u16
}
