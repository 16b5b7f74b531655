//! The scenarios, by name. A scenario is a file below, its `mod` line and a variant here.

mod burst;
mod classic;
mod dead_client;
mod mixed_fleet;
mod orders;
mod poison;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use tokio::task::JoinSet;

use super::redisson;
use super::stage::Stage;
use crate::queue::Era;
use crate::store::StoreError;

/// A scenario that can be played.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scenario {
    /// AAAA is offered with a delay of 20 s, then BBBB with one of 5 s: BBBB is delivered first.
    Classic,
    /// A shop: orders of all delays come and go, thousands wait.
    Orders,
    /// 5,000 messages due at one moment, again and again.
    Burst,
    /// A queue whose transfer client has died: one entry after the other is late.
    DeadClient,
    /// An entry of an older Redisson stands before those that the client can unpack.
    Poison,
    /// Clients of two Redisson generations serve one queue.
    MixedFleet,
}

impl Scenario {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Self; 6] = [
        Self::Classic,
        Self::Orders,
        Self::Burst,
        Self::DeadClient,
        Self::Poison,
        Self::MixedFleet,
    ];

    /// The word for it on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Orders => "orders",
            Self::Burst => "burst",
            Self::DeadClient => "dead-client",
            Self::Poison => "poison",
            Self::MixedFleet => "mixed-fleet",
        }
    }

    /// The sentence for people about what it shows.
    #[must_use]
    pub const fn shows(self) -> &'static str {
        match self {
            Self::Classic => "what is offered last, with the shorter delay, is delivered first",
            Self::Orders => "a shop: orders of all delays come and go, thousands wait",
            Self::Burst => "5,000 messages fall due at one moment, again and again",
            Self::DeadClient => "the only client has died: entries are late",
            Self::Poison => "an unreadable entry blocks those behind it",
            Self::MixedFleet => "clients of two incompatible Redisson versions share a queue",
        }
    }

    /// The queue it plays on, before any prefix.
    #[must_use]
    pub const fn queue(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Orders => "orders",
            Self::Burst => "campaign",
            Self::DeadClient => "reminders",
            Self::Poison => "invoices",
            Self::MixedFleet => "shipments",
        }
    }

    /// Offers what waits when the screen opens.
    pub(super) async fn open(self, stage: &Stage) -> Result<(), StoreError> {
        match self {
            Self::Classic => classic::open(stage).await,
            Self::Orders => orders::open(stage).await,
            // Too many to wait for; they come at once after it.
            Self::Burst => Ok(()),
            Self::DeadClient => dead_client::open(stage).await,
            Self::Poison => poison::open(stage).await,
            Self::MixedFleet => mixed_fleet::open(stage).await,
        }
    }

    /// Starts everything else.
    pub(super) fn play(self, stage: Stage, tasks: &mut JoinSet<()>) {
        if matches!(self, Self::Classic | Self::Orders | Self::Burst) {
            tasks.spawn(stage.clone().work());
        }
        match self {
            Self::Classic => {
                tasks.spawn(classic::play(stage));
            }
            Self::Orders => {
                tasks.spawn(stage.clone().consume(Duration::from_millis(120)));
                tasks.spawn(orders::play(stage));
            }
            Self::Burst => {
                tasks.spawn(stage.clone().consume(Duration::from_millis(2)));
                tasks.spawn(burst::play(stage));
            }
            Self::DeadClient => {
                tasks.spawn(dead_client::play(stage));
            }
            Self::Poison => {
                tasks.spawn(redisson::transfer(stage.clone(), Era::Newer));
                tasks.spawn(stage.clone().consume(Duration::from_millis(300)));
                tasks.spawn(poison::play(stage));
            }
            Self::MixedFleet => {
                tasks.spawn(redisson::transfer(stage.clone(), Era::Newer));
                tasks.spawn(stage.clone().consume(Duration::from_millis(120)));
                tasks.spawn(mixed_fleet::play(stage));
            }
        }
    }
}

/// The chosen ones, each once, in their order; all of them when none was chosen.
pub(super) fn chosen(scenarios: &[Scenario]) -> Vec<Scenario> {
    let is_chosen = |scenario: &Scenario| scenarios.is_empty() || scenarios.contains(scenario);
    Scenario::ALL.into_iter().filter(is_chosen).collect()
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scenario {
    type Err = UnknownScenario;

    fn from_str(name: &str) -> Result<Self, UnknownScenario> {
        let mut all = Self::ALL.into_iter();
        all.find(|scenario| scenario.name() == name)
            .ok_or_else(|| UnknownScenario(name.to_owned()))
    }
}

/// A word that names no scenario.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("there is no scenario {0:?}; there are: {all}", all = Scenario::ALL.map(Scenario::name).join(", "))]
pub struct UnknownScenario(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_found_by_its_name() {
        for scenario in Scenario::ALL {
            assert_eq!(scenario.name().parse(), Ok(scenario));
        }
    }

    #[test]
    fn an_unknown_scenario_is_told_which_there_are() {
        let said = "quiet".parse::<Scenario>().unwrap_err().to_string();
        assert!(said.contains("quiet"));
        for scenario in Scenario::ALL {
            assert!(said.contains(scenario.name()), "{said}");
        }
    }

    #[test]
    fn each_scenario_is_played_once() {
        let twice = [Scenario::Orders, Scenario::Classic, Scenario::Orders];
        assert_eq!(chosen(&twice), [Scenario::Classic, Scenario::Orders]);
        assert_eq!(chosen(&[]), Scenario::ALL);
    }
}
