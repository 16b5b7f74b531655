//! The commands by name, another server, and the messages that come of it.

use delayscope::queue::{Layout, LinkState, Queue, Zoom};
use delayscope::tui::effect::Effect;
use delayscope::tui::hitmap::Target;
use delayscope::tui::keys::{Action, BINDINGS, Code};
use delayscope::tui::look::{Background, Depth};
use delayscope::tui::model::{Pane, Screen};
use delayscope::tui::msg::Msg;
use delayscope::tui::prompt::{Choice, PromptKind};
use delayscope::tui::queues;
use delayscope::tui::server::Switch;
use delayscope::tui::server::{self, Site};
use delayscope::tui::toast::Tone;

use crate::desk::{Desk, World, cell_of};

fn two() -> Desk {
    Desk::of(vec![
        World::new("alpha", 30, 60_000, 1000),
        World::new("beta", 30, 60_000, 1000),
    ])
}

impl Desk {
    /// Types a command and enters it.
    fn command(&mut self, line: &str) -> Vec<Effect> {
        self.char(':');
        self.type_text(line);
        self.press(Code::Enter)
    }

    fn choices(&self) -> &[Choice] {
        &self.model.prompt.as_ref().unwrap().choices
    }

    fn chosen(&self) -> Option<&str> {
        let prompt = self.model.prompt.as_ref()?;
        Some(prompt.choices[prompt.chosen?].line.as_str())
    }

    fn toast(&self) -> &str {
        self.model.toast.as_ref().map_or("", |toast| &toast.text)
    }
}

#[test]
fn every_action_that_has_a_name_to_call_is_in_the_palette_once() {
    let mut desk = two();
    desk.char(':');
    let lines: Vec<&str> = desk.choices().iter().map(|c| c.line.as_str()).collect();
    for binding in BINDINGS {
        let moves = matches!(
            binding.action,
            Action::Up
                | Action::Down
                | Action::PageUp
                | Action::PageDown
                | Action::BarLeft
                | Action::BarRight
                | Action::Back
                | Action::Palette
                | Action::Confirm
                | Action::Refuse
                | Action::Submit
                | Action::Editor
                | Action::QuitNow
                | Action::Jump
        );
        let count = lines.iter().filter(|line| **line == binding.name).count();
        assert!(
            moves || count == 1,
            "{} stands there {count} times",
            binding.name
        );
    }
    assert!(desk.chosen().is_none());
}

#[test]
fn the_best_fit_is_chosen_and_enter_does_it() {
    let mut desk = two();
    desk.char(':');
    desk.type_text("zin");
    assert_eq!(desk.chosen(), Some("zoom-in"));
    desk.press(Code::Enter);
    assert_eq!(desk.model.timeline.zoom, Zoom::Minute);
    assert!(desk.model.prompt.is_none());
}

#[test]
fn arrows_choose_tab_completes_and_a_command_waits_for_its_word() {
    let mut desk = two();
    desk.char(':');
    desk.type_text("zoom");
    desk.press(Code::Down);
    assert_eq!(desk.chosen(), Some("zoom-in"));
    desk.press(Code::Up);
    desk.press(Code::Tab);
    assert_eq!(desk.line(), "zoom ");
    desk.type_text("6h");
    desk.press(Code::Tab);
    assert_eq!(desk.line(), "zoom 6h");
    desk.press(Code::Enter);
    assert_eq!(desk.model.timeline.zoom, Zoom::SixHours);

    desk.char(':');
    desk.type_text("queu");
    desk.press(Code::Enter);
    assert_eq!(desk.line(), "queue ");
}

#[test]
fn a_command_for_whose_word_there_is_nothing_to_offer_says_what_it_waits_for() {
    let mut desk = Desk::of(Vec::new());
    desk.char(':');
    desk.type_text("server");
    desk.press(Code::Enter);
    assert_eq!(desk.line(), "server ");
    let [choice] = desk.choices() else {
        panic!("{:?}", desk.choices())
    };
    let why = choice.disabled.as_deref();
    assert_eq!(
        (choice.line.as_str(), why),
        ("server", Some("type HOST:PORT/DB behind it"))
    );
    // The same with Enter.
    assert!(desk.press(Code::Enter).is_empty());
    assert_eq!(desk.line(), "server ");
}

#[test]
fn what_cannot_act_says_why_and_stays() {
    let mut desk = two();
    desk.char(':');
    desk.type_text("mark");
    let why = desk.choices()[0].disabled.clone().unwrap();
    assert!(why.contains("waiting entries"), "{why}");
    desk.press(Code::Enter);
    assert!(desk.toast().contains(&why));
    assert!(desk.model.prompt.is_some());
}

