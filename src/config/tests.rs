//! Tests of the configuration that file, environment and arguments make together.

use clap::Parser as _;

use super::*;
use crate::queue::Verify;
use crate::queue::via::Via;

fn config(line: &str, password: Option<&str>) -> Result<Config, ConfigError> {
    let password = password.map(|password| ("REDISCLI_AUTH", password));
    of(line, password.as_slice())
}

fn of(line: &str, env: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let words = std::iter::once("delayscope").chain(line.split_whitespace());
    let args = Args::try_parse_from(words).ok().unwrap();
    Config::new(&args, |name| {
        let set = env.iter().find(|(known, _)| *known == name);
        set.map(|(_, value)| (*value).to_owned())
    })
}

/// With a file of that text where the user's own is looked for.
fn with_file(text: &str, line: &str, env: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("delayscope");
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("config.toml"), text).unwrap();
    let xdg = ("XDG_CONFIG_HOME", home.path().to_str().unwrap());
    of(line, &[env, &[xdg]].concat())
}

const PROFILES: &str = r#"
interval = "2s"
theme = "dark"

[profiles.production]
url = "redis://watcher:@prod:7000/2"
password_command = "echo asked"
protected = true
label = "PRODUCTION"
label_colour = "bright-red"
queues = ["orders", "zset-list:delay,ready,ms"]
journal.keep_days = 90

[profiles.local]
url = "redis://:own@localhost"
read_only = true
"#;

fn endpoint(line: &str) -> Endpoint {
    config(line, None).unwrap().endpoint
}

#[test]
fn the_default_server_is_this_machine() {
    assert_eq!(endpoint("").to_string(), "127.0.0.1:6379/0");
    assert!(!config("", None).unwrap().endpoint_named);
    assert!(config("-p 1", None).unwrap().endpoint_named);
}

#[test]
fn flags_say_where_the_server_is() {
    assert_eq!(endpoint("-h db -p 7000 -n 3").to_string(), "db:7000/3");
    assert_eq!(endpoint("-s /run/r.sock").to_string(), "/run/r.sock db 0");
    assert_eq!(endpoint("redis://db:7000/2 -n 5").to_string(), "db:7000/5");
    assert_eq!(endpoint("queues -u redis://db").to_string(), "db:6379/0");
}

#[test]
fn a_flag_beats_the_url_and_the_url_beats_the_environment() {
    let password = |line| {
        config(line, Some("env"))
            .unwrap()
            .endpoint
            .password
            .unwrap()
    };
    assert_eq!(password("redis://:url@h -a flag"), "flag");
    assert_eq!(password("redis://:url@h"), "url");
    assert_eq!(password("redis://h"), "env");
    assert_eq!(endpoint("redis://u:p@h --user v").user.unwrap(), "v");
}

#[test]
fn two_servers_are_one_too_many() {
    let why = |line| config(line, None).unwrap_err();
    assert_eq!(why("redis://a -u redis://b"), ConfigError::TwoUrls);
    assert_eq!(why("redis://a -p 1"), ConfigError::UrlAnd("-p"));
    assert_eq!(
        why("queus"),
        ConfigError::NoCommand("no command \"queus\"; did you mean queues?".into())
    );
    assert_eq!(
        why("localhost"),
        ConfigError::NeitherCommandNorUrl("\"localhost\"".into())
    );
}

#[test]
fn the_demo_takes_the_flags_of_its_screen_before_and_after_its_name() {
    for line in ["--ascii demo --interval 2s", "demo --ascii --interval 2s"] {
        let screen = config(line, None).unwrap().screen;
        assert!(screen.ascii);
        assert_eq!(screen.interval, Duration::from_secs(2));
    }
}

#[test]
fn an_interval_has_bounds() {
    let screen = |line| config(line, None).map(|c| c.screen.interval);
    assert_eq!(screen(""), Ok(INTERVAL));
    assert_eq!(screen("--interval 250ms"), Ok(Duration::from_millis(250)));
    assert_eq!(screen("--interval 100ms"), Err(ConfigError::Interval(100)));
    assert_eq!(screen("--interval 2m"), Err(ConfigError::Interval(120_000)));
}

