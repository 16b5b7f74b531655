//! The tab of the nodes: a line each.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::queue::node::{Node, NodeState, Role};
use crate::queue::text;
use crate::tui::area::Area;
use crate::tui::draw::{self, Ctx};
use crate::tui::hitmap::Target;
use crate::tui::model::Pane;
use crate::tui::tabs;
use crate::tui::widget::columns::{PlacedColumn, TableColumn, fit};
use crate::tui::widget::line::Line;

/// A column of the table.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Col {
    Address,
    Role,
    Of,
    State,
    Lag,
    Skew,
    Version,
    Slots,
}

/// The columns with their heads, and the rank by which they stay where there is little room.
const COLUMNS: [(Col, &str, u8); 8] = [
    (Col::Address, "node", 90),
    (Col::Role, "role", 80),
    (Col::State, "state", 85),
    (Col::Of, "of", 40),
    (Col::Lag, "lag", 60),
    (Col::Skew, "skew", 30),
    (Col::Version, "version", 20),
    (Col::Slots, "slots", 50),
];

pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.entries;
    if !slot.shown() {
        return;
    }
    tabs::view::title(ctx, Vec::new(), Vec::new(), buf);
    let table = tabs::place::table(ctx.model, slot);
    if ctx.model.then.is_some() {
        draw::words(ctx, "Nodes are not kept.", table, buf);
        return;
    }
    let nodes = &ctx.model.nodes;
    if nodes.is_empty() {
        let words =
            "Which servers there are is not known yet: the server is looked at now and then.";
        draw::words(ctx, words, table, buf);
        return;
    }
    let placed = columns(nodes, table.w.saturating_sub(3));
    if table.h < slot.inner.h {
        let heads = slot.inner.row(0);
        for (col, x, w) in &placed {
            let mut line = Line::new(buf, heads.x + 3 + x, heads.y, *w);
            line.put(buf, head(*col), ctx.theme.dim);
        }
    }
    let stand = ctx.model.stands.nodes;
    let top = usize::try_from(stand.top).unwrap_or(usize::MAX);
    for (i, node) in (0..table.h).zip(nodes.iter().skip(top)) {
        let area = table.row(i);
        row(ctx, node, &placed, area, buf);
        let at = stand.top + u64::from(i);
        ctx.record(area, Target::Row(at));
        if at == stand.cursor {
            ctx.select(area, ctx.model.focus == Pane::Entries, buf);
        }
    }
}

fn head(col: Col) -> &'static str {
    let named = COLUMNS.iter().find(|(named, ..)| *named == col);
    named.map_or("", |(_, name, _)| *name)
}

/// As wide as their longest words; a column in which nothing stands is none.
fn columns(nodes: &[Node], room: u16) -> Vec<PlacedColumn<Col>> {
    let column = |(col, name, rank): &(Col, &str, u8)| {
        let widths = nodes.iter().map(|node| text::width(&words(node, *col)));
        let longest = widths.max().filter(|widest| *widest > 0)?;
        let width = longest.max(text::width(name)) + 2;
        Some(TableColumn {
            what: *col,
            width: u16::try_from(width).unwrap_or(u16::MAX),
            rank: *rank,
            grows: false,
        })
    };
    let all: Vec<_> = COLUMNS.iter().filter_map(column).collect();
    fit(&all, room)
}

fn words(node: &Node, col: Col) -> String {
    match col {
        Col::Address => node.address.clone(),
        Col::Role => node.role.word().to_owned(),
        Col::Of => node.of.clone().unwrap_or_default(),
        Col::State => node.state.words().to_owned(),
        Col::Lag => node.lag_words(),
        Col::Skew => node.skew_words(),
        Col::Version => node.version.clone().unwrap_or_default(),
        Col::Slots => node.slot_words(),
    }
}

fn row(ctx: &Ctx, node: &Node, placed: &[PlacedColumn<Col>], area: Area, buf: &mut Buffer) {
    for (col, x, w) in placed {
        let words = words(node, *col);
        let mut line = Line::new(buf, area.x + 3 + x, area.y, w.saturating_sub(2));
        let style = style(ctx, node, *col);
        line.put_cut(buf, &text::printable(&words), ctx.data.glyphs.cut, style);
    }
}

/// The state of a node that is not well stands out.
fn style(ctx: &Ctx, node: &Node, col: Col) -> Style {
    let d = &ctx.data;
    match (col, node.state) {
        (Col::State, NodeState::Ok) => d.ok,
        (Col::State, NodeState::Copying) => d.warn,
        (Col::State, NodeState::Cut | NodeState::Failed | NodeState::Silent) => d.late,
        (Col::Address, _) if node.role == Role::Master => d.strong,
        (Col::Address | Col::Lag | Col::Slots, _) => d.text,
        _ => d.dim,
    }
}