#[test]
fn a_known_queue_is_opened_by_a_part_of_its_name() {
    let mut desk = two();
    desk.command("queue bet");
    assert_eq!(
        desk.model.selected().unwrap().queue,
        Queue::redisson("beta")
    );
    assert!(matches!(desk.model.screen, Screen::Queue));
    assert_eq!(desk.model.focus, Pane::Entries);
    desk.command("queues");
    assert!(matches!(desk.model.screen, Screen::Dashboard));
}

#[test]
fn an_unknown_queue_is_looked_at_all_the_same() {
    let mut desk = two();
    for (typed, queue) in [
        ("queue not there", Queue::redisson("not there")),
        ("queue it's \"so\"", Queue::redisson("it's \"so\"")),
        ("queue \" a\\xff\"", Queue::redisson(b" a\xff".to_vec())),
    ] {
        let empty = World::new("", 0, 0, 0);
        desk.world.push(World {
            queue: queue.clone(),
            ..empty
        });
        desk.command(typed);
        assert_eq!(desk.model.selected().unwrap().queue, queue, "{typed}");
        assert!(desk.toast().contains("was not found"), "{}", desk.toast());
    }
    desk.command("queue zset-list:delay_queue,ready_queue,ms");
    let plain = &desk.model.selected().unwrap().queue;
    assert!(matches!(plain.layout, Layout::ZsetList(_)));
    let rows = desk.model.queues.len();
    desk.command("queue delay_queue");
    assert_eq!(desk.model.queues.len(), rows, "known by its name alone");
}

#[test]
fn a_name_of_which_there_is_nothing_leaves_the_list_with_its_screen() {
    let mut desk = two();
    let open = |desk: &mut Desk, clients| {
        let queue = Queue::redisson("ordres");
        desk.world.retain(|world| world.queue != queue);
        desk.world.push(World {
            clients,
            ..World::of(queue)
        });
        desk.command("queue ordres");
        desk.live(3_000, 1);
        desk.press(Code::Esc);
        assert!(matches!(desk.model.screen, Screen::Dashboard));
        desk.model.queues.len()
    };
    assert_eq!(open(&mut desk, 0), 2);
    assert_eq!(
        desk.toast(),
        "there is nothing of ordres: it is off the list"
    );
    // Typed again it is looked at again; who is listened for is a queue.
    assert_eq!(open(&mut desk, 1), 3);
}

#[test]
fn a_word_that_makes_no_sense_is_told_in_the_line() {
    let mut desk = two();
    for (line, why) in [
        ("db x", "number"),
        ("interval 5", "unit"),
        ("interval 1ms", "out of bounds"),
        ("zoom 5h", "none of 60s"),
        ("nonsense", "no command"),
        ("theme pink", "no theme"),
        ("queue \"a", "quote"),
    ] {
        desk.command(line);
        let prompt = desk.model.prompt.as_ref();
        let told = prompt.and_then(|p| p.error.clone()).unwrap_or_default();
        let told = format!("{told} {}", desk.toast());
        assert!(told.contains(why), "{line}: {told}");
        desk.press(Code::Esc);
    }
}

#[test]
fn the_interval_and_the_theme_change_at_once() {
    let mut desk = two();
    desk.command("interval 500ms");
    assert_eq!(desk.model.interval_ms, 500);
    assert_eq!(desk.toast(), "refreshed every 0.5 s");
    desk.command("theme dark");
    assert_eq!(
        desk.model.look.background, None,
        "the terminal has no such colours"
    );
    desk.press(Code::Esc);
    desk.model.look.depth = Depth::True;
    desk.command("theme dark");
    assert_eq!(desk.model.look.background, Some(Background::Dark));
    desk.command("theme terminal");
    assert_eq!(desk.model.look.background, None);
}

#[test]
fn a_filter_and_a_time_are_entered_as_in_their_own_lines() {
    let mut desk = two();
    desk.command("filter late");
    let filter = desk.model.filtered.as_ref().unwrap();
    assert_eq!(filter.filter.text(), "late");
    desk.command("goto nonsense");
    assert!(desk.model.prompt.as_ref().unwrap().error.is_some());
    desk.press(Code::Esc);
    desk.command("goto");
    assert_eq!(desk.model.prompt.as_ref().unwrap().kind, PromptKind::Jump);
}

#[test]
fn quit_is_quit_by_any_name() {
    for line in ["q", "quit", "q!", ":q"] {
        assert!(two().command(line).contains(&Effect::Quit), "{line}");
    }
}

