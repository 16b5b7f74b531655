use proptest::prelude::*;

use crate::tui::terminal::input::parser::*;

/// Returns the messages once all bytes have come and nothing more does.
fn said(bytes: &[u8]) -> Vec<Msg> {
    let mut parser = Parser::default();
    let mut said = parser.read(bytes);
    said.extend(parser.rest());
    said.extend(parser.quiet());
    assert!(!parser.is_open());
    said
}

fn keys(bytes: &[u8]) -> String {
    let words = said(bytes).into_iter().map(|msg| match msg {
        Msg::KeyPressed(key) => key.label(true),
        other => format!("{other:?}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn keys_are_what_terminals_send_for_them() {
    for (bytes, expected) in [
        // Characters, of one byte and of more.
        (&b"aG?"[..], "a G ?"),
        ("ö€😀".as_bytes(), "ö € 😀"),
        (b" ", "Space"),
        // Controls.
        (b"\r\t\x7f", "Enter Tab Backspace"),
        (b"\x01\x03\x0a\x1a", "^A ^C ^J ^Z"),
        (b"\0\x1c\x1f", "Ctrl-Space ^4 ^7"),
        // Esc, and Alt with a key.
        (b"\x1b", "Esc"),
        (b"\x1b\x1b", "Esc Esc"),
        (b"\x1b\x1b[A", "Esc Up"),
        (b"\x1bxq", "Alt-x q"),
        ("\u{1b}öq".as_bytes(), "Alt-ö q"),
        (b"\x1b\r", "Alt-Enter"),
        (b"\x1b\x03", "Alt-^C"),
        // xterm, VT220, and the keypad in application mode.
        (b"\x1b[A\x1b[B\x1b[C\x1b[D", "Up Down Right Left"),
        (b"\x1bOA\x1bOB\x1bOC\x1bOD", "Up Down Right Left"),
        (b"\x1b[H\x1b[F\x1bOH\x1bOF", "Home End Home End"),
        (b"\x1b[5~\x1b[6~\x1b[3~", "PgUp PgDn Del"),
        (b"\x1bOP\x1bOQ\x1bOR\x1bOS", "F1 F2 F3 F4"),
        (b"\x1b[15~\x1b[17~\x1b[21~", "F5 F6 F10"),
        (b"\x1b[23~\x1b[24~", "F11 F12"),
        (b"\x1b[Z", "S-Tab"),
        // tmux and screen, rxvt, the console of Linux.
        (b"\x1b[1~\x1b[4~", "Home End"),
        (b"\x1b[7~\x1b[8~\x1b[11~", "Home End F1"),
        (b"\x1b[[A\x1b[[E", "F1 F5"),
        // With something held.
        (b"\x1b[1;5A\x1b[1;3D\x1b[1;2C", "Ctrl-Up Alt-Left Right"),
        (b"\x1b[1;7F\x1b[5;5~", "Alt-Ctrl-End Ctrl-PgUp"),
        (b"\x1b[5A", "Ctrl-Up"),
        (b"\x1b[1;5P\x1b[15;5~", "Ctrl-F1 Ctrl-F5"),
        // By the character's number: kitty, and xterm's modifyOtherKeys.
        (b"\x1b[99;5u\x1b[103;2u\x1b[97u", "^C G a"),
        (b"\x1b[49:33;2u\x1b[120;3u", "! Alt-x"),
        (
            b"\x1b[27u\x1b[13u\x1b[9;2u\x1b[127u",
            "Esc Enter S-Tab Backspace",
        ),
        (b"\x1b[57399u\x1b[57413u\x1b[57419u", "0 + Up"),
        (b"\x1b[27;5;99~\x1b[27;5;13~", "^C Ctrl-Enter"),
        // Let go again, and held until it repeats.
        (b"\x1b[97;1:1u\x1b[97;1:2u\x1b[97;1:3u", "a a"),
        (b"\x1b[1;1:3A", ""),
        // Nothing of ours: focus, answers to what nobody asked, keys that have no name here.
        (b"\x1b[I\x1b[O\x1b[24;80R\x1b[?62;c\x1b[2~\x1b[25~", ""),
        (b"\x1b[57441u\x1b[10u\x1bOX", ""),
    ] {
        assert_eq!(keys(bytes), expected, "{}", bytes.escape_ascii());
    }
}

#[test]
fn an_answer_of_the_terminal_tells_its_background_however_it_is_cut() {
    for end in [&b"\x07"[..], b"\x1b\\"] {
        let bytes = [b"a\x1b]11;rgb:ffff/ffff/ffff", end, b"q"].concat();
        assert_eq!(keys(&bytes), "a BackgroundTold(Light) q");
        for at in 3..bytes.len() {
            let mut parser = Parser::default();
            let mut said = parser.read(&bytes[..at]);
            said.extend(parser.rest());
            said.extend(parser.read(&bytes[at..]));
            let told = said
                .iter()
                .filter(|msg| matches!(msg, Msg::BackgroundTold(_)));
            assert_eq!((told.count(), said.len()), (1, 3), "cut at {at}: {said:?}");
        }
    }
}

#[test]
fn an_answer_that_is_broken_comes_late_or_was_not_asked_for_is_no_key() {
    for bytes in [
        &b"\x1b]11;rgb:zz/zz/zz\x07"[..],
        b"\x1b]11;rgb:ffff\x1b\\",
        b"\x1b]11;\x07\x1b]11\x07\x1b]4;0;rgb:00/00/00\x07",
        b"\x1b]52;c;cXFx\x1b\\",
        "\x1b]11;rgb:é\x07".as_bytes(),
        // Without its end.
        b"\x1b]11;rgb:ff",
        b"\x1b]",
        b"\x1b]11;rgb:ff\x1b",
    ] {
        assert_eq!(keys(bytes), "", "{}", bytes.escape_ascii());
    }
    // What is pressed within it acts.
    assert_eq!(keys(b"\x1b]11;rgb:ff\x03"), "^C");
    assert_eq!(keys(b"\x1b]11;rgb:ff\x1b[A"), "Up");
    let mut parser = Parser::default();
    parser.read(b"\x1b");
    assert_eq!(parser.rest(), [Msg::KeyPressed(Key::of(Code::Esc))]);
    let said = parser.read(b"]11;rgb:0000/0000/0000\x07");
    assert!(matches!(said[..], [Msg::BackgroundTold(_)]), "{said:?}");
}

#[test]
fn the_mouse_is_told_by_the_left_button_and_the_wheel() {
    for (bytes, expected) in [
        (
            &b"\x1b[<0;5;7M\x1b[<0;5;7m"[..],
            "Clicked(4, 6) Released(4, 6)",
        ),
        (b"\x1b[<32;300;7M", "Dragged(299, 6)"),
        (
            b"\x1b[<64;1;1M\x1b[<65;1;1M",
            "Scrolled(0, 0, -1) Scrolled(0, 0, 1)",
        ),
        (b"\x1b[<16;5;7M", "Clicked(4, 6)"),
        (b"\x1b[M %'\x1b[M#%'", "Clicked(4, 6) Released(4, 6)"),
        (b"\x1b[<2;5;7M\x1b[<35;5;7M\x1b[<0;0;7M\x1b[<0;5M", ""),
        (b"\x1b[<0;99999999999;7M\x1b[M !!", "Clicked(0, 0)"),
    ] {
        assert_eq!(keys(bytes), expected, "{}", bytes.escape_ascii());
    }
}

#[test]
fn a_paste_is_text_whatever_is_in_it_and_however_it_is_cut() {
    let bytes = "a\u{1b}[200~q\u{1b}[20\u{3}ö\r\u{1b}[201~b".as_bytes();
    let expected = "a Pasted(\"q\\u{1b}[20\\u{3}ö\\r\") b";
    assert_eq!(keys(bytes), expected);
    for at in 0..bytes.len() {
        let mut parser = Parser::default();
        let mut said = parser.read(&bytes[..at]);
        said.extend(parser.read(&bytes[at..]));
        let text = format!("{said:?}");
        assert!(text.contains(r#"Pasted("q\u{1b}[20\u{3}ö\r")"#), "{text}");
        assert_eq!(said.len(), 3, "{text}");
    }
}

#[test]
fn a_paste_without_its_end_ends_when_nothing_more_comes() {
    let mut parser = Parser::default();
    assert!(parser.read(b"\x1b[200~qq\x1b[20").is_empty());
    assert!(parser.rest().is_empty());
    assert!(parser.is_open());
    assert_eq!(format!("{:?}", parser.quiet()), r#"[Pasted("qq")]"#);
    assert!(matches!(parser.read(b"q")[..], [Msg::KeyPressed(_)]));
}

#[test]
fn control_c_ends_a_paste_that_is_open_when_nothing_is_behind_it() {
    let mut parser = Parser::default();
    parser.read(b"\x1b[200~qq\x03q");
    assert!(parser.rest().is_empty());
    parser.read(b"\x03");
    let said = parser.rest();
    assert!(matches!(&said[..],
        [Msg::Pasted(text), Msg::KeyPressed(key)] if text == "qq\x03q" && *key == Key::ctrl('c')));
    assert!(!parser.is_open());
}

#[test]
fn what_the_line_held_up_of_a_paste_is_no_key() {
    let mut parser = Parser::default();
    parser.read(b"\x1b[200~begun");
    parser.quiet();
    assert!(parser.read(b"qqqqqqqqqqqqqqqqqqqq").is_empty());
    let said = parser.read(b"\r\x1b[201~q");
    assert!(matches!(&said[..],
        [Msg::Pasted(text), Msg::KeyPressed(_)] if text.ends_with("q\r")));
    // With its end seen, keys are keys, however many come at once.
    assert_eq!(parser.read(b"qqqqqqqqqqqqqqqqqqqq").len(), 20);
}

#[test]
fn a_long_paste_is_told_in_pieces_of_whole_characters() {
    let text = "€".repeat(MOST_BYTES_OF_A_PASTE / 3 * 2 + 100);
    let mut parser = Parser::default();
    let mut said = parser.read(b"\x1b[200~");
    for chunk in text.as_bytes().chunks(4096) {
        said.extend(parser.read(chunk));
    }
    said.extend(parser.read(END));
    let pieces = said.iter().map(|msg| match msg {
        Msg::Pasted(text) => text.as_str(),
        other => panic!("{other:?}"),
    });
    assert_eq!(said.len(), 3);
    assert!(pieces.collect::<String>() == text);
}

/// Generates input that a terminal, or a line that loses bytes, may come up with.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        &b"\x1b"[..],
        b"\x1b[",
        b"\x1bO",
        b"\x1b[[",
        b"\x1b[M",
        b"\x1b[<0;1",
        b"\x1b[1;",
        b"\x1b[200~",
        b"\x1b[201~",
        b"99999999999",
        b"u",
        b"~",
        b"\x03",
        "€".as_bytes(),
    ]);
    let piece = prop_oneof![
        known.prop_map(<[u8]>::to_vec),
        prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_came_control_c_acts_and_silence_ends_it(
        bytes in noise(),
        size in 1_usize..64,
        quiet: bool,
    ) {
        let mut parser = Parser::default();
        for chunk in bytes.chunks(size) {
            parser.read(chunk);
        }
        parser.rest();
        if quiet {
            parser.quiet();
            prop_assert!(!parser.is_open());
            prop_assert_eq!(parser.read(b"q").len(), 1);
        }
        let mut said = parser.read(b"\x03");
        said.extend(parser.rest());
        // The first may end what has begun.
        said.extend(parser.read(b"\x03"));
        said.extend(parser.rest());
        let pressed = said.iter().any(
            |msg| matches!(msg, Msg::KeyPressed(key) if key.code == Code::Char('c') && key.ctrl),
        );
        prop_assert!(pressed, "{:?}", said);
    }

    #[test]
    fn where_the_line_cuts_makes_no_difference(bytes in noise(), at: prop::sample::Index) {
        let at = at.index(bytes.len() + 1);
        let mut whole = Parser::default();
        let mut cut = Parser::default();
        let expected = whole.read(&bytes);
        let mut said = cut.read(&bytes[..at]);
        said.extend(cut.read(&bytes[at..]));
        prop_assert_eq!(format!("{expected:?}"), format!("{said:?}"));
    }
}
