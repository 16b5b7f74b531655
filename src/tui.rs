//! The screen: `update(&mut Model, Msg) -> Vec<Effect>` decides, `view` draws, `runner` acts.
