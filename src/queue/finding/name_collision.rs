//! Two queues, `q` and `{q}`, that share all keys but their targets.

use super::id::NAME_COLLISION as ID;
use super::{
    Act, Advice, Finding, HEADLINE_COLUMNS, OpenQuestion, QueueFacts, RuleVerdict, Severity, Step,
    clients,
};
use crate::queue::{Twin, text};

/// The time in ms after which writes to the other list are told also where nobody was seen to write
/// to the queue's own: of what is taken at once that may take minutes.
const LONG_MS: i64 = 10_000;

/// The headline where both of them are used: both names, in the same order whichever of them it is
/// told of.
fn shared(own: &str, other: &str) -> String {
    let (first, second) = if own.len() < other.len() {
        (own, other)
    } else {
        (other, own)
    };
    let named = format!("{first} and {second} share keys: messages get mixed up.");
    if text::width(&named) <= HEADLINE_COLUMNS {
        named
    } else {
        "Two queues share keys: messages get mixed up.".to_owned()
    }
}

/// Looks at what the samples of the last minutes say of the other queue's target.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let keys = seen.queue.keys();
    if seen.queue.twin().is_none() {
        return RuleVerdict::Fine;
    }
    if seen.watch.sample().is_none() {
        return RuleVerdict::Silent;
    }
    let Some(twin) = seen.watch.twin() else {
        return RuleVerdict::Fine;
    };
    let own_name = text::printable(&seen.queue.name.text()).into_owned();
    let other = text::printable(&twin.name.text()).into_owned();
    let both = "Both names lead to the same timeouts and channel";
    let helps = what_helps(seen, &twin);
    let (headline, details, repair) = match &twin {
        Twin { stands: true, .. } => (
            shared(&own_name, &other),
            format!(
                "{both}, and what is offered to {own_name} may be delivered to the list {other}."
            ),
            Advice::from(format!(
                "{helps} If {other} is only left over, empty or rename its list."
            )),
        ),
        Twin {
            written_ago_ms: Some(_),
            own: Some(true),
            ..
        } => (
            shared(&own_name, &other),
            format!(
                "{both}, and what is offered to {own_name} may be delivered to {other}, where it is \
                 taken at once."
            ),
            Advice::from(helps),
        ),
        Twin {
            written_ago_ms: Some(_),
            own,
            ..
        } if *own == Some(false) || seen.watch.twin_written_ms() >= LONG_MS => {
            let whether = match own {
                Some(_) => format!("none were seen to reach the list {own_name}"),
                None => format!("whether any reach the list {own_name} is not known yet"),
            };
            let headline = if *own == Some(false) && seen.watch.were_mixed() {
                apart(&other)
            } else {
                called(&other)
            };
            (
                headline,
                format!(
                    "They are delivered to the list {other}, where they are taken at once; {whether}. \
                     {both}."
                ),
                Advice::of(format!("Open it by the name {other}")).by(
                    Act::Open,
                    ". If both are queues, rename one of them in all clients.",
                ),
            )
        }
        Twin {
            written_ago_ms: Some(_),
            ..
        } => {
            let told = format!("messages are delivered to {other}");
            let asks = format!("whether any reach {own_name}");
            return RuleVerdict::Early(OpenQuestion::new(told, asks, None));
        }
        Twin { .. } => return RuleVerdict::Fine,
    };
    let is_mixed = twin.stands || twin.own == Some(true);
    let quiet = quiet(seen, [&own_name, &other]).filter(|_| is_mixed);
    // Where all of them reach one list, nothing is mixed up.
    let severity = if is_mixed {
        Severity::Warning
    } else {
        Severity::Note
    };
    let finding = Finding::new(ID, severity, headline)
        .details(details)
        .number("other", other.as_str())
        .number("stands", twin.stands)
        .number("written", twin.written_ago_ms.is_some())
        .number("own_target_used", twin.own);
    let finding = if twin.written_ago_ms.is_some() {
        finding.words(format!("somebody was seen to write to {other}"))
    } else {
        finding
    };
    let finding = finding
        .all_words(listeners(seen))
        .words(
            "a client that opened both queues delivers everything to the one that it opened first; \
             which queue an entry belongs to is not stored",
        )
        .check(&["TYPE"], twin.name.as_bytes())
        .check(&["TYPE"], &keys.target);
    let repair = match quiet {
        // Whoever has done something reads there whether it has helped.
        Some(quiet) => Advice::from(quiet),
        None => repair,
    };
    RuleVerdict::Found(finding.repair(Step::Outside, repair))
}