#[test]
fn arguments_beat_the_environment_and_the_environment_beats_the_file() {
    let screen = |line, env| with_file(PROFILES, line, env).unwrap().screen;
    let plain = screen("", &[]);
    assert_eq!(plain.interval, Duration::from_secs(2));
    assert_eq!(plain.theme, ThemeName::Dark);
    let typed = screen("--interval 5s --theme terminal", &[]);
    assert_eq!(typed.interval, Duration::from_secs(5));
    assert_eq!(typed.theme, ThemeName::Terminal);
    let profile = |line, env| {
        let text = format!("profile = \"local\"\n{PROFILES}");
        let profile = with_file(&text, line, env).unwrap().profile;
        profile.map(|profile| profile.name)
    };
    let env = [("DELAYSCOPE_PROFILE", "production")];
    assert_eq!(profile("", &[]).unwrap(), "local");
    assert_eq!(profile("", &env).unwrap(), "production");
    assert_eq!(profile("--profile local", &env).unwrap(), "local");
    assert_eq!(profile("-p 7000", &env), None);
    assert_eq!(profile("redis://h", &[]), None);
}

#[test]
fn the_locale_decides_on_ascii_where_nobody_else_does() {
    let ascii = |text, line| {
        with_file(text, line, &[("LANG", "C")])
            .unwrap()
            .screen
            .ascii
    };
    assert!(ascii("", ""));
    assert!(!ascii("ascii = false", ""));
    assert!(ascii("ascii = false", "--ascii"));
    assert!(with_file("ascii = true", "", &[]).unwrap().screen.ascii);
}

#[test]
fn a_profile_is_a_server_with_what_holds_there() {
    let config = with_file(PROFILES, "--profile production", &[]).unwrap();
    assert_eq!(config.endpoint.to_string(), "prod:7000/2");
    assert_eq!(config.endpoint.user.as_deref(), Some("watcher"));
    assert_eq!(config.endpoint.password.as_deref(), Some("asked"));
    assert_eq!(config.queues.len(), 2);
    assert_eq!(config.keep_days, 90);
    assert!(config.endpoint_named && !config.read_only);
    let profile = config.profile.unwrap();
    assert!(profile.protected);
    assert_eq!(profile.title(), "PRODUCTION");
    assert_eq!(profile.label_colour, Some(LabelColour::Own(9)));
    let local = with_file(PROFILES, "--profile local -n 4 --queue one", &[]).unwrap();
    assert_eq!(local.endpoint.to_string(), "localhost:6379/4");
    assert_eq!(local.queues.len(), 1);
    assert_eq!(local.keep_days, KEEP_DAYS);
    assert!(local.read_only);
    assert_eq!(local.profile.unwrap().title(), "profile local");
}

#[test]
fn a_line_for_a_shell_names_the_profile_and_what_was_typed_besides() {
    let line = "--profile production -n 4 --user me -a typed --map a:1=b:2 --cacert /ca.pem";
    let config = with_file(PROFILES, line, &[]).unwrap();
    let program = config.program();
    assert_eq!(
        program,
        "delayscope --profile production -n 4 --user me --askpass --tls --cacert /ca.pem --map \
         a:1=b:2"
    );
    let other = config.for_db(2).program();
    assert_eq!(other, program.replace(" -n 4", ""));
    let local = config.for_profile("local").unwrap().program();
    assert_eq!(local, "delayscope --profile local");
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("our.toml");
    std::fs::write(&file, PROFILES).unwrap();
    let file = file.display();
    let named = config_of(&format!("--config {file} --profile local"));
    let line = format!("delayscope --config {file} --profile local");
    assert_eq!(named.program(), line);
}

#[test]
fn another_server_is_reached_in_the_way_that_was_typed_and_as_nobody() {
    let line = "--proxy socks5://gate --map a=b --cacert /ca.pem --tls-verify ca --cert /c --key /k \
                --sni inner --node -n 4 --user me -a typed redis://first";
    let config = config_of(line);
    let there = |address| config.for_address(address).unwrap().endpoint;
    let second = there("second:7000");
    assert_eq!(second.to_string(), "second:7000/0");
    assert_eq!([&second.user, &second.password], [&None, &None]);
    let via = &second.via;
    assert_eq!((via.map.len(), via.alone), (1, false));
    assert!(via.proxy.is_some());
    let tls = second.tls.unwrap();
    assert_eq!((tls.verify, &tls.name), (Verify::Ca, &None));
    assert_eq!(tls.ca_file, Some("/ca.pem".into()));
    assert!(tls.identity.is_some());
    assert_eq!(there("rediss://second").tls, Some(tls));
    assert_eq!(there("redis://second").tls, None);
    assert!(there("redis://second").via.proxy.is_some());
    let socket = there("unix:///s");
    assert_eq!((socket.tls, socket.via), (None, Via::default()));
}

