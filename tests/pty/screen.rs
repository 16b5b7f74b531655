//! The real program on a real terminal with a real server.

use std::process::Command;
use std::time::Duration;

use delayscope::clock::instant;
use delayscope::queue::Queue;

use crate::support::{PATIENCE, Server, frame, wait_for};
use crate::terminal::{Shown, Terminal};
use crate::{PROGRAM, SIZE};

mod clicks;
mod commands;
mod configured;
mod monitored;
mod passwords;

/// A server with the queue `orders` of `count` entries that are due in an hour.
fn server(count: u64) -> Server {
    let server = Server::start();
    let orders = Queue::redisson("orders");
    server.fill(&orders, count, server.now().plus(3_600_000), 10);
    server
}

fn open(server: &Server) -> Terminal {
    open_with(server, &[])
}

fn open_with(server: &Server, env: &[(&str, &str)]) -> Terminal {
    Terminal::start(&[PROGRAM, &server.url()], SIZE, env)
}

/// The program is on the screen with its data.
fn with_data(terminal: &Terminal) {
    terminal.wait_text("entry 1");
}

/// The program has ended and left the terminal as it was.
fn ended(terminal: &mut Terminal, code: u32) {
    assert_eq!(terminal.exit_code(), code);
    terminal.wait("a terminal given back", PATIENCE, Shown::given_back);
    assert!(terminal.modes_are_back());
}

#[test]
fn the_count_on_the_screen_is_the_servers() {
    let server = server(1234);
    let terminal = open(&server);
    terminal.wait_text("1,234");
    assert_eq!(
        server.int(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]),
        1234
    );
    with_data(&terminal);
    let shown = terminal.shown();
    assert!(shown.taken());
    let bytes = &shown.bytes;
    // Reporting every motion would flood a slow line.
    assert!(!bytes.windows(8).any(|w| w == b"\x1b[?1003h"));
    assert!(bytes.windows(8).any(|w| w == b"\x1b[?2026h"));
}

#[test]
fn a_change_is_on_the_screen_within_little_more_than_a_second() {
    let server = server(50);
    let terminal = open(&server);
    with_data(&terminal);
    let orders = Queue::redisson("orders");
    let due = server.now().plus(7_200_000).get().to_string();
    let changed = instant();
    server.put(&orders, &frame(4242, b"late comer"), &due);
    let shown = terminal.wait_text("of 51");
    // 1.2 s is the promise (the benchmark measures it); here other tests run beside.
    assert!(shown - changed < Duration::from_millis(4500));
}

#[test]
fn keys_reach_entry_hex_help_and_back() {
    let server = server(50);
    let mut terminal = open(&server);
    with_data(&terminal);
    terminal.send(b"\r");
    terminal.wait_text("byte-id");
    terminal.send(b"\t");
    terminal.wait_text("65 6e 74 72 79");
    terminal.send(b"?");
    terminal.wait_text("Why is it late");
    terminal.send(b"\x1b");
    terminal.wait("no help", PATIENCE, |s| {
        !s.text().contains("Why is it late")
    });
    terminal.send(b"q");
    terminal.wait("the queue", PATIENCE, |s| s.text().contains("1–"));
    terminal.send(b"G");
    terminal.wait_text("entry 50");
    terminal.send(b"q");
    ended(&mut terminal, 0);
}

#[test]
fn what_is_pasted_is_no_command() {
    let server = server(5);
    let mut terminal = open(&server);
    with_data(&terminal);
    terminal.send(b"\x1b[200~qqq\x1b[201~?");
    terminal.wait_text("Why is it late");
    terminal.send(b"\x03");
    ended(&mut terminal, 0);
}

#[test]
fn a_paste_without_its_end_is_left_by_control_c() {
    let server = server(5);
    let mut terminal = open(&server);
    with_data(&terminal);
    terminal.send(b"\x1b[200~qqq");
    terminal.send(b"\x03");
    ended(&mut terminal, 0);
}

#[test]
fn a_paste_without_its_end_is_one_when_nothing_more_comes_and_keys_act_then() {
    let server = server(5);
    let mut terminal = open(&server);
    with_data(&terminal);
    terminal.send(b"\x1b[200~qqq");
    terminal.wait_text("pasted text is ignored");
    terminal.send(b"?");
    terminal.wait_text("Why is it late");
    terminal.send(b"\x03");
    ended(&mut terminal, 0);
}

