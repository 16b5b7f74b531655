//! The replicas that shall have each batch before the next one goes.

use crate::ops::plan::ChangeError;
use crate::queue::Plan;
use crate::queue::text;
use crate::store::{Store, read};

/// The replicas that shall have what was done: after a failover to one of these nothing is lost.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Confirm {
    /// All that the server has.
    All,
    /// The number of them that is asked for.
    Replicas(usize),
}

impl Confirm {
    /// Writes into the plan who confirms each batch.
    ///
    /// Refused where the server has fewer replicas than are asked for: the change would wait for
    /// ever after its first batch. One that is being copied to counts, it is there in the end.
    pub async fn announce(self, store: &Store, plan: &mut Plan) -> Result<(), ChangeError> {
        // In a cluster the node of the queue has replicas of its own.
        let store = &store.of(&plan.queue).await;
        let have = match read::replication(store).await {
            Ok(seen) => seen.replicas.len(),
            Err(error) => {
                let unseen = format!("How many replicas the server has was not seen: {error}.");
                plan.warnings.push(unseen);
                return Ok(());
            }
        };
        let is_asked = have > 0 && self != Self::Replicas(0);
        if is_asked
            && let Err(why) = read::may_wait(store).await
            && why.code() == Some("NOPERM")
        {
            return Err(ChangeError::Senseless(format!(
                "replicas confirm by WAIT, and {why}. Give the user +wait, or leave --confirm out"
            )));
        }
        let has = text::counted(have as u64, "replica", "replicas");
        let wanted = match self {
            Self::Replicas(wanted) if wanted > have => {
                return Err(ChangeError::Senseless(format!(
                    "{wanted} replicas shall confirm each batch, and {} has {has}: it would wait \
                     for ever. Ask for no more than it has, or for none",
                    store.whereabouts()
                )));
            }
            Self::Replicas(wanted) => wanted,
            Self::All => have,
        };
        plan.warnings.push(match have {
            0 => "The server has no replica: nobody confirms that a batch is kept.".to_owned(),
            _ => format!(
                "After each batch it waits until {wanted} of {has} {} it.",
                if have == 1 { "has" } else { "have" }
            ),
        });
        Ok(())
    }
}
