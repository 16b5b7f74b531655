//! Timeouts, order list and target: how deep they are and where they go.

pub mod view;