#[test]
fn a_megabyte_is_pasted_and_none_of_it_is_a_key() {
    let server = server(5);
    let mut terminal = open(&server);
    with_data(&terminal);
    let text = "qqq€\r".repeat(150_000);
    terminal.send(format!("\x1b[200~{text}\x1b[201~?").as_bytes());
    terminal.wait_text("Why is it late");
    terminal.send(b"\x03");
    ended(&mut terminal, 0);
}

#[test]
fn another_size_is_another_picture() {
    let server = server(500);
    let mut terminal = open(&server);
    with_data(&terminal);
    for (columns, rows) in [(80, 24), (200, 60), (20, 5), (1, 1), (120, 40)] {
        terminal.resize(columns, rows);
    }
    with_data(&terminal);
    terminal.send(b"q");
    ended(&mut terminal, 0);
}

#[test]
fn a_key_that_comes_with_a_resize_is_not_lost() {
    let server = server(5);
    let mut terminal = open(&server);
    with_data(&terminal);
    for i in 0..60 {
        terminal.resize(120 - u16::from(i % 2 == 1), 40);
        terminal.send(b"?");
        // From page to page of the help, and out of it.
        let pages = ["[Jobs]", "[Keys]", "[This screen]", "[How it works]"];
        let open = pages.get(i % 5);
        terminal.wait("the key to act", PATIENCE, |s| {
            pages.iter().find(|page| s.text().contains(**page)) == open
        });
    }
}

#[test]
fn control_c_gives_the_terminal_back() {
    let server = server(5);
    let mut terminal = open(&server);
    with_data(&terminal);
    terminal.send(b"\x03");
    ended(&mut terminal, 0);
}

#[test]
fn signals_give_the_terminal_back_and_say_which_it_was() {
    let server = server(5);
    for (name, code) in [("-TERM", 143), ("-INT", 130), ("-HUP", 129), ("-QUIT", 131)] {
        let mut terminal = open(&server);
        with_data(&terminal);
        terminal.signal(name);
        ended(&mut terminal, code);
    }
}

#[test]
fn a_terminal_that_goes_away_ends_the_program() {
    let server = server(5);
    let mut terminal = open(&server);
    with_data(&terminal);
    terminal.hang_up();
    assert_eq!(terminal.exit_code(), 129);
}

#[cfg(debug_assertions)]
#[test]
fn a_panic_anywhere_gives_the_terminal_back_and_is_told() {
    let server = server(5);
    for place in ["loop", "task"] {
        let mut terminal = open_with(&server, &[("DELAYSCOPE_PANIC", place)]);
        ended(&mut terminal, 101);
        terminal.wait_text("asked to panic");
    }
}

#[test]
fn control_z_stops_it_and_fg_brings_it_back() {
    let server = server(50);
    let mut shell = Terminal::start(&["sh", "-i"], SIZE, &[]);
    shell.wait_text("$ ");
    shell.send(format!("{PROGRAM} {}\n", server.url()).as_bytes());
    with_data(&shell);
    shell.send(b"\x1a");
    shell.wait("the shell", PATIENCE, |s| {
        s.given_back() && s.text().contains("Stopped")
    });
    shell.send(b"echo $((6*7))\n");
    shell.wait_text("42");
    // Nobody tells it meanwhile.
    shell.resize(80, 24);
    shell.send(b"fg\n");
    shell.wait("the program, down to the last row", PATIENCE, |s| {
        let text = s.text();
        let last = text.lines().nth(23);
        s.taken() && text.contains("entry 1") && last.is_some_and(|row| row.contains("help"))
    });
    shell.send(b"q");
    shell.wait("the shell", PATIENCE, |s| {
        s.given_back() && s.text().trim_end().ends_with('$')
    });
    shell.send(b"exit\n");
    assert_eq!(shell.exit_code(), 0);
}

