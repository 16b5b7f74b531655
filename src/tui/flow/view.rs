//! Draws the flow: a line below the header.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::{Flow, Rate, flow};
use crate::queue::{Known, RecentLateness, text};
use crate::tui::draw::Ctx;
use crate::tui::queues::HAND_OVER_MS;
use crate::tui::widget::line::Line;

/// A word or figure of the line.
struct Piece {
    words: String,
    style: Style,
}

/// The length of the line: the first form that fits is taken.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// The line with how late it is, and who waits for an element.
    All,
    /// The line with how late it is.
    Late,
    /// The line with how late it is, in few words.
    ShortlyLate,
    /// The line with who waits for an element.
    Full,
    /// The line without either.
    Plain,
    /// Rates without their names.
    Short,
}

/// Draws the flow of the selected queue.
pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let area = ctx.areas.flow;
    let Some(flow) = flow(ctx.model).filter(|_| !area.is_empty()) else {
        return;
    };
    let room = usize::from(area.w.saturating_sub(2));
    let columns = |form: &Form| -> usize {
        let pieces = pieces(ctx, &flow, *form);
        pieces.iter().map(|piece| text::width(&piece.words)).sum()
    };
    let lately = flow.late.is_some() && !crate::tui::depth::view::tells_lateness(ctx);
    let forms: &[Form] = if lately {
        &[
            Form::All,
            Form::Late,
            Form::ShortlyLate,
            Form::Full,
            Form::Plain,
        ]
    } else {
        &[Form::Full, Form::Plain]
    };
    let form = forms.iter().copied().find(|form| columns(form) <= room);
    let mut line = Line::new(buf, area.x + 1, area.y, area.w.saturating_sub(2));
    for piece in pieces(ctx, &flow, form.unwrap_or(Form::Short)) {
        line.put(buf, &piece.words, piece.style);
    }
}

fn pieces(ctx: &Ctx, flow: &Flow, form: Form) -> Vec<Piece> {
    let d = &ctx.data;
    let arrow = format!(" {} ", d.glyphs.leads_to);
    let mut pieces = Vec::new();
    let mut put = |words: String, style: Style| pieces.push(Piece { words, style });
    let rate = |name: &str, rate: Option<Rate>| match form {
        Form::Short => said(ctx, rate),
        _ => format!("{name} {}", said(ctx, rate)),
    };
    let length = |name: &str, known: &Known<u64>| match known {
        Known::Is(n) => format!("{name} {}", text::thousands(*n)),
        Known::Unknown(_) => format!("{name} ?"),
        Known::None => format!("{name} {}", d.glyphs.none),
    };
    let waiting = length("timeouts", &flow.waiting);
    let target = length("target", &flow.target);
    let broken = |words: String, is: bool| {
        if is {
            (format!("{words} {}", d.glyphs.lost), d.late)
        } else {
            (words, d.text)
        }
    };
    put(rate("offered", flow.offered), d.text);
    put(arrow.clone(), d.dim);
    put(waiting, d.text);
    for (words, is, next) in [
        (
            rate("transferred", flow.transferred),
            flow.stalled,
            Some(target),
        ),
        (rate("taken", flow.taken), flow.untaken, None),
    ] {
        put(arrow.clone(), if is { d.late } else { d.dim });
        let (words, style) = broken(words, is);
        put(words, style);
        if let Some(target) = next {
            put(arrow.clone(), d.dim);
            put(target, d.text);
        }
    }
    if let Some(late) = &flow.late {
        let style = late_style(ctx, late);
        match form {
            Form::All | Form::Late => put(format!("  {}", late_words(late)), style),
            Form::ShortlyLate => put(format!("  {}", late_in_short(late)), style),
            Form::Full | Form::Plain | Form::Short => {}
        }
    }
    let tells_consumers = matches!(form, Form::All | Form::Full);
    if let Some(count) = flow.consumers.filter(|_| tells_consumers) {
        put(
            format!("  ({})", waiting_words(count, ctx.model.site.db)),
            d.dim,
        );
    }
    pieces
}

/// Says how many clients wait for an element of a list: those of the whole database, as the server
/// does not tell for which list. They are no figure of this queue.
fn waiting_words(count: usize, db: i64) -> String {
    match count {
        0 => format!("no client of db {db} waits for a list"),
        n => {
            let who = text::counted(n as u64, "client", "clients");
            let wait = if n == 1 { "waits" } else { "wait" };
            format!("{who} of db {db} {wait} for some list")
        }
    }
}

/// Red where the half that is later is so by more than the hand-over to a client takes.
pub(crate) fn late_style(ctx: &Ctx, late: &RecentLateness) -> Style {
    if late.p50.least >= HAND_OVER_MS {
        ctx.data.late
    } else {
        ctx.data.text
    }
}

/// `late by p50 125 ms, p95 0.4 s (last 5 min, ±115 ms)`.
pub(crate) fn late_words(late: &RecentLateness) -> String {
    let of = |ms: i64| text::span(ms.unsigned_abs());
    // A few seconds less than five minutes are five minutes.
    let span = match late.span_ms {
        ..60_000 => of(late.span_ms.max(1_000) / 1_000 * 1_000),
        ms => format!("{} min", (ms + 30_000) / 60_000),
    };
    format!(
        "late by p50 {}, p95 {} (last {span}{})",
        late.words(late.p50),
        late.words(late.p95),
        late.error_words()
            .map_or_else(String::new, |error| format!(", {error}")),
    )
}

/// `late p50 125 ms, p95 0.4 s ±115 ms`.
fn late_in_short(late: &RecentLateness) -> String {
    let (p50, p95) = (late.words(late.p50), late.words(late.p95));
    let error = late.error_words();
    let error = error.map_or_else(String::new, |error| format!(" {error}"));
    format!("late p50 {p50}, p95 {p95}{error}")
}

/// `3.4/s`, `~12/s` where it was not counted, `…` where it cannot be known.
fn said(ctx: &Ctx, rate: Option<Rate>) -> String {
    match rate {
        None => ctx.data.glyphs.cut.to_owned(),
        Some(rate) if rate.is_nothing() => "0/s".to_owned(),
        Some(rate) if rate.about => format!("~{}/s", text::rate(rate.per_s)),
        Some(rate) => format!("{}/s", text::rate(rate.per_s)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_a_list_is_told_as_of_the_database_and_not_of_the_queue() {
        assert_eq!(waiting_words(0, 0), "no client of db 0 waits for a list");
        assert_eq!(waiting_words(1, 2), "1 client of db 2 waits for some list");
        let many = waiting_words(1_040, 0);
        assert_eq!(many, "1,040 clients of db 0 wait for some list");
    }
}
