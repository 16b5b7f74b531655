//! The loop: waits for a key, an answer or the next moment that matters, lets `update` decide,
//! draws once. Nothing in it waits for Redis, so a key acts at once whatever the server does.

pub mod frames;

use std::io;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedReceiver;

use self::frames::Pace;
use crate::tui::edge::{Input, ProgramEnd, Runner, Surface};
use crate::tui::effect::Effect;
use crate::tui::form;
use crate::tui::model::Model;
use crate::tui::msg::Msg;
use crate::tui::refresh::update::time::{changes_at, wakes_at};
use crate::tui::update::{is_input, update};

/// The first picture waits so long for the terminal to tell its background.
const ANSWERS: Duration = Duration::from_millis(25);

/// The answers and announcements between two pictures that are a flood.
const FLOOD: u32 = 4;

/// Runs until something ends it. `clock` reads the monotonic clock.
pub async fn run(
    surface: &mut impl Surface,
    model: &mut Model,
    mut input: UnboundedReceiver<Input>,
    mut replies: UnboundedReceiver<Msg>,
    runner: &mut impl Runner,
    clock: impl Fn() -> Instant,
) -> io::Result<ProgramEnd> {
    // A terminal that tells its background does so at once: the first picture has its colours.
    let answers = model
        .schedule
        .background_by
        .map_or(Duration::ZERO, |_| ANSWERS);
    let mut draw_at = Some(clock() + answers);
    let mut pace = Pace::new(clock());
    // How often something from the server has woken it since the last picture.
    let mut woken = 0;
    loop {
        if draw_at.is_some_and(|at| at <= clock()) {
            let size = surface.size()?;
            if size != model.size {
                let resized = Msg::Resized(size.0, size.1);
                let ended =
                    perform(model, resized, surface, runner, (&mut input, &mut replies)).await?;
                if let Some(ended) = ended {
                    return Ok(ended);
                }
            }
            model.drawn = surface.draw(model)?;
            pace.drawn(clock());
            woken = 0;
            draw_at = changes_at(model).map(|at| pace.next(clock()).max(at));
        }
        // What a flood brings and no picture would show yet waits for it together: it is decided with
        // the picture, not each by itself.
        let held = pace.held(clock()).filter(|_| woken >= FLOOD);
        let wake = wakes_at(model).into_iter().chain(draw_at).chain(held).min();
        let mut happened = Vec::new();
        let mut urgent = false;
        // Biased: a key comes before any number of answers.
        tokio::select! {
            biased;
            first = input.recv() => match first {
                Some(Input::Happened(msg)) => {
                    happened.push(*msg);
                    urgent = true;
                }
                Some(Input::End(ended)) => return Ok(ended),
                None => return Ok(ProgramEnd::HUNG_UP),
            },
            Some(msg) = replies.recv(), if held.is_none() => {
                happened.push(msg);
                woken += 1;
            }
            () = sleep_until(wake, &clock) => {}
        }
        // All that is there already is decided before the one picture that shows it.
        while let Ok(more) = input.try_recv() {
            match more {
                Input::Happened(msg) => happened.push(*msg),
                Input::End(ended) => return Ok(ended),
            }
            urgent = true;
        }
        if urgent {
            pace.asked();
        }
        happened.extend(std::iter::from_fn(|| replies.try_recv().ok()));
        if !happened.is_empty() {
            let now = clock();
            let at = if urgent { now } else { pace.next(now) };
            draw_at = Some(draw_at.map_or(at, |planned| planned.min(at)));
        }
        happened.insert(0, Msg::Ticked(clock()));
        let mut unseen = false;
        for msg in happened {
            // What was clicked may be what a key or a click just before it has brought.
            if unseen && matches!(msg, Msg::Clicked(..)) {
                model.drawn = surface.draw(model)?;
                pace.drawn(clock());
            }
            unseen |= is_input(&msg);
            if let Some(ended) =
                perform(model, msg, surface, runner, (&mut input, &mut replies)).await?
            {
                return Ok(ended);
            }
        }
    }
}

/// Lets `update` decide on a message and does what it asks for; how the program ends, when it
/// does.
async fn perform(
    model: &mut Model,
    msg: Msg,
    surface: &mut impl Surface,
    runner: &mut impl Runner,
    (input, replies): (&mut UnboundedReceiver<Input>, &mut UnboundedReceiver<Msg>),
) -> io::Result<Option<ProgramEnd>> {
    let mut effects = update(model, msg);
    while !effects.is_empty() {
        for effect in std::mem::take(&mut effects) {
            match effect {
                Effect::Quit => return Ok(Some(ProgramEnd::Quit)),
                Effect::Copy(text) => surface.copy(&text)?,
                Effect::Ring(line) => surface.ring(&line)?,
                Effect::Redraw => surface.repaint(),
                Effect::RetakeTerminal => surface.retake()?,
                Effect::Suspend => {
                    surface.suspend().await?;
                    effects.extend(update(model, Msg::Resumed));
                }
                Effect::Edit { text, extension } => {
                    let mut edit = std::pin::pin!(surface.edit(&text, extension));
                    let edited = loop {
                        tokio::select! {
                            edited = &mut edit => break edited?,
                            ended = end(input) => return Ok(Some(ended)),
                            // Nobody looks, but an editor may be open for hours: what is
                            // published meanwhile would grow in the channel.
                            Some(msg) = replies.recv() => {
                                for effect in update(model, msg) {
                                    runner.start(effect);
                                }
                            }
                        }
                    };
                    effects.extend(update(model, Msg::Form(form::Msg::Edited(edited))));
                }
                other => runner.start(other),
            }
        }
    }
    Ok(None)
}

/// Waits until the program has to end. What else comes meanwhile is not for it.
async fn end(input: &mut UnboundedReceiver<Input>) -> ProgramEnd {
    loop {
        match input.recv().await {
            Some(Input::End(ended)) => return ended,
            Some(Input::Happened(_)) => {}
            None => return ProgramEnd::HUNG_UP,
        }
    }
}

async fn sleep_until(wake: Option<Instant>, clock: &impl Fn() -> Instant) {
    match wake {
        Some(at) => tokio::time::sleep(at.saturating_duration_since(clock())).await,
        None => std::future::pending().await,
    }
}
