//! Sick queues on real servers, made with raw commands, each at three seeds: the right rule names
//! the cause, first. And healthy ones, of which nothing is said.

mod exact;
mod frames;
mod healthy;
mod keys;
mod life;
mod mended;
mod moving;
mod patient;
mod program;

/// The seeds of each scene.
const SEEDS: [u64; 3] = [1, 20, 300];

/// Plays a scene at all seeds at once.
async fn at_all_seeds<F: Future<Output = ()>>(scene: impl Fn(u64) -> F) {
    futures_util::future::join_all(SEEDS.map(scene)).await;
}

/// The place of a seed among them.
fn at(seed: u64) -> usize {
    SEEDS.iter().position(|one| *one == seed).unwrap()
}
