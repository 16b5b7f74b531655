//! The reason why a text is no filter, in words for who typed it.

use std::ops::Range;

use crate::clock::when::BadTime;
use crate::payload::Codec;

/// The reason why a text is no filter, and where: said live while it is typed.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{wrong}")]
pub struct BadFilter {
    /// The bytes of the text that are wrong.
    pub at: Range<usize>,
    /// The mistake, and what can be written.
    pub wrong: FilterMistake,
}

/// A mistake in a filter.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FilterMistake {
    /// A quote without the one that closes it.
    #[error("the quote is not closed")]
    QuoteOpen,
    /// Something stands right behind a quote.
    #[error("a space must follow the closing quote; inside quotes, \\\" is a quote")]
    AfterQuote,
    /// Two quotes with nothing between them.
    #[error("there is nothing between the quotes")]
    QuoteEmpty,
    /// `re:` without its pattern.
    #[error("a pattern is written re:/…/")]
    NoPattern,
    /// `re:/` without the slash that closes it.
    #[error("not closed: re:/…/, with \\/ for a slash")]
    PatternOpen,
    /// Something other than `i` stands right behind a pattern.
    #[error("only i (any case) may follow a pattern: re:/…/i; inside it, \\/ is a slash")]
    AfterPattern,
    /// The pattern is none.
    #[error("the pattern is wrong: {0}")]
    Pattern(String),
    /// The pattern would need too much memory or time.
    #[error("the pattern is too large once its repetitions are written out")]
    PatternSize,
    /// `due` without its time.
    #[error("a due time is written due<14:10, due>+1h or due<=2026-11-20T14:10:00Z")]
    NoTime,
    /// The time is none.
    #[error("{0}")]
    Time(#[from] BadTime),
    /// `id:` without its digits.
    #[error("an id is written id:9f3c, its first digits or all 16")]
    NoId,
    /// A text that is no start of an id.
    #[error(
        "{0:?} begins no entry's id, which has 16 hex digits; to find a text, put it into quotes"
    )]
    Id(String),
    /// `codec:` without its name.
    #[error("a codec is written codec:NAME, one of {}", Codec::names().join(", "))]
    NoCodec,
    /// The name of no codec.
    #[error("no codec is called {name:?}; they are {}", Codec::names().join(", "))]
    Codec {
        /// The name that was typed.
        name: String,
    },
    /// Longer than anybody types.
    #[error("a filter has at most {0} bytes")]
    TooLong(usize),
}
