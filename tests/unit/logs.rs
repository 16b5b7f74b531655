//! Logs of commands that servers wrote beside real Redisson clients.

mod fuzz;
mod memory;
mod mutate;
