//! Reusable parts of a picture. They know styles and plain values, never the `Model`.

pub mod bars;
pub mod columns;
pub mod hex;
pub mod line;
pub mod pane;
pub mod scrollbar;
pub mod spark;
mod steady;
pub mod wrap;
