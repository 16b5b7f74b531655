//! The check of what stands in the form: a sentence beside each field, and what would be offered.

use serde::de::IgnoredAny;

use super::{OfferForm, SeenFormat};
use crate::clock::EpochMillis;
use crate::clock::when::{BadTime, Span, TypedMoment};
use crate::payload::Codec;
use crate::queue::{Era, Queue, text};
use crate::tui::form::{FieldRemark, Message};

/// The form offers at most so many at once: the command line takes any number.
pub const MOST_OFFERS: u64 = 10_000;

/// The most bytes of them.
const MOST_BYTES: u64 = 64 << 20;

/// Reads the message in the codec that it is written with.
#[must_use]
pub fn check_message(form: &OfferForm) -> Message {
    let typed = form.payload.text();
    let codec = form.written_with();
    if typed.is_empty() {
        let said = Some(FieldRemark::Wrong(
            "empty: type or paste a message".to_owned(),
        ));
        return Message { bytes: 0, said };
    }
    match form.encoded(&typed) {
        Ok(payload) => Message {
            bytes: payload.len() as u64,
            said: of_codec(codec, &typed),
        },
        Err(why) => Message {
            bytes: 0,
            said: Some(FieldRemark::Wrong(why.to_string())),
        },
    }
}

/// Returns the sentence about a text that is to be written with a codec.
pub(crate) fn of_codec(codec: Codec, typed: &str) -> Option<FieldRemark> {
    if !codec.is_json() {
        return None;
    }
    let looks_so = typed.trim_start().starts_with(['{', '[', '"']);
    match serde_json::from_str::<IgnoredAny>(typed) {
        Err(why) if looks_so => Some(FieldRemark::Wrong(format!("no JSON: {why}"))),
        Err(_) => Some(FieldRemark::Note("goes as a JSON string".to_owned())),
        Ok(_) if codec == Codec::Json && typed.trim_start().starts_with('{') => {
            (!typed.contains("\"@class\"")).then(|| {
                let words = "JsonJacksonCodec reads an object only with its \"@class\"";
                FieldRemark::Careful(words.to_owned())
            })
        }
        Ok(_) => None,
    }
}

/// When it would be due, `now` by the server's clock.
pub fn due(form: &OfferForm, now: EpochMillis) -> Result<EpochMillis, String> {
    moment(&form.queue, form.due.text().trim(), now)
}

/// A moment that an entry of a queue can be due at, as typed: a span is one from now.
pub fn moment(queue: &Queue, typed: &str, now: EpochMillis) -> Result<EpochMillis, String> {
    let span = typed.parse::<Span>();
    let digits = typed.bytes().all(|b| b.is_ascii_digit());
    let when = match (typed, &span) {
        ("", _) => Ok(TypedMoment::FromNow(0)),
        // Nobody means the first day of 1970.
        (_, Err(why @ BadTime::NoUnit(_))) if digits && typed.len() < 9 => {
            return Err(why.to_string());
        }
        (_, Ok(span)) => Ok(TypedMoment::FromNow(span.signed_ms())),
        _ => typed.parse::<TypedMoment>(),
    };
    let due = match when {
        Ok(when) => when.next(now),
        Err(BadTime::Time) => {
            return Err(match span {
                Err(why @ (BadTime::NoUnit(_) | BadTime::TooLong)) => why.to_string(),
                _ => "write 5s, +10m, 14:10, now or 2026-11-20T14:10:00Z".to_owned(),
            });
        }
        Err(why) => return Err(why.to_string()),
    };
    // What is no time to Redisson is none to us.
    match queue.due(queue.score(due)).at() {
        Some(_) => Ok(due),
        None => Err("no client could read such a time".to_owned()),
    }
}

/// Returns the number of messages, or what is wrong with it.
pub fn count(form: &OfferForm) -> Result<u64, String> {
    let typed = form.count.text();
    let digits: String = typed.trim().chars().filter(|c| *c != ',').collect();
    let count = match digits.as_str() {
        "" => 1,
        digits => match digits.parse::<u64>() {
            Ok(0) | Err(_) => {
                return Err(format!(
                    "a number from 1 to {}",
                    text::thousands(MOST_OFFERS)
                ));
            }
            Ok(count) => count,
        },
    };
    if count > MOST_OFFERS {
        let most = text::thousands(MOST_OFFERS);
        return Err(format!("at most {most}: the command offer takes more"));
    }
    let bytes = form.message.bytes.saturating_mul(count);
    if bytes > MOST_BYTES {
        let [bytes, most] = [bytes, MOST_BYTES].map(text::bytes);
        return Err(format!("{bytes} in all: at most {most}"));
    }
    Ok(count)
}

/// Returns the sentence about the count, when there is anything to be said.
#[must_use]
pub fn what_count(form: &OfferForm) -> Option<FieldRemark> {
    match count(form) {
        Err(why) => Some(FieldRemark::Wrong(why)),
        Ok(2..) if !form.queue.keeps_equal_messages() => Some(FieldRemark::Careful(
            "equal messages are one entry here: the rest is refused".to_owned(),
        )),
        Ok(_) => None,
    }
}

