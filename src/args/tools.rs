//! The flags of `man` and `completions`.

use clap::{Args, ValueEnum};

/// `man`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope man | man -l -
  delayscope man transfer | man -l -
  delayscope man > /usr/local/share/man/man1/delayscope.1")]
pub struct Man {
    /// The command whose page is wanted [default: that of the whole program]
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// `completions`
#[derive(Args)]
#[command(after_help = "\
Examples:
  echo 'source <(delayscope completions bash)' >> ~/.bashrc
  echo 'source <(delayscope completions zsh)' >> ~/.zshrc
  delayscope completions fish > ~/.config/fish/completions/delayscope.fish

Queues are completed by the names that were seen last time; no server is asked.")]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// A shell that can be told how to complete a command line.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Shell {
    /// Bash, from 4.4 on.
    Bash,
    /// Zsh.
    Zsh,
    /// Fish.
    Fish,
    /// PowerShell.
    Powershell,
}

impl Shell {
    /// Its name.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Powershell => "powershell",
        }
    }
}
