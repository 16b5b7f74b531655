//! What was typed: the clap types, nothing else. What it means is [`crate::config`].