#[test]
fn a_way_that_a_profile_has_is_that_of_its_server_alone() {
    let text = "[profiles.p]\nurl = \"rediss://h\"\nproxy = \"socks5://gate\"";
    let config = with_file(text, "--profile p", &[]).unwrap();
    assert!(config.endpoint.via.proxy.is_some());
    let other = config.for_address("localhost").unwrap().endpoint;
    assert_eq!((other.tls, other.via), (None, Via::default()));
}

fn config_of(line: &str) -> Config {
    config(line, None).unwrap()
}

#[test]
fn a_password_for_one_server_is_not_sent_to_another() {
    let env = [("REDISCLI_AUTH", "env")];
    let password = |line| {
        let text = format!("{PROFILES}[profiles.open]\nurl = \"redis://open\"");
        with_file(&text, line, &env)
            .unwrap()
            .endpoint
            .password
            .unwrap()
    };
    assert_eq!(password("--profile production"), "asked");
    assert_eq!(password("--profile local"), "own");
    assert_eq!(password("--profile open"), "env");
    assert_eq!(password("--profile production -a flag"), "flag");
}

#[test]
fn a_password_command_is_run_only_for_a_server_that_is_gone_to() {
    let text = "[profiles.p]\nurl = \"redis://h\"\npassword_command = \"exit 3\"";
    let error = with_file(text, "--profile p", &[]).unwrap_err().to_string();
    let said = "the password_command of profile p, \"exit 3\", ended with exit status: 3";
    assert_eq!(error, said);
    for line in ["", "-p 7000", "--profile p -a x", "--profile p decode 00"] {
        assert!(with_file(text, line, &[]).is_ok(), "{line}");
    }
}

#[test]
fn a_demo_on_its_own_server_minds_no_profile_and_no_limit_of_the_file() {
    let text = format!("profile = \"local\"\nread_only = true\n{PROFILES}");
    let env = [("DELAYSCOPE_PROFILE", "production")];
    let demo = with_file(&text, "demo", &env).unwrap();
    assert!(demo.profile.is_none() && !demo.endpoint_named && !demo.read_only);
    assert!(demo.for_profile("production").unwrap().read_only);
    let there = with_file(&text, "demo --profile production", &env).unwrap();
    assert!(there.profile.unwrap().protected && there.endpoint_named && there.read_only);
    assert!(with_file(&text, "demo -p 7000", &[]).unwrap().read_only);
}

#[test]
fn a_switch_of_profile_leaves_behind_what_was_said_of_the_first_server() {
    let line = "--profile local -a typed -n 4 --queue one --ascii";
    let config = with_file(PROFILES, line, &[]).unwrap();
    let names: Vec<&str> = config.profiles().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["production", "local"]);
    let there = config.for_profile("production").unwrap();
    assert_eq!(there.endpoint.to_string(), "prod:7000/2");
    assert_eq!(there.endpoint.password.as_deref(), Some("asked"));
    assert_eq!(there.queues.len(), 2);
    assert!(!there.read_only && there.screen.ascii);
    assert!(there.profile.as_ref().unwrap().protected);
    let back = there.for_profile("local").unwrap();
    assert!(back.read_only && back.queues.is_empty());
    assert_eq!(back.for_db(3).endpoint.to_string(), "localhost:6379/3");
    let limited = with_file(PROFILES, "--read-only", &[]).unwrap();
    assert!(limited.for_profile("production").unwrap().read_only);
}