/// Returns the sentence about the codec.
#[must_use]
pub fn what_codec(form: &OfferForm) -> FieldRemark {
    let note = |words: &str| FieldRemark::Note(words.to_owned());
    match (&form.seen, form.codec) {
        (SeenFormat::Looking, _) => note("looking at the queue"),
        (SeenFormat::Failed(why), _) => {
            FieldRemark::Careful(format!("could not look at the queue: {why}"))
        }
        (SeenFormat::Known { codec: None, .. }, None) => note("nothing to go by: plain text"),
        (SeenFormat::Known { codec: None, .. }, Some(_)) => note("as chosen"),
        (
            SeenFormat::Known {
                codec: Some(seen), ..
            },
            chosen,
        ) => match chosen {
            Some(chosen) if chosen != *seen => {
                FieldRemark::Careful(format!("the queue's entries are {seen} so far"))
            }
            _ => note("as most of the queue's entries"),
        },
    }
}

/// Returns the sentence about the frame form.
#[must_use]
pub fn what_form(form: &OfferForm) -> FieldRemark {
    let known = match &form.seen {
        SeenFormat::Known { form, .. } => *form,
        SeenFormat::Looking => {
            return match form.form {
                Some(_) => FieldRemark::Note("still looking at the queue".to_owned()),
                None => FieldRemark::Wrong("still looking at the queue".to_owned()),
            };
        }
        SeenFormat::Failed(_) => None,
    };
    match (known, form.form) {
        (Some(known), Some(chosen)) if known != chosen => FieldRemark::Careful(format!(
            "{known} so far: a client that cannot read the other one stops its queue"
        )),
        (Some(_), _) => FieldRemark::Note("as the queue's entries or clients have it".to_owned()),
        (None, Some(form)) => FieldRemark::Note(
            match form.era() {
                Era::Newer => "Redisson 3.21.1 and later",
                Era::Older => "Redisson up to 3.21.0",
            }
            .to_owned(),
        ),
        (None, None) => {
            FieldRemark::Wrong("byte-id: Redisson 3.21.1+, double-id: older".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::PayloadContent;
    use crate::queue::Form;

    const NOW: EpochMillis = EpochMillis::new(1_700_000_000_000);

    fn form(payload: &str, codec: Codec) -> OfferForm {
        let mut form = OfferForm::new(Queue::redisson("orders"));
        form.payload.set(payload);
        form.codec = Some(codec);
        form
    }

    fn said(payload: &str, codec: Codec) -> Option<FieldRemark> {
        check_message(&form(payload, codec)).said
    }

    #[test]
    fn what_begins_as_json_must_be_json() {
        assert!(said("{\"a\":", Codec::TypedJson).is_some_and(|s| s.is_wrong()));
        assert_eq!(said("{\"a\":1}", Codec::TypedJson), None);
        assert_eq!(said("{\"a\":", Codec::Text), None);
        let words = said("hello", Codec::Json);
        assert_eq!(
            words,
            Some(FieldRemark::Note("goes as a JSON string".to_owned()))
        );
        let untyped = said("{\"a\":1}", Codec::Json);
        assert!(matches!(untyped, Some(FieldRemark::Careful(_))));
        assert_eq!(said("{\"@class\":\"a.B\"}", Codec::Json), None);
    }

    #[test]
    fn nothing_is_no_message() {
        assert!(said("", Codec::Text).is_some_and(|s| s.is_wrong()));
    }

    #[test]
    fn a_due_time_is_a_span_or_a_time() {
        let mut form = form("x", Codec::Text);
        let mut at = |typed: &str| {
            form.due.set(typed);
            due(&form, NOW).map(|due| due.since(NOW))
        };
        assert_eq!(at("5s"), Ok(5_000));
        assert_eq!(at(" +10m "), Ok(600_000));
        assert_eq!(at("-1m"), Ok(-60_000));
        assert_eq!(at(""), Ok(0));
        assert_eq!(at("1700000000123"), Ok(123));
        assert_eq!(
            at("5"),
            Err("a span needs a unit: 5ms, 5s, 5m, 5h or 5d".to_owned())
        );
        assert!(at("soon").is_err_and(|why| why.starts_with("write 5s")));
        assert!(at("-999999d").is_err(), "before 1970");
    }

    #[test]
    fn a_count_has_bounds() {
        let mut form = form("x", Codec::Text);
        let mut of = |typed: &str| {
            form.count.set(typed);
            count(&form)
        };
        assert_eq!(of("3"), Ok(3));
        assert_eq!(of("10,000"), Ok(10_000));
        assert_eq!(of(""), Ok(1));
        for bad in ["0", "-1", "x", "10001"] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_form_that_nothing_tells_must_be_chosen() {
        let mut form = form("x", Codec::Text);
        assert!(what_form(&form).is_wrong(), "still looking");
        form.seen = SeenFormat::Known {
            form: None,
            codec: None,
            held: PayloadContent::Text,
        };
        assert!(what_form(&form).words().contains("3.21.1"));
        assert!(what_form(&form).is_wrong());
        form.form = Some(Form::DoubleId);
        assert!(!what_form(&form).is_wrong());
        form.seen = SeenFormat::Known {
            form: Some(Form::ByteId),
            codec: None,
            held: PayloadContent::Text,
        };
        assert!(matches!(what_form(&form), FieldRemark::Careful(_)));
    }
}
