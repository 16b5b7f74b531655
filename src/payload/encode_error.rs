//! The reason why a text cannot become a payload.

use super::Codec;

/// A reason why a text cannot become a payload.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum EncodeError {
    /// There is no codec to write it with.
    #[error("payloads cannot be written with the codec `{0}`")]
    NoCodec(Codec),
    /// Its class was said, and none of these codecs' values has that one here.
    #[error(
        "no value of `{0}` can be written here: of Java's classes only String, Integer, Long, \
         Double, Boolean, Float, Short, Byte, Character and java.util.Date. As a string it is \
         [\"java.lang.String\",\"…\"]"
    )]
    NoClass(String),
    /// A class was asked for of which that codec writes no values.
    #[error(
        "`{0}` writes no value of `{1}`, only String, Integer, Long and Double: json, typed-json, \
         kryo5, marshalling and serialization do"
    )]
    NotOfCodec(Codec, String),
    /// Its class was said, and it is no value of that.
    #[error("{0} is no value of `{1}`")]
    NotOfClass(String, String),
    /// In the place of a value that no text is written as.
    #[error(
        "it holds a {0}, in whose place a string would be: if that is meant, write \
         [\"java.lang.String\",\"…\"]"
    )]
    Other(String),
    /// In the place of JSON of that kind.
    #[error("it holds {0}, and this is no JSON")]
    NoJson(&'static str),
    /// JSON of that kind in the place of another.
    #[error("this is {0}, and it holds {1}")]
    Kind(&'static str, &'static str),
}