/// The headline where only the other list is used since somebody has mended it.
fn apart(other: &str) -> String {
    let named = format!("Messages go to {other} only: no longer mixed up.");
    if text::width(&named) <= HEADLINE_COLUMNS {
        named
    } else {
        "Messages go to the other list only: no longer mixed up.".to_owned()
    }
}

/// The headline where only the other list is used.
fn called(other: &str) -> String {
    let named = format!("Messages go to {other}: the queue may be called that.");
    if text::width(&named) <= HEADLINE_COLUMNS {
        named
    } else {
        "Messages go to another list: the queue may be called so.".to_owned()
    }
}

/// Says what ends it: the clients by their names, where no others transfer.
fn what_helps(seen: &QueueFacts, twin: &Twin) -> String {
    let transfer = seen.pulse.and_then(|pulse| pulse.transfer_clients.get());
    match clients::namesakes(seen).as_slice() {
        _ if transfer == Some(1) && !twin.stands => {
            "One client is left, which delivers to one list only: this should be over within 3 \
             minutes. Rename the other queue in all clients."
                .to_owned()
        }
        [one, other] if transfer == Some(2) => {
            format!("Stop {one} or {other} (by their names), then rename its queue in all clients.")
        }
        _ => "Stop the clients of one of the two queues, then rename it in all clients.".to_owned(),
    }
}

/// Says for how long nobody was seen to write to one of the two lists, once that was looked for in
/// vain: whoever has just renamed a queue, or stopped its clients, waits for it.
fn quiet(seen: &QueueFacts, [own, other]: [&str; 2]) -> Option<String> {
    let (is_own, [quiet_ms, lasts_ms]) = seen.watch.twin_quiet_ms()?;
    let which = if is_own { own } else { other };
    let (quiet, then) = (text::age(quiet_ms), text::age(lasts_ms));
    (quiet_ms < lasts_ms).then(|| {
        format!(
            "Nothing was seen to reach {which} for {quiet}; after {then} this is over. Else rename one \
             of the two queues."
        )
    })
}

