//! Two of the real program change the same queue at once, each with a journal of its own: every
//! message is moved by one of them, each says which it moved, and each takes back its own.

use std::collections::BTreeSet;

use delayscope::queue::Queue;

use crate::kill::program::{Program, Said};
use crate::kill::run::all_told;
use crate::kill::scenario::{Lie, QUEUE};
use crate::kill::world::{World, moved};
use crate::support::{Server, Value, wait_for};

/// Slow enough for many turns, and not in step.
const PACES: [&str; 2] = ["2000/s", "3000/s"];
/// Chosen by both.
const PICKED: [&str; 2] = ["--grep", "pick"];

/// What two programs did to a queue.
struct Both {
    server: Server,
    programs: [Program; 2],
    /// What the first would do.
    plan: Said,
    said: [Said; 2],
    before: World,
    after: World,
}

impl Both {
    /// Each does what is typed for it: once both have planned and sent their first scripts, these
    /// are let through.
    fn at_once(lie: Lie, typed: [&[&str]; 2]) -> Self {
        let server = Server::start();
        lie.put(&server);
        let before = world(&server);
        let programs = [Program::new(&server), Program::new(&server)];
        let words = [0, 1].map(|i| [typed[i], &["--rate", PACES[i], "--yes"]].concat());
        let plan = programs[0].run(&[typed[0], &["--dry-run"]].concat(), "");
        server.cmd(&["CLIENT", "PAUSE", "60000", "WRITE"]);
        let begun = [0, 1].map(|i| programs[i].begin_straight(&words[i]));
        wait_for("two scripts", || scripts_that_wait(&server) == 2);
        server.cmd(&["CLIENT", "UNPAUSE"]);
        let mut begun = begun.into_iter();
        let said = [0, 1].map(|i| programs[i].end(&words[i], begun.next().unwrap()));
        let after = world(&server);
        Self {
            server,
            programs,
            plan,
            said,
            before,
            after,
        }
    }

    /// What both said, for failures.
    fn told(&self) -> String {
        format!("{}\n{}", self.said[0].told, self.said[1].told)
    }

    /// The order list is whole, no message is twice, and each entry that was planned has an outcome
    /// that is known.
    fn is_whole(&self) {
        let told = self.told();
        self.after
            .disorder()
            .unwrap_or_else(|e| panic!("{e}\n{told}"));
        assert!(self.after.aside.is_empty(), "{told}");
        assert!(self.after.doubled.is_empty(), "{told}");
        for said in &self.said {
            assert!(matches!(said.code, Some(0 | 1)), "{told}");
            // What others move again and again, a realignment cannot say to stand in its place.
            let known = said.summary()["change"] == "realign" || said.count("unknown") == 0;
            assert!(all_told(said) && known, "{told}");
        }
    }

    /// `moves` messages, planned by both, are elsewhere, each by one of the two, whose journals say
    /// by which; once both have taken back what they did, everything is where it was.
    fn shared(&self, moves: usize) {
        self.is_whole();
        let told = self.told();
        let elsewhere = moved(&self.before.places, &self.after.places);
        assert_eq!(elsewhere.len(), moves, "{told}");
        let [planned, done] =
            ["planned", "done"].map(|field| [0, 1].map(|i| self.said[i].count(field)));
        assert_eq!(planned, [moves as u64; 2], "{told}");
        assert_eq!(done[0] + done[1], moves as u64, "{told}");
        let journals = [0, 1].map(|i| self.journal(i));
        assert_eq!(journals.each_ref().map(|ids| ids.len() as u64), done);
        assert!(journals[0].is_disjoint(&journals[1]), "{told}");
        for (program, done) in self.programs.iter().zip(done) {
            if done > 0 {
                let undone = program.change(&["undo"]);
                assert_eq!((undone.count("done"), undone.code), (done, Some(0)));
            }
        }
        let undone = world(&self.server);
        assert!(undone.places == self.before.places, "{told}");
        undone.disorder().unwrap();
    }

    /// What one of them wrote down that it did.
    fn journal(&self, i: usize) -> BTreeSet<String> {
        let id = self.said[i].summary()["journal_id"].as_str().unwrap();
        let told = self.programs[i].run(&["journal", id], "");
        let done = told.lines.iter().filter(|line| line["outcome"] == "done");
        done.map(|line| line["id"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn world(server: &Server) -> World {
    World::of(server, &Queue::redisson(QUEUE))
}

fn scripts_that_wait(server: &Server) -> usize {
    let Value::BulkString(clients) = server.cmd(&["CLIENT", "LIST"]) else {
        panic!("CLIENT LIST is text")
    };
    let clients = String::from_utf8(clients).unwrap();
    let waits = |line: &&str| line.contains("flags=b") && line.contains("cmd=eval");
    clients.lines().filter(waits).count()
}

fn choosing(words: &[&'static str]) -> Vec<&'static str> {
    [&words[..1], &[QUEUE], &PICKED, &words[1..]].concat()
}

#[test]
fn two_transfers_share_what_is_due() {
    let lie = Lie::new(2_000, 1_500).due();
    Both::at_once(lie, [&["transfer", QUEUE]; 2]).shared(1_500);
}

#[test]
fn a_transfer_waits_for_another_one_that_has_the_order_list_aside() {
    let transfer: &[&str] = &["transfer", QUEUE];
    let both = Both::at_once(Lie::new(4_800, 1_000).due().shuffled(), [transfer; 2]);
    both.shared(1_000);
    assert_eq!(both.plan.summary()["way"], "order list set aside");
}

#[test]
fn two_deletions_share_what_is_chosen() {
    let delete = choosing(&["delete"]);
    // A sweep of the order list, and entry by entry.
    for picked in [900, 200] {
        let lie = Lie::new(2_000, picked).shuffled();
        let few = usize::try_from(picked).unwrap();
        Both::at_once(lie, [&delete; 2]).shared(few);
    }
}

#[test]
fn two_requeues_move_each_entry_once() {
    let requeue = choosing(&["requeue", "--by", "1h"]);
    Both::at_once(Lie::new(2_000, 1_500).shuffled(), [&requeue; 2]).shared(1_500);
}

#[test]
fn a_delivery_and_a_deletion_share_what_both_chose() {
    let typed = [choosing(&["deliver"]), choosing(&["delete"])];
    Both::at_once(Lie::new(2_000, 1_000).shuffled(), [&typed[0], &typed[1]]).shared(1_000);
}

#[test]
fn a_realignment_beside_a_transfer_or_another_one_loses_nothing() {
    let realign = ["repair", QUEUE, "--realign"];
    for other in [&["transfer", QUEUE][..], &realign] {
        let both = Both::at_once(Lie::new(2_000, 1_000).due().shuffled(), [&realign, other]);
        both.is_whole();
        let elsewhere = moved(&both.before.places, &both.after.places);
        let moves = if other == realign { 0 } else { 1_000 };
        assert_eq!(elsewhere.len(), moves, "{}", both.told());
    }
}
