//! Waiting for what is about to be decided: whoever asks what is wrong wants to know it, not that
//! it will be known in a moment.

use std::time::{Duration, Instant};

use anyhow::bail;

use super::super::meter::Meter;
use super::super::stop::StopSignal;
use super::{Doctor, PAUSE};
use crate::clock::instant;
use crate::queue::finding::{Diagnosis, Open};

/// The longest that it looks on.
const LONGER: Duration = Duration::from_secs(10);

impl Doctor<'_> {
    /// Looks on, round by round, as long as something is decided soon.
    pub(super) async fn until_decided(
        &mut self,
        mut said: Vec<Diagnosis>,
        stop: &mut StopSignal,
    ) -> anyhow::Result<Vec<Diagnosis>> {
        let end = instant() + LONGER;
        let mut meter = (!self.quiet).then(Meter::new);
        while let Some(open) = soonest(&said, end) {
            if let Some(meter) = &mut meter {
                meter.show(&format!("looking on: {}", open.words()));
            }
            tokio::select! {
                () = stop.asked() => bail!("interrupted before all was decided"),
                () = tokio::time::sleep(PAUSE) => {}
            }
            said = self.round().await?;
        }
        if let Some(meter) = &mut meter {
            meter.clear();
        }
        Ok(said)
    }
}

/// Finds what is decided first, if that is before `end`.
fn soonest(said: &[Diagnosis], end: Instant) -> Option<&Open> {
    let left = end.saturating_duration_since(instant());
    let in_time = |open: &&Open| {
        let needs = open.known_in_ms.and_then(|ms| u64::try_from(ms).ok());
        needs.is_some_and(|ms| Duration::from_millis(ms) <= left)
    };
    let open = said.iter().flat_map(Diagnosis::open);
    open.filter(in_time).min_by_key(|open| open.known_in_ms)
}
