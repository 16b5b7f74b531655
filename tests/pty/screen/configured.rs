//! What a configuration file and the environment change on the screen.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use super::{ended, open_with, server, with_data};
use crate::support::{PATIENCE, Server};
use crate::terminal::Terminal;
use crate::{PROGRAM, SIZE};

/// A configuration file with a profile `here` for this server, and those lines above it.
fn file_for(server: &Server, lines: &str, profile: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let text = format!(
        "{lines}\n[profiles.here]\nurl = \"{}\"\n{profile}\n",
        server.url()
    );
    std::fs::write(file.path(), text).unwrap();
    file
}

fn open_profile(file: &tempfile::NamedTempFile, env: &[(&str, &str)]) -> Terminal {
    let path = file.path().to_str().unwrap();
    let args = [PROGRAM, "--config", path, "--profile", "here"];
    Terminal::start(&args, SIZE, env)
}

#[test]
fn a_profile_names_itself_and_its_keys_act() {
    let server = server(20);
    let label = "label = \"PRODUCTION\"\nlabel_colour = \"bright-red\"\nread_only = true";
    let keys = "keys.quit = \"F10\"\nkeys.freeze = \"F\"\nkeys.help = \"F1\"";
    let file = file_for(&server, keys, label);
    let mut terminal = open_profile(&file, &[]);
    with_data(&terminal);
    terminal.wait_text("READ-ONLY   PRODUCTION");
    terminal.wait_text("F1 help");
    // What changes nothing has the room of what would.
    terminal.wait_text("F freeze");
    let text = terminal.shown().text();
    for change in [
        "o offer",
        "p transfer now",
        "x delete",
        "w worker",
        "R repair",
    ] {
        assert!(!text.contains(change), "{change} in\n{text}");
    }
    terminal.send(b"qF");
    terminal.wait_text("FROZEN");
    // F10, as xterm sends it.
    terminal.send(b"\x1b[21~");
    ended(&mut terminal, 0);
}

#[test]
fn a_theme_has_24_bit_colours_only_where_the_terminal_has_them() {
    let server = server(20);
    let file = file_for(&server, "theme = \"dark\"", "");
    for (env, colours) in [(&[][..], false), (&[("COLORTERM", "truecolor")], true)] {
        let terminal = open_profile(&file, env);
        with_data(&terminal);
        let shown = terminal.shown();
        let has = |code: &[u8]| shown.bytes.windows(code.len()).any(|w| w == code);
        assert_eq!(has(b"38;2;"), colours, "{env:?}");
    }
}

#[test]
fn the_terminal_is_asked_for_its_background_and_what_it_answers_is_no_key() {
    /// The accent of the light theme among the 256 colours.
    const ACCENT: &[u8] = b"38;5;24";
    let has = |terminal: &Terminal, code: &[u8]| {
        let bytes = &terminal.shown().bytes;
        bytes.windows(code.len()).any(|found| found == code)
    };
    let server = server(20);
    let mut terminal = open_with(&server, &[]);
    terminal.wait("a question", PATIENCE, |s| {
        s.bytes.windows(7).any(|found| found == b"\x1b]11;?\x1b")
    });
    terminal.send(b"\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\");
    terminal.wait("the light theme", PATIENCE, |s| {
        s.bytes.windows(ACCENT.len()).any(|found| found == ACCENT)
    });
    with_data(&terminal);
    // Once more, and broken: a q in it would leave.
    terminal.send(b"\x1b]11;q\x07\x1b]11;rgb:qqqq");
    terminal.send(b"\x03");
    ended(&mut terminal, 0);
    let light = open_with(&server, &[("COLORFGBG", "0;15")]);
    with_data(&light);
    assert!(has(&light, ACCENT), "COLORFGBG tells it too");
    let dark = open_with(&server, &[]);
    with_data(&dark);
    assert!(!has(&dark, ACCENT));
}

#[test]
fn a_locale_that_is_not_utf_8_gets_ascii() {
    let server = server(20);
    let terminal = open_with(&server, &[("LC_ALL", "C")]);
    with_data(&terminal);
    assert!(terminal.shown().text().is_ascii());
    drop(terminal);
    let file = file_for(&server, "ascii = false", "");
    let terminal = open_profile(&file, &[("LC_ALL", "C")]);
    with_data(&terminal);
    assert!(!terminal.shown().text().is_ascii());
}

#[test]
fn another_profile_is_another_server_with_its_own_limits_and_the_first_one_is_there_again() {
    let (here, there) = (server(20), Server::start());
    let bills = delayscope::queue::Queue::redisson("bills");
    there.fill(&bills, 33, there.now().plus(3_600_000), 10);
    let profile = format!(
        "label = \"HERE\"\n[profiles.there]\nurl = \"{}\"\nlabel = \"THERE\"\nread_only = true",
        there.url()
    );
    let file = file_for(&here, "", &profile);
    let mut terminal = open_profile(&file, &[]);
    with_data(&terminal);
    terminal.wait_text("HERE");
    terminal.send(b":profile there\r");
    terminal.wait("the other server", PATIENCE, |s| {
        let text = s.text();
        text.contains("READ-ONLY   THERE") && text.contains("of 33") && !text.contains("of 20")
    });
    terminal.send(b":profile here\r");
    terminal.wait("the first one", PATIENCE, |s| {
        let text = s.text();
        text.contains("of 20") && !text.contains("THERE") && !text.contains("READ-ONLY")
    });
    terminal.send(b":profile nowhere\r");
    terminal.wait_text("nowhere");
    terminal.send(b"\x03");
    ended(&mut terminal, 0);
}

#[test]
fn the_bell_rings_for_what_becomes_critical_where_the_file_asks_for_it() {
    let server = Server::start();
    let orders = delayscope::queue::Queue::redisson("orders");
    let due = server.now().plus(-60_000).get().to_string();
    server.put(&orders, &crate::support::frame(1, b"late"), &due);
    let rung = |bytes: &[u8]| {
        let bell = b"\x07\x1b]9;orders: ";
        bytes
            .windows(bell.len())
            .filter(|part| part == bell)
            .count()
    };
    for (bell, times) in [("critical", 1), ("off", 0)] {
        let file = file_for(&server, &format!("bell = \"{bell}\""), "");
        let mut terminal = open_profile(&file, &[]);
        // It is critical as soon as nobody has come for a few seconds, and stays so.
        terminal.wait("the critical finding", PATIENCE, |shown| {
            shown.text().contains('✖') && rung(&shown.bytes) >= times
        });
        terminal.send(b"q");
        ended(&mut terminal, 0);
        assert_eq!(rung(&terminal.shown().bytes), times, "{bell}");
    }
}
