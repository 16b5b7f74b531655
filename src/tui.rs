//! The screen: `update(&mut Model, Msg) -> Vec<Effect>` decides, `view` draws, `runner` acts.
//!
//! `view` and `widget` know neither `ops` nor `store` nor tokio; `update` knows neither ratatui nor
//! tokio. Only `runner` calls `ops`; only `run` and `terminal` talk to the terminal.

pub mod areas;
pub mod effect;
pub mod keys;
pub mod model;
pub mod msg;
