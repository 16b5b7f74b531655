//! The scenarios with two Redisson generations: named, mended, and well again by themselves.

use std::time::Duration;

use delayscope::clock::instant;
use delayscope::ops::demo::{Demo, DemoEvent, DemoOptions, Scenario};
use delayscope::ops::doctor::{Examination, look};
use delayscope::ops::worker::{WorkerOptions, work};
use delayscope::queue::change::ChangeRequest;
use delayscope::queue::finding::{Diagnosis, Step};
use delayscope::queue::{Finding, Form, ServerWatch, Severity};
use delayscope::store::{Access, Store};
use futures_util::StreamExt as _;

use super::{Program, next, only, see, socket};
use crate::support::PATIENCE;

#[tokio::test(flavor = "multi_thread")]
async fn a_poison_entry_is_named_and_once_it_is_repacked_its_client_goes_on_by_itself() {
    let (demo, mut events) = play(Scenario::Poison).await;
    let found = named(&demo, "poison").await;
    assert_eq!(found.evidence.figures["due_before"], 2, "{found:?}");
    let step = Step::Change(ChangeRequest::Repack(Some(Form::ByteId)));
    assert_eq!(found.repair.step, step);
    // The two before it are delivered again and again, and nothing behind it is.
    let mut consumed = Vec::new();
    while consumed.len() < 5 {
        if let DemoEvent::Consumed { text, .. } = next(&mut events).await {
            consumed.push(text);
        }
    }
    let [one, other, rest @ ..] = &consumed[..] else {
        panic!("{consumed:?}")
    };
    assert_eq!(rest, [one, other, one].map(String::clone));
    mend(&demo, &["repair", "invoices", "--repack"]);
    see(&demo, "nothing late", |p| p.late.get() == Some(0)).await;
    loop {
        let event = next(&mut events).await;
        if matches!(event, DemoEvent::Consumed { text, .. } if !consumed.contains(&text)) {
            break;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mixed_fleet_is_named_and_is_well_once_a_stand_in_worker_has_worked_it_off() {
    let (demo, mut events) = play(Scenario::MixedFleet).await;
    let found = named(&demo, "mixed-fleet").await;
    assert_eq!(found.repair.step, Step::Worker);
    let store = Store::open(demo.endpoint().clone(), Access::ReadWrite);
    store.ready(PATIENCE).await.unwrap();
    let (writer, queue) = (store.writer().unwrap(), demo.queues()[0].clone());
    let stand_in = work(&store, writer, queue, WorkerOptions::default());
    let stand_in = tokio::spawn(stand_in.for_each(|_| std::future::ready(())));
    loop {
        let event = next(&mut events).await;
        if matches!(event, DemoEvent::Note { text, .. } if text.contains("replaced")) {
            break;
        }
    }
    let well = |said: &Diagnosis| {
        let asks = ["poison", "mixed-frames"];
        let asked = said.early.iter().any(|(id, _)| asks.contains(id));
        !asked && said.findings.iter().all(|f| f.severity < Severity::Warning)
    };
    examine(&demo, "what the old instance left to be worked off", well).await;
    stand_in.abort();
    let _ = stand_in.await;
    // The rest is served by one generation alone.
    examine(&demo, "the one client that is left", |said| {
        said.findings.is_empty()
    })
    .await;
    see(&demo, "nothing late", |p| {
        p.late.get() == Some(0) && p.transfer_clients.get() == Some(1)
    })
    .await;
}

async fn play(scenario: Scenario) -> (Demo, tokio::sync::broadcast::Receiver<DemoEvent>) {
    let options = DemoOptions {
        faster: 10,
        ..only(scenario)
    };
    let mut demo = Demo::start(options).await.unwrap();
    let events = demo.events();
    (demo, events)
}

/// Looks at the demo's only queue until this is the worst that is found.
async fn named(demo: &Demo, rule: &str) -> Finding {
    let first = |said: &Diagnosis| said.findings.first().is_some_and(|found| found.id == rule);
    let said = examine(demo, rule, first).await;
    said.findings.into_iter().next().unwrap()
}

/// Examines the demo's only queue until that is what is said.
async fn examine(demo: &Demo, what: &str, is_said: impl Fn(&Diagnosis) -> bool) -> Diagnosis {
    let store = Store::open(demo.endpoint().clone(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let mut server = ServerWatch::default();
    let mut queue = Examination::new(demo.queues()[0].clone());
    let end = instant() + PATIENCE;
    loop {
        let pressing = queue.presses_for_look();
        look(&store, &mut server, pressing).await.unwrap();
        let said = queue.round(&store, &server).await.unwrap();
        if is_said(&said) {
            return said;
        }
        assert!(instant() < end, "waited too long for {what}: {said:#?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What a finding's key does, by the program.
fn mend(demo: &Demo, arguments: &[&str]) {
    let state = tempfile::tempdir().unwrap();
    let socket = socket(demo.endpoint());
    let output = Program::command(&["-s", socket.to_str().unwrap()], None)
        .args(arguments)
        .arg("--yes")
        .env("XDG_STATE_HOME", state.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}
