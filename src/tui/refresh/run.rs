//! Reads queues and the server.

use futures_util::future::OptionFuture;

use super::{Effect, SurveyAnswer, SurveyAsk};
use crate::ops::refresh::{fitting_survey, frames, pulse, pulses_apart, survey};
use crate::queue::{FramesAsk, Pulse, Queue, Scale, Survey, Zoom};
use crate::store::{Store, StoreError, read};
use crate::tui::msg::Msg;
use crate::tui::refresh;
use crate::tui::tasks::{TaskKind, Tasks};

impl Tasks {
    /// Reads what is asked for.
    pub(crate) fn refresh(&mut self, effect: Effect) {
        let store = self.store.clone();
        match effect {
            Effect::LoadPulse {
                generation,
                queue,
                page,
                survey,
            } => {
                let of = queue.clone();
                let question = async move {
                    let surveyed = OptionFuture::from(survey.map(|ask| surveyed(&store, &of, ask)));
                    tokio::join!(pulse(&store, &of, page), surveyed)
                };
                self.ask(TaskKind::Pulse, question, move |(result, survey)| {
                    Msg::Refresh(refresh::Msg::PulseLoaded {
                        generation,
                        queue,
                        result: result.map_err(|why| why.to_string()),
                        survey: survey.map(Box::new),
                    })
                });
            }
            Effect::LoadPulses { generation, queues } => {
                let question = async move {
                    let pulses = pulses_apart(&store, &queues).await;
                    queues.into_iter().zip(pulses)
                };
                self.ask(TaskKind::Pulses, question, move |pulses| {
                    let said = |(queue, pulse): (Queue, Result<Pulse, StoreError>)| {
                        (queue, pulse.map_err(|why| why.to_string()))
                    };
                    Msg::Refresh(refresh::Msg::PulsesLoaded {
                        generation,
                        pulses: pulses.map(said).collect(),
                    })
                });
            }
            Effect::LoadSurvey {
                generation,
                queue,
                zoom,
                held,
                sample,
            } => {
                let kind = zoom.map_or(TaskKind::Classes, |_| TaskKind::Survey);
                let of = queue.clone();
                let question = async move { sampled(&store, &of, (zoom, held), sample).await };
                self.ask(kind, question, move |result| {
                    Msg::Refresh(refresh::Msg::SurveyLoaded {
                        generation,
                        queue,
                        result: result.map_err(|why| why.to_string()),
                    })
                });
            }
            Effect::LookAtServer { generation, asked } => {
                let question = async move { read::look(&store, asked).await };
                self.ask(TaskKind::Look, question, move |result| {
                    Msg::Refresh(refresh::Msg::ServerLooked {
                        generation,
                        result: result.map_err(|why| why.to_string()),
                    })
                });
            }
        }
    }
}

/// A survey that goes with a pulse.
async fn surveyed(store: &Store, queue: &Queue, ask: SurveyAsk) -> SurveyAnswer {
    let seen = match ask.zoom {
        Some(zoom) => survey(store, queue, Some(zoom), ask.held).await,
        None => fitting_survey(store, queue).await,
    };
    (ask.generation, seen.map_err(|why| why.to_string()))
}

/// A survey, with a sample of the members when one is wanted.
async fn sampled(
    store: &Store,
    queue: &Queue,
    (zoom, held): (Option<Zoom>, Option<Scale>),
    sample: Option<FramesAsk>,
) -> Result<Survey, StoreError> {
    let mut survey = survey(store, queue, zoom, held).await?;
    if let Some(ask) = sample {
        // Without it the survey says what it says.
        let frames = frames(store, queue, ask).await;
        survey.frames = frames.ok().map(Box::new);
    }
    Ok(survey)
}