#[test]
fn an_empty_line_walks_the_history_and_does_nothing() {
    let mut desk = two();
    desk.command("zoom 1h");
    desk.command("db x");
    desk.press(Code::Esc);
    desk.char(':');
    desk.press(Code::Up);
    assert_eq!(desk.line(), "zoom 1h");
    assert_eq!(desk.chosen(), None, "it is entered as it stands");
    desk.press(Code::Down);
    assert_eq!(desk.line(), "");
    assert_eq!(desk.press(Code::Enter), []);
    assert!(desk.model.prompt.is_none());
}

#[test]
fn a_click_on_a_choice_does_it_and_one_beside_the_box_closes_it() {
    let mut desk = two();
    desk.char(':');
    desk.type_text("zoom-in");
    let (x, y) = cell_of(&desk.model, Target::Choice(0)).unwrap();
    desk.tell(Msg::Clicked(x + 3, y));
    assert_eq!(desk.model.timeline.zoom, Zoom::Minute);
    desk.char(':');
    desk.tell(Msg::Clicked(0, 0));
    assert!(desk.model.prompt.is_none());
}

/// The way that was asked for, found.
fn site(asked: &[Effect], db: i64) -> Msg {
    let site = Site {
        endpoint: format!("server/{db}"),
        db,
        ..Site::default()
    };
    Msg::Server(server::Msg::WayFound(asked_way(asked).0, Box::new(site)))
}

/// The way that was asked for, and its generation.
fn asked_way(asked: &[Effect]) -> (u64, Switch) {
    let way = asked.iter().find_map(|effect| match effect {
        Effect::Server(server::Effect::FindWay { generation, to }) => {
            Some((*generation, to.clone()))
        }
        _ => None,
    });
    way.unwrap()
}

/// Another database is wanted, and there is no way there.
fn bad_news(desk: &mut Desk, why: &str) {
    let asked = desk.command("db 3");
    desk.tell(Msg::Server(server::Msg::NoWay(
        asked_way(&asked).0,
        why.to_owned(),
    )));
}

#[test]
fn another_database_begins_anew_but_keeps_what_is_the_users_own() {
    let mut desk = two();
    desk.command("zoom 6h");
    desk.command("interval 5s");
    let asked = desk.command("db 3");
    assert_eq!(asked_way(&asked).1, Switch::Db(3));
    assert_eq!(
        desk.model.queues.len(),
        2,
        "until the way is known nothing changes"
    );
    let generation = desk.open.len();
    assert_eq!(
        desk.tell(site(&asked, 3)),
        [Effect::Server(server::Effect::Go)]
    );
    assert!(desk.model.queues.is_empty());
    assert_eq!(
        (desk.model.site.endpoint.as_str(), desk.model.site.db),
        ("server/3", 3)
    );
    assert_eq!(
        (desk.model.timeline.zoom, desk.model.interval_ms),
        (Zoom::SixHours, 5000)
    );
    assert!(desk.open.len() > generation);
    desk.command("db 3");
    let why = desk.toast();
    assert!(why.contains("is shown"), "{why}");
    // The first queue there does not get a zoom of its own.
    desk.tell(Msg::Server(server::Msg::Arrived));
    desk.tell(Msg::Queues(queues::Msg::Found(Queue::redisson("new"))));
    desk.link(LinkState::Live);
    desk.live(3_000, 5);
    assert!(desk.model.queues[0].survey.is_some());
    assert_eq!(desk.model.timeline.zoom, Zoom::SixHours);
}

#[test]
fn what_the_old_server_still_says_is_not_of_the_new_one() {
    let mut desk = two();
    let asked = desk.command("db 3");
    desk.tell(site(&asked, 3));
    desk.tell(Msg::Queues(queues::Msg::Found(Queue::redisson("old"))));
    desk.link(LinkState::Live);
    assert!(desk.model.queues.is_empty());
    assert!(matches!(desk.model.link.state, LinkState::Connecting));
    desk.tell(Msg::Server(server::Msg::Arrived));
    desk.tell(Msg::Queues(queues::Msg::Found(Queue::redisson("new"))));
    assert_eq!(desk.model.queues.len(), 1);
    assert!(
        desk.link(LinkState::Live)
            .contains(&Effect::Queues(queues::Effect::Discover))
    );
}

#[test]
fn of_two_ways_that_were_asked_for_only_the_last_one_is_gone() {
    let mut desk = two();
    let slow = desk.command("db 3");
    let wanted = desk.command("db 4");
    assert_eq!(desk.tell(site(&slow, 3)), []);
    desk.tell(Msg::Server(server::Msg::NoWay(
        asked_way(&slow).0,
        "too late".to_owned(),
    )));
    assert_ne!(desk.toast(), "too late");
    assert_eq!(
        desk.tell(site(&wanted, 4)),
        [Effect::Server(server::Effect::Go)]
    );
    assert_eq!(desk.model.site.db, 4);
}

