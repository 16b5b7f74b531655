//! What the screen calls a server, and where a switch leads to.

use clap::Parser as _;
use delayscope::args::Args;
use delayscope::config::Config;
use delayscope::queue::{Address, Endpoint, Sentinels};
use delayscope::tui::server::Switch;
use delayscope::tui::server::run::ScreenSession;

fn config(address: Address) -> Config {
    let args = Args::try_parse_from(["delayscope"]).ok().unwrap();
    let mut config = Config::new(&args, |_| None).unwrap();
    config.endpoint = Endpoint {
        address,
        db: 3,
        user: None,
        password: None,
        tls: None,
        via: delayscope::queue::via::Via::default(),
        profile: None,
    };
    config
}

fn at(address: Address) -> ScreenSession {
    ScreenSession::new(config(address), None)
}

#[test]
fn the_db_of_a_socket_is_no_part_of_its_path() {
    let socket = at(Address::Unix("/run/redis.sock".into()));
    assert_eq!(socket.site().endpoint, "/run/redis.sock db 3");
    let host = at(Address::Tcp("prod-1".to_owned(), 6379));
    assert_eq!(host.site().endpoint, "prod-1:6379/3");
}

#[test]
fn a_master_that_sentinels_watch_is_called_by_its_name_there() {
    let of = |name: Option<&str>| {
        at(Address::Sentinel(Sentinels {
            places: vec![("s1".to_owned(), 26379), ("s2".to_owned(), 26379)],
            name: name.map(str::to_owned),
            user: None,
            password: None,
        }))
    };
    assert_eq!(of(Some("mymaster")).site().endpoint, "mymaster/3");
    let unnamed = of(None).site().endpoint;
    assert_eq!(unnamed, "sentinel s1:26379,s2:26379/3");
}

#[test]
fn a_server_with_a_name_of_its_own_keeps_it_in_another_database() {
    let demo = ScreenSession::new(config(Address::Unix("/tmp/x.sock".into())), Some("demo"));
    let there = demo.clone().elsewhere(&Switch::Db(1)).unwrap();
    assert_eq!(there.site().endpoint, "demo db 1");
    let back = there.elsewhere(&Switch::Db(3)).unwrap();
    assert_eq!(back.site().endpoint, "demo");
}

#[test]
fn a_profile_that_there_is_not_is_said_to_be_none() {
    let session = at(Address::Tcp("prod-1".to_owned(), 6379));
    let why = session.elsewhere(&Switch::Profile("x".to_owned()));
    assert!(why.is_err_and(|why| why.contains('x')));
}