/// Says how many clients listen, of both queues, and which of them are called like these.
fn listeners(seen: &QueueFacts) -> Vec<String> {
    let subscribed = seen.pulse.and_then(|pulse| pulse.transfer_clients.get());
    let Some(count) = subscribed.filter(|count| *count > 0) else {
        return Vec::new();
    };
    let listen = text::counted(count, "client listens", "clients listen");
    let namesakes = clients::namesakes(seen);
    // The list of clients may be older than their number.
    let which = match namesakes.as_slice() {
        names if u64::try_from(names.len()).is_ok_and(|names| names > count) => {
            "which one, Redis does not tell".to_owned()
        }
        [] => "which ones, Redis does not tell".to_owned(),
        [name] if count == 1 => format!("by its name it is {name}"),
        names => format!("by their names some are {}", names.join(", ")),
    };
    vec![format!("{listen} to the channel of both names; {which}")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::finding::Watch;
    use crate::queue::finding::tests::{START, pulse, sample, survey};
    use crate::queue::{Known, Queue, ServerWatch};

    fn of_watch(name: &str, watch: &Watch) -> RuleVerdict {
        let queue: Queue = name.parse().unwrap();
        look(&QueueFacts {
            queue: &queue,
            pulse: Some(&pulse(0, 5, None, 2)),
            survey: None,
            watch,
            server: &ServerWatch::default(),
        })
    }

    /// Reads a sample that shows this of the other queue, so many s after the start.
    fn sampled(watch: &mut Watch, second: i64, twin: Option<Twin>) {
        let mut frames = sample(Vec::new(), Vec::new());
        frames.at = START.plus(second * 1_000);
        frames.twin = twin;
        let mut survey = survey(None);
        survey.frames = Some(Box::new(frames));
        watch.surveyed(&survey);
    }

    fn verdict(name: &str, twin: Option<Twin>) -> RuleVerdict {
        let mut watch = Watch::default();
        sampled(&mut watch, 0, twin);
        of_watch(name, &watch)
    }

    fn twin(stands: bool, written: bool, own: Option<bool>) -> Twin {
        Twin {
            name: "{orders}".into(),
            stands,
            written_ago_ms: written.then_some(0),
            own,
            own_ago_ms: (own == Some(true)).then_some(0),
        }
    }

    fn told(twin: Twin) -> String {
        let RuleVerdict::Found(found) = verdict("orders", Some(twin)) else {
            panic!("nothing found");
        };
        assert_eq!(found.severity, Severity::Warning);
        found.sentence()
    }

    #[test]
    fn where_nothing_more_is_written_to_the_other_list_it_says_so_and_when_that_is_over() {
        let queue: Queue = "orders".parse().unwrap();
        let mut watch = Watch::default();
        let told = |watch: &Watch, second: i64| {
            let verdict = look(&QueueFacts {
                queue: &queue,
                pulse: Some(&pulse(second * 1_000, 5, None, 2)),
                survey: None,
                watch,
                server: &ServerWatch::default(),
            });
            let RuleVerdict::Found(found) = verdict else {
                panic!("nothing found");
            };
            found.repair.sentence.to_string()
        };
        sampled(&mut watch, 0, Some(twin(false, true, Some(true))));
        sampled(&mut watch, 20, None);
        assert!(!told(&watch, 24).contains("Nothing was seen"));
        sampled(&mut watch, 70, None);
        let quiet = told(&watch, 71);
        assert!(
            quiet.contains("Nothing was seen to reach {orders} for 1:10; after 3:00 this is over."),
            "{quiet}"
        );
        sampled(&mut watch, 80, Some(twin(false, true, Some(true))));
        assert!(!told(&watch, 85).contains("Nothing was seen"));
    }

    #[test]
    fn it_is_over_three_minutes_after_the_last_write_and_not_after_it_was_last_believed() {
        let mut watch = Watch::default();
        for second in (0..=100).step_by(20) {
            let mut seen = twin(false, true, Some(true));
            seen.written_ago_ms = Some(second * 1_000);
            assert_eq!(seen.own_ago_ms, Some(0));
            sampled(&mut watch, second, Some(seen));
        }
        let RuleVerdict::Found(found) = of_watch("orders", &watch) else {
            panic!("nothing found");
        };
        assert!(
            !found
                .repair
                .sentence
                .to_string()
                .contains("Nothing was seen"),
            "it is believed"
        );
        sampled(&mut watch, 110, None);
        let RuleVerdict::Found(found) = of_watch("orders", &watch) else {
            panic!("nothing found");
        };
        let told = "Nothing was seen to reach {orders} for 1:50; after 3:00 this is over.";
        let says = found.repair.sentence.to_string();
        assert!(says.starts_with(told), "{says}");
        sampled(&mut watch, 180, None);
        assert_eq!(of_watch("orders", &watch), RuleVerdict::Fine);
    }

    #[test]
    fn who_stops_the_clients_of_this_name_is_told_what_was_seen_of_it_and_then_what_is_left() {
        let mut watch = Watch::default();
        for second in (0..=170).step_by(10) {
            let mut seen = twin(false, true, Some(second < 90));
            seen.own_ago_ms = (second < 90).then_some(second * 1_000);
            sampled(&mut watch, second, Some(seen));
        }
        let found = |watch: &Watch| match of_watch("orders", watch) {
            RuleVerdict::Found(found) => found,
            other => panic!("{other:?}"),
        };
        let told = "Nothing was seen to reach orders for 2:50; after 3:00 this is over.";
        let both = found(&watch);
        let says = both.repair.sentence.to_string();
        assert!(says.starts_with(told), "{says}");
        assert_eq!(both.severity, Severity::Warning);
        sampled(&mut watch, 180, Some(twin(false, true, Some(false))));
        let left = found(&watch);
        assert_eq!(left.severity, Severity::Note);
        assert!(left.headline.starts_with("Messages go to {orders}"));
    }

    #[test]
    fn a_second_list_with_the_other_name_is_told() {
        let told = told(twin(true, false, None));
        assert!(
            told.contains("to orders may be delivered to the list {orders}."),
            "{told}"
        );
        assert_eq!(verdict("orders", None), RuleVerdict::Fine);
    }

    #[test]
    fn one_that_is_emptied_at_once_is_told_by_what_is_written_to_it() {
        let both = told(twin(false, true, Some(true)));
        let headline = "orders and {orders} share keys: messages get mixed up.";
        assert!(both.starts_with(headline), "{both}");
        assert!(
            both.contains("{orders}, where it is taken at once"),
            "{both}"
        );
    }

    #[test]
    fn both_queues_have_the_same_headline_and_long_names_are_left_out_of_it() {
        assert_eq!(shared("a", "{a}"), shared("{a}", "a"));
        let long = "x".repeat(40);
        let headline = shared(&long, &format!("{{{long}}}"));
        assert_eq!(headline, "Two queues share keys: messages get mixed up.");
    }

    #[test]
    fn where_all_reaches_the_other_list_the_queue_may_have_its_name() {
        let RuleVerdict::Found(found) = verdict("orders", Some(twin(false, true, Some(false))))
        else {
            panic!("nothing found");
        };
        let headline = "Messages go to {orders}: the queue may be called that.";
        assert_eq!(
            (&*found.headline, found.severity),
            (headline, Severity::Note)
        );
        let none = "none were seen to reach the list orders";
        assert!(found.details.contains(none), "{}", found.details);
        let told = found
            .repair
            .sentence
            .told(|act| (act == Act::Open).then(|| ":".into()));
        assert_eq!(
            told,
            "Open it by the name {orders} (:). If both are queues, rename one of them in all clients."
        );
    }

    #[test]
    fn once_one_list_alone_is_used_again_it_says_that_nothing_is_mixed_up_any_more() {
        let queue: Queue = "orders".parse().unwrap();
        let mut watch = Watch::default();
        let told = |watch: &Watch, second: i64, clients: u64| {
            let verdict = look(&QueueFacts {
                queue: &queue,
                pulse: Some(&pulse(second * 1_000, 5, None, clients)),
                survey: None,
                watch,
                server: &ServerWatch::default(),
            });
            let RuleVerdict::Found(found) = verdict else {
                panic!("nothing found");
            };
            found
        };
        sampled(&mut watch, 0, Some(twin(false, true, Some(true))));
        let both = told(&watch, 1, 2);
        let stop = "Stop the clients of one of the two queues, then rename it in all clients.";
        assert_eq!(both.repair.sentence.to_string(), stop);
        // One of them was stopped just now.
        let left = told(&watch, 2, 1).repair.sentence.to_string();
        assert!(left.starts_with("One client is left"), "{left}");
        for second in (10..200).step_by(10) {
            sampled(&mut watch, second, Some(twin(false, true, None)));
        }
        let expected = "none were seen to reach the list orders";
        assert!(told(&watch, 200, 1).details.contains(expected));
        let found = told(&watch, 200, 1);
        let headline = "Messages go to {orders} only: no longer mixed up.";
        assert_eq!(
            (found.severity, &*found.headline),
            (Severity::Note, headline)
        );
    }

    #[test]
    fn as_long_as_it_is_not_known_where_messages_go_nothing_is_told() {
        let RuleVerdict::Early(open) = verdict("orders", Some(twin(false, true, None))) else {
            panic!("decided");
        };
        assert!(open.words().contains("messages are delivered to {orders}"));
        assert_eq!(
            verdict("orders", Some(twin(false, false, None))),
            RuleVerdict::Fine
        );
    }

    #[test]
    fn what_stays_unknown_for_ten_seconds_does_not_keep_silent_what_is_known() {
        let mut watch = Watch::default();
        let headlines = [0, 9, 10].map(|second| {
            sampled(&mut watch, second, Some(twin(false, true, None)));
            match of_watch("orders", &watch) {
                RuleVerdict::Found(found) => Some(found.headline),
                _ => None,
            }
        });
        let known = "Messages go to {orders}: the queue may be called that.".to_owned();
        assert_eq!(headlines, [None, None, Some(known)]);
        sampled(&mut watch, 12, Some(twin(false, true, Some(true))));
        let RuleVerdict::Found(found) = of_watch("orders", &watch) else {
            panic!("nothing found");
        };
        assert_eq!(
            found.headline,
            "orders and {orders} share keys: messages get mixed up."
        );
    }

    #[test]
    fn a_name_that_no_other_queue_shares_its_keys_with_is_well() {
        for alone in ["a{b}c", "{a}{b}", "zset-list:a,b"] {
            assert_eq!(verdict(alone, None), RuleVerdict::Fine, "{alone}");
        }
    }

    #[test]
    fn once_it_is_known_that_both_are_used_a_sample_that_shows_less_changes_nothing() {
        let mut watch = Watch::default();
        let headline = |watch: &Watch| match of_watch("orders", watch) {
            RuleVerdict::Found(found) => Some(found.headline),
            _ => None,
        };
        sampled(&mut watch, 0, Some(twin(false, true, Some(false))));
        let other = "Messages go to {orders}: the queue may be called that.";
        assert_eq!(headline(&watch).as_deref(), Some(other));
        sampled(&mut watch, 2, Some(twin(false, true, Some(true))));
        let less = [
            None,
            Some(twin(false, false, None)),
            Some(twin(false, true, None)),
            Some(twin(false, true, Some(false))),
        ];
        for (second, twin) in (4..).step_by(20).zip(less.into_iter().cycle().take(8)) {
            sampled(&mut watch, second, twin);
            let both = Some("orders and {orders} share keys: messages get mixed up.");
            assert_eq!(headline(&watch).as_deref(), both, "{second}");
        }
    }

    #[test]
    fn it_is_over_when_for_minutes_nothing_was_seen_of_the_other_one_or_nothing_is_left() {
        let mut watch = Watch::default();
        sampled(&mut watch, 0, Some(twin(false, true, Some(true))));
        sampled(&mut watch, 179, None);
        assert!(matches!(of_watch("orders", &watch), RuleVerdict::Found(_)));
        let mut gone = watch.clone();
        sampled(&mut watch, 180, None);
        assert_eq!(of_watch("orders", &watch), RuleVerdict::Fine);
        // Of a queue with nothing in it no samples are taken.
        gone.saw(&pulse(400_000, 0, None, 2));
        assert_eq!(of_watch("orders", &gone), RuleVerdict::Fine);
        let mut unread = pulse(400_000, 0, None, 2);
        unread.order = Known::None;
        gone.saw(&unread);
        assert!(matches!(of_watch("orders", &gone), RuleVerdict::Found(_)));
        // A list that only stood there may be emptied by its consumers, and come back.
        let mut left = Watch::default();
        sampled(&mut left, 0, Some(twin(true, false, None)));
        sampled(&mut left, 59, None);
        assert!(matches!(of_watch("orders", &left), RuleVerdict::Found(_)));
        sampled(&mut left, 60, None);
        assert_eq!(of_watch("orders", &left), RuleVerdict::Fine);
    }

    #[test]
    fn how_many_clients_listen_is_told() {
        let RuleVerdict::Found(found) = verdict("orders", Some(twin(true, false, None))) else {
            panic!("nothing found");
        };
        let words = found.evidence.words.join("\n");
        let who = "2 clients listen to the channel of both names; which ones, Redis does not tell";
        assert!(words.contains(who), "{words}");
    }
}
