//! The reading of queues and server: what is due is asked for, answers arrive, time passes.

pub mod update;
