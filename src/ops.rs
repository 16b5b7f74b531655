//! The use cases that both front ends share, each over `store` and `queue`.

pub mod refresh;
