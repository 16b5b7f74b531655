//! What is due, read before it is transferred.

use redis::{Pipeline, Value};

use super::Chosen;
use crate::clock::EpochMillis;
use crate::queue::Queue;
use crate::store::error::StoreError;
use crate::store::script::{self, Timed};
use crate::store::write::Writer;

const ATTEMPT: &str = "read what is due";
/// How long the answer may take.
const LIMIT: std::time::Duration = std::time::Duration::from_secs(10);

/// The entries that are expected to fall due next.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Foreseen {
    /// How many.
    pub count: usize,
    /// SHA-1 of their members one behind the other, in hex.
    pub sha1: String,
    /// Bytes before the payload in each of them; 0: not the same in all.
    pub header: usize,
}

impl Foreseen {
    /// Of these members, in due order; none: there is none, or one of them is no frame.
    #[must_use]
    pub fn of(queue: &Queue, members: &[&[u8]]) -> Option<Self> {
        let (mut all, mut header) = (sha1_smol::Sha1::new(), None);
        for member in members {
            let before = member.len() - queue.unwrap(member).ok()?.payload.len();
            header = match header {
                None => Some(before),
                Some(other) if other == before => header,
                Some(_) => Some(0),
            };
            all.update(member);
        }
        Some(Self {
            count: members.len(),
            sha1: all.digest().to_string(),
            header: header?,
        })
    }
}

impl Writer {
    /// What is due at `now`, in due order: up to `n` entries behind the first `skip`.
    pub async fn due_after(
        &self,
        queue: &Queue,
        now: EpochMillis,
        [skip, n]: [usize; 2],
    ) -> Result<Vec<Chosen>, StoreError> {
        let now = queue.score(now).to_string();
        let mut pipeline = Pipeline::new();
        pipeline.add_command(script::due_after(&queue.keys().timeouts, &now, [skip, n]));
        let mut answers = self.lane.send(ATTEMPT, &pipeline, LIMIT).await?;
        self.due(answers.pop().unwrap_or(Value::Nil))
    }

    /// Transfers what is foreseen of a queue with an order list, or nothing, when something else
    /// falls due next; whether it did. `drain`: as for
    /// [`transfer_telling`](Self::transfer_telling).
    pub async fn transfer_foreseen(
        &self,
        queue: &Queue,
        now: EpochMillis,
        foreseen: &Foreseen,
        drain: bool,
    ) -> Result<Timed<bool>, StoreError> {
        let keys = queue.keys();
        let (Some(order), Some(aside)) = (&keys.order, &keys.aside) else {
            let why = "the queue has no order list".to_owned();
            return Err(self.impossible("transfer what is due", why));
        };
        let now = queue.score(now).to_string();
        let of = (foreseen.count, &*foreseen.sha1, foreseen.header);
        let keys = [keys.target.as_slice(), &keys.timeouts, order, aside];
        script::transfer_foreseen(&self.lane, keys, &now, of, drain).await
    }

    fn due(&self, answer: Value) -> Result<Vec<Chosen>, StoreError> {
        let answer = self.store().accept(ATTEMPT, answer)?;
        let rows = script::due(&answer);
        let rows = rows.ok_or_else(|| self.store().unexpected(ATTEMPT, &answer))?;
        let chosen = |(member, score)| Chosen { member, score };
        Ok(rows.into_iter().map(chosen).collect())
    }
}
