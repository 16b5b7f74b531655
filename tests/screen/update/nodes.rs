//! The tab of the nodes.

use std::sync::Arc;

use delayscope::queue::look::Info;
use delayscope::queue::{Known, LinkState, ServerLook};
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::Code;
use delayscope::tui::msg::Msg;
use delayscope::tui::nodes;
use delayscope::tui::refresh;
use delayscope::tui::tabs::Tab;

use crate::desk::{Desk, World, text_of};

/// A desk whose last look at the server told of two replicas, one of them being copied to.
pub(super) fn desk() -> Desk {
    at("server/0")
}

/// The same of a server that is reached there.
fn at(endpoint: &str) -> Desk {
    let world = World::new("orders", 5, 60_000, 1_000);
    let mut desk = Desk::waiting_for_server(vec![world]);
    endpoint.clone_into(&mut desk.model.site.endpoint);
    let mut asked = desk.link(LinkState::Live);
    asked.extend(desk.live(3_000, 1));
    let mut info = Info::default();
    info.read(
        "role:master\r\nmaster_repl_offset:5000\r\n\
         slave0:ip=10.0.0.2,port=6379,state=online,offset=5000,lag=0\r\n\
         slave1:ip=10.0.0.3,port=6379,state=send_bulk,offset=0,lag=9\r\n",
    );
    let look = ServerLook {
        at: desk.now(),
        info: Known::Is(Arc::new(info)),
        clients: Known::None,
        scripts: Known::None,
        server_us: 40,
        nodes: Vec::new(),
        views: Vec::new(),
        sentinels: Vec::new(),
    };
    let generation = asked.iter().find_map(|effect| match effect {
        Effect::Refresh(refresh::Effect::LookAtServer { generation, .. }) => Some(*generation),
        _ => None,
    });
    desk.tell(Msg::Refresh(refresh::Msg::ServerLooked {
        generation: generation.unwrap(),
        result: Ok(look),
    }));
    desk
}

#[test]
fn the_servers_behind_the_address_stand_in_a_tab_with_how_many_are_well() {
    for (size, badge) in [((80, 24), "2/3"), ((120, 40), "2/3"), ((200, 60), "2 of 3")] {
        let mut desk = desk();
        desk.model.size = size;
        desk.char('8');
        assert_eq!(desk.model.tab, Tab::Nodes);
        let picture = text_of(&desk.model);
        assert!(picture.contains(&format!("8 nodes {badge}")), "{picture}");
        let line = |address: &str| {
            let line = picture.lines().find(|line| line.contains(address));
            line.unwrap_or_else(|| panic!("{picture}")).to_owned()
        };
        assert!(line("server  ").contains("master"), "{picture}");
        assert!(line("10.0.0.2:6379").contains("replica  ok"), "{picture}");
        assert!(line("10.0.0.3:6379").contains("copying"), "{picture}");
        desk.press(Code::Down);
        assert_eq!(desk.model.stand().cursor, 1);
    }
}

#[test]
fn of_a_single_server_the_tab_says_nothing_where_there_is_no_room() {
    let mut desk = Desk::of_one(5);
    desk.model.size = (80, 24);
    assert_eq!(nodes::badge(&desk.model), (String::new(), false));
    let picture = text_of(&desk.model);
    assert!(!picture.contains("│8"), "{picture}");
    desk.char('8');
    let picture = text_of(&desk.model);
    assert!(picture.contains("is not known yet"), "{picture}");
}

#[test]
fn a_server_is_called_by_its_address_without_the_database() {
    for (endpoint, address) in [
        ("/run/redis.sock db 0", "/run/redis.sock"),
        ("10.0.0.1:6379/3", "10.0.0.1:6379"),
        ("demo", "demo"),
    ] {
        assert_eq!(at(endpoint).model.nodes[0].address, address);
    }
}
