//! The subcommands: a file each, over the same `ops` as the screen.