#[test]
fn an_unknown_profile_is_told_with_those_there_are() {
    let why = |text, line| with_file(text, line, &[]).unwrap_err().to_string();
    let error = why(PROFILES, "--profile prod");
    assert!(
        error.starts_with("there is no profile \"prod\": "),
        "{error}"
    );
    assert!(
        error.ends_with("config.toml has production and local."),
        "{error}"
    );
    let error = config("--profile prod", None).unwrap_err().to_string();
    assert_eq!(
        error,
        "there is no profile \"prod\": a configuration file has none."
    );
    let error = why(PROFILES, "--profile local -p 7000");
    assert_eq!(
        error,
        "two servers were given: a profile, and -p. Give one of them."
    );
}

#[test]
fn no_password_is_printed_with_a_configuration() {
    let config = with_file(PROFILES, "-a typed", &[("REDISCLI_AUTH", "given")]).unwrap();
    let there = config.for_profile("production").unwrap();
    let printed = format!("{config:?} {there:?}");
    for password in ["own", "asked", "typed", "given"] {
        let quoted = [format!("\"{password}\""), format!(":{password}@")];
        assert!(quoted.iter().all(|q| !printed.contains(q)), "{printed}");
    }
}

// --- The example ----------------------------------------------------------------------------------

const EXAMPLE: &str = include_str!("../../assets/config.toml");

/// The example with its options in force.
fn uncommented() -> String {
    let line = |line: &'static str| match line.strip_prefix('#') {
        Some(option) if !option.is_empty() && !option.starts_with(' ') => option,
        _ => line,
    };
    EXAMPLE.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_example_changes_nothing_as_it_stands() {
    let shown = |config: Config| {
        let elsewhere = CommonSettings {
            path: None,
            ..config.elsewhere
        };
        format!(
            "{:?}",
            Config {
                elsewhere,
                ..config
            }
        )
    };
    let example = with_file(EXAMPLE, "", &[]).unwrap();
    assert_eq!(shown(example), shown(config("", None).unwrap()));
}

#[test]
fn the_example_shows_every_option_with_its_default() {
    let text = uncommented();
    let example = with_file(&text, "demo", &[]).unwrap();
    let default = config("", None).unwrap();
    assert_eq!(example.screen, default.screen);
    assert_eq!(example.keep_days, default.keep_days);
    assert_eq!(example.read_only, default.read_only);
    let local = example.for_profile("local").unwrap();
    let there = Endpoint {
        profile: None,
        ..local.endpoint
    };
    assert_eq!(there, default.endpoint);
    assert_eq!(local.read_only, default.read_only);
    assert!(!local.profile.unwrap().protected);
    let options = file::KEYS.iter().chain(profile::KEYS);
    for option in options.filter(|option| **option != "keys") {
        let stands = text.lines().any(|line| {
            line.starts_with(&format!("{option} = "))
                || line.starts_with(&format!("[{option}"))
                || line.starts_with(&format!("{option}."))
        });
        assert!(stands, "the example lacks {option}");
    }
}

#[test]
fn a_profile_of_sentinels_asks_for_both_passwords_and_another_server_gets_none_of_them() {
    let text = r#"
[profiles.staging]
url = "redis-sentinel://s1,s2/0?sentinelMasterId=mymaster"
password_command = "echo one"
sentinel_user = "watcher"
sentinel_password_command = "echo two"
"#;
    let config = with_file(text, "--profile staging", &[]).unwrap();
    let Address::Sentinel(sentinels) = &config.endpoint.address else {
        panic!("{:?}", config.endpoint)
    };
    assert_eq!(config.endpoint.password.as_deref(), Some("one"));
    assert_eq!(sentinels.user.as_deref(), Some("watcher"));
    assert_eq!(sentinels.password.as_deref(), Some("two"));
    let env = [("DELAYSCOPE_SENTINEL_AUTH", "usual")];
    let there = of("redis://h", &env).unwrap();
    let led = there.for_address("redis-sentinel://s1/0").unwrap();
    let Address::Sentinel(sentinels) = led.endpoint.address else {
        panic!("an address of sentinels")
    };
    assert_eq!(sentinels.password.as_deref(), Some("usual"));
    assert_eq!(there.endpoint.password, None);
    assert!(check_address("redis-sentinel://s1?sentinel_password=x").is_err());
    let alone = "[profiles.x]\nurl = \"redis://h\"\nsentinel_password_command = \"echo x\"";
    let why = with_file(alone, "--profile x", &[]).unwrap_err();
    assert!(why.to_string().contains("no sentinels"), "{why}");
}
