//! Our scripts between the commands of other clients, in any order, against a model: after each
//! step the real queue is what the model is, and every answer is true.
//!
//! `PROPTEST_CASES=5000 cargo test --test servers interleaved::` looks harder. A failure prints the
//! shortest steps that lead to it, and its seed is kept in `tests/proptest-regressions`.

mod bulk;
mod model;
mod ours;
mod plain;
mod quarantine;
mod steps;
mod theirs;

use delayscope::queue::{Push, Queue};
use delayscope::store::bulk::AwayPlace;
use delayscope::store::write::Writer;
use delayscope::store::{Access, Store};
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestCaseResult, TestRunner};

use crate::support::{PATIENCE, Server};
use model::Model;
use ours::We;
use plain::Play;
use steps::{Ours, Step, step};
use theirs::They;

/// Few: each step is half a dozen questions to a server.
fn few() -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let all = ProptestConfig::default();
    ProptestConfig {
        cases: if asked { all.cases } else { 40 },
        max_shrink_iters: 4_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(
            "tests/proptest-regressions/interleaved.txt",
        ))),
        ..all
    }
}

/// Plays steps against a server, as many cases of them as were asked for.
fn hold<S, P>(steps: &S, play: &P)
where
    S: Strategy,
    P: AsyncFn(&Server, &Writer, S::Value) -> TestCaseResult,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let server = Server::start();
    let writer = runtime.block_on(async {
        let store = Store::open(server.endpoint(), Access::ReadWrite);
        store.ready(PATIENCE).await.unwrap();
        store.writer().unwrap()
    });
    let mut runner = TestRunner::new(few());
    let outcome = runner.run(steps, |steps| {
        runtime.block_on(play(&server, &writer, steps))
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn whatever_others_do_between_our_scripts_the_queue_is_what_the_model_says() {
    hold(&prop::collection::vec(step(), 1..60), &play);
}

#[test]
fn whatever_others_do_between_our_scripts_a_plain_queue_is_what_the_model_says() {
    let steps = prop::collection::vec(plain::step(), 1..60);
    hold(&(any::<bool>(), steps), &play_plain);
}

async fn play_plain(
    server: &Server,
    writer: &Writer,
    (left, steps): (bool, Vec<plain::Step>),
) -> TestCaseResult {
    let mut plain = Play::new(server, writer, if left { Push::Left } else { Push::Right });
    for (n, step) in steps.iter().enumerate() {
        prop_assert_eq!(plain.take(step).await, Ok(()), "step {}: {:?}", n, step);
    }
    Ok(())
}

async fn play(server: &Server, writer: &Writer, steps: Vec<Step>) -> TestCaseResult {
    let queue = Queue::redisson("orders");
    server.cmd(&["FLUSHALL"]);
    let mut model = Model::default();
    let mut they = They::new(server, &queue);
    let mut we = We::new(writer, &queue);
    for (n, step) in steps.iter().enumerate() {
        let told = match step {
            Step::Look => {
                we.seen = model.clone();
                Ok(())
            }
            Step::Theirs(theirs) => {
                they.act(&mut model, theirs);
                Ok(())
            }
            Step::Ours(ours) => act(&mut we, &mut model, ours).await,
        };
        let real = they.real();
        prop_assert_eq!(told, Ok(()), "step {}: {:?}", n, step);
        prop_assert_eq!(&real, &model, "step {}: {:?}", n, step);
    }
    Ok(())
}

async fn act(we: &mut We<'_>, model: &mut Model, ours: &Ours) -> Result<(), String> {
    match ours {
        Ours::Delete(which) => we.delete(model, which).await,
        Ours::PutBack => we.put_back(model).await,
        Ours::Requeue(which, due) => we.requeue(model, which, *due).await,
        Ours::Deliver(which, drain) => we.deliver(model, which, *drain).await,
        Ours::Transfer(now, n, drain) => we.transfer(model, *now, *n, *drain).await,
        Ours::TakeBack(which, due) => we.take_back(model, which, *due).await,
        Ours::Discard(which) => we.discard(model, which).await,
        Ours::PutElementsBack => we.put_elements_back(model).await,
        Ours::Edit(which) => we.edit(model, which).await,
        Ours::SetAside => we.set_aside(model).await,
        Ours::BringBack(n) => we.bring_back(model, *n).await,
        Ours::Swap(pairs) => we.swap(model, pairs).await,
        Ours::Sweep(n, which) => we.sweep(model, *n, which, AwayPlace::Nowhere).await,
        Ours::PutBackAround(n) => we.put_back_around(model, *n, AwayPlace::Nowhere).await,
        Ours::EditAround(n, which) => we.edit_around(model, *n, which).await,
        Ours::Quarantine(which) => we.quarantine(model, which).await,
        Ours::Restore => we.restore(model).await,
        Ours::SweepAway(n, which) => we.sweep(model, *n, which, AwayPlace::Quarantined).await,
        Ours::RestoreAround(n) => we.put_back_around(model, *n, AwayPlace::Quarantined).await,
        Ours::Append => we.append(model).await,
        Ours::DropCopy(which) => we.drop_copy(model, *which).await,
    }
}