#[test]
fn a_way_that_is_not_found_is_told_and_nothing_else_happens() {
    let mut desk = two();
    desk.model.site.profiles = vec!["prod".to_owned()];
    let asked = desk.command("profile pro");
    let prod = Switch::Profile("prod".to_owned());
    let (generation, to) = asked_way(&asked);
    assert_eq!(to, prod);
    let why = "its password_command failed".to_owned();
    desk.tell(Msg::Server(server::Msg::NoWay(generation, why)));
    assert_eq!(desk.model.toast.as_ref().unwrap().tone, Tone::Error);
    assert_eq!(desk.model.queues.len(), 2);
}

#[test]
fn bad_news_is_not_wiped_away_by_the_next_message() {
    let mut desk = two();
    bad_news(&mut desk, "one");
    desk.char(',');
    assert_eq!(desk.toast(), "one");
    desk.pass(2_100);
    assert!(desk.toast().starts_with("refreshed"), "{}", desk.toast());
    desk.char(',');
    desk.pass(2_100);
    assert_eq!(desk.model.toast, None);
}

#[test]
fn a_message_goes_after_two_seconds_or_with_the_next_key() {
    let mut desk = two();
    desk.char(',');
    assert!(desk.toast().starts_with("refreshed"), "{}", desk.toast());
    desk.char('j');
    assert_eq!(desk.model.toast, None);
    desk.char(',');
    desk.pass(1_900);
    assert!(desk.model.toast.is_some());
    desk.pass(200);
    assert_eq!(desk.model.toast, None);
}

#[test]
fn a_long_message_stays_longer() {
    let mut desk = two();
    bad_news(&mut desk, &"word ".repeat(20));
    desk.pass(6_000);
    assert!(desk.model.toast.is_some());
    desk.pass(2_100);
    assert!(desk.model.toast.is_none());
}

#[test]
fn a_queue_is_found_without_the_word_for_it() {
    let mut desk = Desk::of(vec![
        World::new("shop:eu:payments", 3, 60_000, 1000),
        World::new("shop:eu:orders", 3, 60_000, 1000),
    ]);
    desk.char(':');
    desk.type_text("payment");
    assert_eq!(desk.chosen(), Some("queue shop:eu:payments"));
    desk.press(Code::Enter);
    assert!(matches!(desk.model.screen, Screen::Queue));
    let name = desk.model.selected().unwrap().queue.name.to_string();
    assert_eq!(name, "shop:eu:payments");
}

#[test]
fn a_queue_is_found_by_its_other_name_as_a_finding_advises() {
    for line in ["{alpha}", "queue {alpha}"] {
        let mut desk = two();
        desk.command(line);
        let opened = &desk.model.selected().unwrap().queue;
        assert_eq!(opened.name.to_string(), "{alpha}", "{line}");
        assert!(matches!(desk.model.screen, Screen::Queue), "{line}");
    }
    let mut desk = two();
    desk.char(':');
    desk.type_text("{gamma}");
    assert_eq!(desk.choices(), []);
}

#[test]
fn commands_stand_before_the_queues_that_are_called_like_them() {
    let mut desk = Desk::of(vec![World::new("zoom:jobs", 3, 60_000, 1000)]);
    desk.char(':');
    desk.type_text("zoom");
    assert_eq!(desk.chosen(), Some("zoom"));
    let last = desk.choices().last().map(|choice| choice.line.as_str());
    assert_eq!(last, Some("queue zoom:jobs"));
}

#[test]
fn the_whole_name_of_a_queue_stands_before_a_command_that_only_begins_so() {
    let names = ["trans", "trans:other", "quit"].map(|name| World::new(name, 3, 60_000, 1000));
    let mut desk = Desk::of(names.to_vec());
    desk.char(':');
    desk.type_text("trans");
    assert_eq!(desk.chosen(), Some("queue trans"));
    desk.press(Code::Esc);
    desk.char(':');
    desk.type_text("quit");
    assert_eq!(desk.chosen(), Some("quit"));
}

#[test]
fn a_slash_finds_a_queue_wherever_there_is_no_entry_to_be_filtered() {
    for tab in "4568".chars() {
        let mut desk = Desk::of(vec![
            World::new("orders", 3, 60_000, 1_000),
            World::new("shipping", 3, 60_000, 1_000),
        ]);
        desk.char(tab);
        desk.type_in("/ship");
        desk.press(Code::Enter);
        assert_eq!(
            desk.model.selected().unwrap().queue.name.text(),
            "shipping",
            "{tab}"
        );
        assert!(
            desk.model.overlay.is_none() && desk.model.prompt.is_none(),
            "{tab}"
        );
    }
}
