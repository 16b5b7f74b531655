//! The bulk ways against a real server, beside clients that offer, transfer, remove and poll
//! between any two of their scripts.

mod drifting;
mod lost;
mod refusal;
mod walks;
mod ways;
mod world;
