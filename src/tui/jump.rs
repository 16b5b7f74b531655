//! `@`: from a time to the first entry that is due then.

use crate::clock::EpochMillis;
use crate::clock::when::{BadTime, TypedMoment};
use crate::queue::Suspect;
use crate::tui::effect::Effect;
use crate::tui::model::{self, Model};
use crate::tui::schedule::{RankFor, pace};
use crate::tui::tabs::{self, Tab};
use crate::tui::toast::{self, Tone};
use crate::tui::{filter, timeline};

/// Another text stands in the line: it says which moment that is, or what is wrong.
pub(crate) fn typed(model: &mut Model) {
    let now = model.schedule.exact;
    let Some(prompt) = &mut model.prompt else {
        return;
    };
    let text = prompt.field.text();
    (prompt.moment, prompt.error) = match text.parse::<TypedMoment>() {
        Ok(when) => (Some(when.nearest(now)), None),
        Err(_) if text.trim().is_empty() => (None, None),
        Err(bad) => (None, Some(bad.to_string())),
    };
}

/// Goes to the time that a text means; or why it means none.
pub(crate) fn run(model: &mut Model, text: &str) -> Result<Vec<Effect>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let when: TypedMoment = text.parse().map_err(|bad: BadTime| bad.to_string())?;
    let moment = when.nearest(model.schedule.exact);
    tabs::update::show(model, Tab::Waiting);
    filter::update::to_the_list(model);
    point_bar(model, moment);
    Ok(to(model, moment))
}

/// Puts the timeline's cursor on the bar of a moment, where it has one.
fn point_bar(model: &mut Model, moment: EpochMillis) {
    let scale = timeline::queries::scale(model);
    let start = scale.floor(moment);
    let shown = scale.bar_of(model::now(model), start);
    model.timeline.bar = shown.filter(|bar| *bar < scale.bars).map(|_| start);
    model.timeline.late_class = None;
}

/// Puts the cursor on the first entry due at a moment or later: of the hits while a filter is on.
pub(crate) fn to(model: &mut Model, moment: EpochMillis) -> Vec<Effect> {
    if model.filtered.is_some() {
        filter::update::found::stand_at_time(model, moment);
        return Vec::new();
    }
    let score = model.selected().map(|row| row.queue.score(moment));
    find(model, score, RankFor::Bar)
}

/// Puts the cursor on an entry that a finding is about, among all that waits.
pub(crate) fn to_suspect(model: &mut Model, suspect: Suspect) -> Vec<Effect> {
    let mut effects = filter::update::clear(model);
    filter::update::to_the_list(model);
    effects.extend(find(model, Some(suspect.score), RankFor::Suspect(suspect)));
    effects
}

/// Asks for the rank of a score; says so where nobody can be asked.
fn find(model: &mut Model, score: Option<f64>, what: RankFor) -> Vec<Effect> {
    let effects = score.map_or(Vec::new(), |score| pace::find_rank(model, score, what));
    if effects.is_empty() {
        let away = "no connection: where that is cannot be asked until it is back";
        toast::update::say(model, away.to_owned(), Tone::Warn);
    }
    effects
}