/// The number behind the last `mark` that the terminal was sent.
fn told(terminal: &Terminal, mark: &str) -> Option<String> {
    let shown = terminal.shown();
    let text = String::from_utf8_lossy(&shown.bytes);
    let (_, rest) = text.rsplit_once(mark)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

#[test]
fn stopped_from_outside_it_gives_the_terminal_back_first_and_fg_brings_it_back() {
    let server = server(50);
    let mut shell = Terminal::start(&["sh", "-i"], SIZE, &[]);
    shell.wait_text("$ ");
    let line = format!("sh -c 'echo pid=$$; exec {PROGRAM} {}'\n", server.url());
    shell.send(line.as_bytes());
    with_data(&shell);
    let pid = told(&shell, "pid=").unwrap();
    for _ in 0..3 {
        with_data(&shell);
        let sent = Command::new("kill").args(["-TSTP", &pid]).status();
        assert!(sent.unwrap().success());
        shell.wait("the shell", PATIENCE, |s| {
            s.given_back() && s.text().trim_end().ends_with('$')
        });
        assert!(shell.shown().text().contains("Stopped"));
        shell.send(b"fg\n");
        shell.wait("the program", PATIENCE, Shown::taken);
    }
    with_data(&shell);
    shell.send(b"q");
    shell.wait("the shell", PATIENCE, |s| {
        s.given_back() && s.text().trim_end().ends_with('$')
    });
    shell.send(b"exit\n");
    assert_eq!(shell.exit_code(), 0);
}

#[test]
fn a_program_that_nobody_could_continue_is_not_stopped() {
    let server = server(50);
    let mut terminal = open(&server);
    with_data(&terminal);
    for open in [true, false] {
        terminal.send(b"\x1a");
        terminal.signal("-TSTP");
        terminal.send(b"?");
        terminal.wait("the key to act", PATIENCE, |s| {
            s.taken() && s.text().contains("Why is it late") == open
        });
    }
    // Out of the help, and out.
    terminal.send(b"qq");
    ended(&mut terminal, 0);
}

#[test]
fn a_stopped_server_does_not_stop_the_keys_or_the_end() {
    let server = server(50);
    let mut terminal = open(&server);
    with_data(&terminal);
    server.stop();
    terminal.send(b"?");
    let patience = Duration::from_millis(500);
    terminal.wait("help", patience, |s| s.text().contains("Why is it late"));
    terminal.send(b"\x1b");
    terminal.signal("-TERM");
    ended(&mut terminal, 143);
    // Nor the start, where the server is connected to and says nothing.
    let mut terminal = open(&server);
    terminal.wait_text("connecting");
    terminal.send(b"q");
    ended(&mut terminal, 0);
    server.go_on();
}

#[test]
fn a_server_that_hung_and_goes_on_is_live_again() {
    let server = server(50);
    let terminal = open(&server);
    with_data(&terminal);
    server.stop();
    terminal.wait("that it hangs", PATIENCE, |s| !s.text().contains("● live"));
    server.go_on();
    terminal.wait_text("● live");
    let due = server.now().plus(7_200_000).get().to_string();
    server.put(&Queue::redisson("orders"), &frame(4242, b"more"), &due);
    terminal.wait_text("of 51");
}

#[test]
fn a_terminal_that_takes_no_more_output_does_not_keep_the_program() {
    let server = server(50);
    let mut terminal = open(&server);
    with_data(&terminal);
    let reads = terminal.reads();
    let stuck = reads.lock().unwrap();
    for _ in 0..400 {
        terminal.send(b"?");
    }
    terminal.signal("-TERM");
    assert_eq!(terminal.exit_code(), 143);
    drop(stuck);
}

#[test]
fn a_server_that_was_killed_and_is_back_is_live_again() {
    let mut server = Server::start();
    let orders = Queue::redisson("orders");
    server.fill(&orders, 77, server.now().plus(3_600_000), 10);
    let terminal = open(&server);
    terminal.wait_text("of 77");
    server.kill();
    terminal.wait("what happened", PATIENCE, |s| s.text().contains("lost"));
    assert!(
        terminal.shown().text().contains("of 77"),
        "the picture stays"
    );
    server.restart();
    server.fill(&orders, 88, server.now().plus(3_600_000), 10);
    terminal.wait_text("of 88");
    wait_for("the banner to go", || {
        !terminal.shown().text().contains("lost")
    });
}

#[test]
fn a_server_that_is_not_there_yet_is_waited_for() {
    let mut server = Server::start();
    server.kill();
    let mut terminal = open(&server);
    terminal.wait("what is wrong", PATIENCE, |s| {
        s.text().contains("cannot connect")
    });
    server.restart();
    let orders = Queue::redisson("orders");
    server.fill(&orders, 9, server.now().plus(3_600_000), 10);
    terminal.send(b"\x12");
    terminal.wait_text("live");
    terminal.send(b"q");
    ended(&mut terminal, 0);
}
