//! A scene for every rule from one end to the other: `doctor` names the cause first; what it says
//! mends it (the command that it prints, or the step outside); then `doctor` finds nothing any
//! more.
//!
//! `cargo test` plays each at one of the three seeds; those that take half a minute, and all of them
//! at all seeds, when asked.

mod frames;
mod keys;
mod server;
mod target;

use std::pin::Pin;
use std::thread;

use delayscope::queue::finding::{HEADLINE_COLUMNS, RULES};

use crate::findings::SEEDS;
use crate::findings::patient::Patient;
use crate::findings::program::{self, Doctor};

/// A sick queue.
struct Case {
    patient: Patient,
    /// For so long `doctor` has to look before it can tell, in ms; none: for as long as it thinks
    /// fit.
    looks_ms: Option<u64>,
    /// What the repair tells people to do, where no command does it.
    outside: Option<Outside>,
}

type Outside = Box<dyn FnOnce(&mut Patient)>;

impl Case {
    /// One that a command mends.
    fn of(patient: Patient) -> Self {
        Self {
            patient,
            looks_ms: Some(1_100),
            outside: None,
        }
    }

    /// One that is mended outside.
    fn outside(patient: Patient, step: impl FnOnce(&mut Patient) + 'static) -> Self {
        Self {
            outside: Some(Box::new(step)),
            ..Self::of(patient)
        }
    }

    /// One that takes so long to be found.
    fn within(self, looks_ms: u64) -> Self {
        Self {
            looks_ms: Some(looks_ms),
            ..self
        }
    }

    /// One that has to be found without being told for how long to look.
    fn by_itself(self) -> Self {
        Self {
            looks_ms: None,
            ..self
        }
    }
}

/// Makes a queue sick.
type Scene = fn(u64) -> Pin<Box<dyn Future<Output = Case>>>;

macro_rules! scenes {
    ($($rule:literal: $place:ident::$name:ident;)*) => {
        &[$(($rule, |seed| Box::pin($place::$name(seed)))),*]
    };
}

const SCENES: &[(&str, Scene)] = scenes! {
    "wrong-type": keys::a_key_of_another_type;
    "refused-writes": server::writes_are_refused;
    "no-transfer-client": server::nobody_is_there;
    "mixed-fleet": frames::clients_of_both_eras;
    "poison": frames::a_frame_of_the_other_era;
    "foreign-member": frames::a_member_without_frame;
    "score-range": keys::scores_that_are_no_due_time;
    "stuck-client": server::a_client_without_timer;
    "mixed-frames": frames::both_forms;
    "slow-transfer": keys::a_burst_far_down;
    "falling-behind": server::a_client_that_is_too_slow;
    "drift": keys::lists_that_disagree;
    "set-aside": keys::an_order_list_aside;
    "quarantined": frames::entries_set_aside;
    "ttl": keys::an_expiry;
    "far-future": keys::an_entry_for_the_next_century;
    "evictable": server::a_policy_that_drops_keys;
    "framed-target": target::elements_with_their_frames;
    "cross-slot": keys::odd_braces;
    "name-collision": keys::two_names_for_the_same_keys;
    "held": target::a_consumer_that_died;
};

/// Those that need long looks, up to half a minute.
const SLOW: &[(&str, Scene)] = scenes! {
    "clock-skew": server::a_clock_that_is_off;
    "nothing-consumed": target::consumers_that_hang;
    "target-backlog": target::consumers_that_are_too_slow;
};

/// Those that need a screen: it hears what is published, has workers of its own, and remembers what
/// was delivered again.
const OF_A_SCREEN: &[&str] = &["wrong-announcement", "own-worker", "duplicates"];

/// Those that need several servers: see `clusters` and `sentinels`.
const OF_SEVERAL: &[&str] = &["stuck-migration", "split-view", "lagging-replicas"];

/// Plays a scene to its good end.
async fn play(rule: &str, scene: Scene, seed: u64) {
    let Case {
        mut patient,
        looks_ms,
        outside,
    } = scene(seed).await;
    let said = Doctor::until_first(&patient, rule, looks_ms).await;
    // What a screen of 80 columns shows uncut, whatever the queue is called.
    let columns = delayscope::queue::text::width(&said.headline);
    assert!(
        (1..=HEADLINE_COLUMNS).contains(&columns),
        "{}",
        said.headline
    );
    assert!(
        said.command.is_some() || outside.is_some(),
        "nothing mends it: {}",
        said.sentence
    );
    if let Some(step) = outside {
        step(&mut patient);
    }
    let _worker = match said.command {
        Some(command) => program::repair(&patient, &command).await,
        None => None,
    };
    Doctor::until_well(&patient, rule).await;
}

/// Plays scenes side by side, a thread each.
fn play_all(scenes: impl Iterator<Item = (&'static (&'static str, Scene), u64)>) {
    let playing = scenes.map(|(&(rule, scene), seed)| {
        let play = move || {
            let runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = { runtime }.enable_all().build().unwrap();
            runtime.block_on(play(rule, scene, seed));
        };
        let name = format!("{rule} at seed {seed}");
        let thread = thread::Builder::new().name(name.clone());
        (name, thread.spawn(play).unwrap())
    });
    let playing: Vec<_> = playing.collect();
    let failed = playing.into_iter().filter_map(|(name, thread)| {
        let ended = thread.join();
        ended.is_err().then_some(name)
    });
    let failed: Vec<String> = failed.collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn every_rule_names_its_cause_first_and_what_it_says_mends_it() {
    // In turn one of the seeds.
    play_all(SCENES.iter().zip(SEEDS.into_iter().cycle()));
}

#[test]
#[ignore = "takes half a minute: cargo test --test cli every_slow_rule -- --ignored"]
fn every_slow_rule_names_its_cause_first_and_what_it_says_mends_it() {
    play_all(SLOW.iter().zip(SEEDS.into_iter().cycle()));
}

#[test]
#[ignore = "takes minutes: cargo test --test cli at_all_seeds -- --ignored"]
fn every_rule_names_its_cause_first_and_what_it_says_mends_it_at_all_seeds() {
    let all = SCENES.iter().chain(SLOW);
    play_all(all.flat_map(|scene| SEEDS.map(|seed| (scene, seed))));
}

#[test]
fn every_rule_has_a_scene() {
    let played = |id: &str| {
        let mut scenes = SCENES.iter().chain(SLOW);
        scenes.any(|(rule, _)| *rule == id) || [OF_A_SCREEN, OF_SEVERAL].concat().contains(&id)
    };
    let idle: Vec<_> = RULES.iter().filter(|rule| !played(rule.id)).collect();
    assert!(idle.is_empty(), "{idle:?}");
    let others = OF_A_SCREEN.len() + OF_SEVERAL.len();
    assert_eq!(SCENES.len() + SLOW.len() + others, RULES.len());
}
