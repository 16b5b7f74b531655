//! What holds on every screen, in every state, with everything that can lie over it.

use delayscope::queue::Form;
use delayscope::queue::change_event::Order;
use delayscope::tui::filter::Search;
use delayscope::tui::help::HelpPage;
use delayscope::tui::lives::LivesView;

use delayscope::tui::look::{Background, Depth, Look};
use delayscope::tui::marks::ToggledEntry;
use delayscope::tui::model::{Model, Overlay, Screen};
use delayscope::tui::prompt::PromptKind;
use delayscope::tui::tabs::Tab;
use delayscope::tui::toast::{Toast, Tone};
use ratatui::buffer::Cell;
use ratatui::style::Color;

use super::{asking, bulk, filter, lives, overlays, past, prompts, states, tabs};
use crate::screens::build::{evening, look};
use crate::screens::pictures::{LARGE, MIDDLE, SMALL, draw, keep};

const SIZES: [(u16, u16); 3] = [SMALL, MIDDLE, LARGE];

/// Every screen, tab, state, line that is typed and box over it.
fn all(size: (u16, u16), look: &Look) -> Vec<Model> {
    let looked = |mut m: Model| {
        m.look = look.clone();
        m
    };
    let mut all = states::all(size, look);
    for tab in Tab::ALL {
        all.push(tabs::on(tab, size, look.clone()));
        let mut sick = looked(tabs::sick(size));
        sick.tab = tab;
        all.push(sick);
    }
    for search in [
        Search::Running(1),
        Search::Done,
        Search::Stopped,
        Search::Failed("NOPERM no \x1b[2J".to_owned()),
    ] {
        all.push(looked(filter::filtered(size, "cancel", search.clone())));
        all.push(looked(filter::filtered(size, "unicorn", search)));
    }
    for kind in [PromptKind::Filter, PromptKind::Jump] {
        let mut m = evening(size, look.clone());
        filter::typing(&mut m, kind, "14:10");
        all.push(m);
    }
    let mut marked = evening(size, look.clone());
    for row in marked.entries.rows.clone() {
        let toggled = ToggledEntry {
            score: Some(row.score),
            marked: true,
            places: vec![0],
        };
        marked.marks.toggled.insert(row.member, toggled);
    }
    all.push(marked);
    for screen in [Screen::Dashboard, Screen::Queue] {
        all.push(past::looking_back(size, look.clone(), screen));
    }
    all.push(overlays::asked(size, look.clone(), false));
    all.push(overlays::asked(size, look.clone(), true));
    for payload in ["", "{\"orderId\":1}", "订单 🎉 \x1b[2J"] {
        let offer = overlays::form(payload, Some(Form::ByteId));
        all.push(overlays::offering(size, look.clone(), offer));
    }
    all.extend(asking::all(size, look));
    for text in [":", ":zo", ":queue e", ":nonsense"] {
        all.push(prompts::typed(size, look.clone(), text));
    }
    for page in HelpPage::ALL {
        let mut help = evening(size, look.clone());
        help.overlay = Some(Overlay::Help { page, scroll: 0 });
        all.push(help);
    }
    for view in [LivesView::default(), lives::opened(3), lives::opened(5)] {
        all.push(lives::over(size, look.clone(), view));
    }
    for tone in [Tone::Good, Tone::Warn, Tone::Error] {
        let mut told = evening(size, look.clone());
        told.toast = Some(Toast {
            text: "something has happened".to_owned(),
            tone,
            until: told.instant,
        });
        all.push(told);
    }
    for (order, waits) in [(Order::Go, None), (Order::Pause, Some("replicas"))] {
        all.push(looked(bulk::under_way(size, order, waits)));
    }
    all.push(looked(bulk::looked_at(size)));
    all
}

/// The cells of every picture at every size.
pub(crate) fn each_cell(look: &Look, mut check: impl FnMut(&Cell, &str)) {
    for size in SIZES {
        for (i, m) in all(size, look).iter().enumerate() {
            let place = format!("{size:?}, picture {i}");
            for cell in &draw(m).content {
                check(cell, &place);
            }
        }
    }
}

#[test]
fn each_of_them_can_be_kept_to_be_compared() {
    for (w, h) in SIZES {
        for (i, m) in all((w, h), &look()).iter().enumerate() {
            let picture = draw(m);
            assert_eq!((picture.area.width, picture.area.height), (w, h));
            keep(&format!("everywhere_{w}x{h}_{i}"), &picture);
        }
    }
}

#[test]
fn nothing_commands_the_terminal_or_turns_its_text_around() {
    each_cell(&look(), |cell, place| {
        let bad = |c: char| {
            c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                    | '\u{2060}'..='\u{206f}' | '\u{feff}')
        };
        assert!(!cell.symbol().chars().any(bad), "{place}: {cell:?}");
    });
}

#[test]
fn ascii_is_ascii_whatever_is_in_redis() {
    let look = Look {
        ascii: true,
        ..look()
    };
    each_cell(&look, |cell, place| {
        assert!(cell.symbol().is_ascii(), "{place}: {cell:?}");
    });
}

#[test]
fn without_colours_there_is_none() {
    let look = Look {
        no_color: true,
        ..look()
    };
    each_cell(&look, |cell, place| {
        let colours = (cell.fg, cell.bg);
        assert_eq!(colours, (Color::Reset, Color::Reset), "{place}");
    });
}

#[test]
fn of_the_sixteen_only_those_that_suit_any_background() {
    let look = Look {
        background: None,
        ..look()
    };
    each_cell(&look, |cell, place| {
        for colour in [cell.fg, cell.bg] {
            let suits = matches!(
                colour,
                Color::Reset | Color::Red | Color::Green | Color::Yellow | Color::Cyan
            );
            assert!(suits, "{place}: {colour:?}");
        }
    });
}

#[test]
fn a_theme_never_mixes_its_colours_with_the_terminals() {
    for background in [Background::Light, Background::Dark] {
        let look = Look {
            background: Some(background),
            depth: Depth::True,
            ..look()
        };
        each_cell(&look, |cell, place| {
            for colour in [cell.fg, cell.bg] {
                let ours = matches!(colour, Color::Reset | Color::Rgb(..));
                assert!(ours, "{place}: {colour:?}");
            }
        });
    }
}

#[test]
fn no_size_is_too_small_for_any_of_them() {
    let mut sizes: Vec<(u16, u16)> = (0..=12).map(|n| (n, n / 2)).collect();
    sizes.extend([(1, 60), (300, 1), (38, 9), (60, 18), (100, 30), (79, 23)]);
    for m in all(MIDDLE, &look()) {
        for size in &sizes {
            let mut m = m.clone();
            m.size = *size;
            draw(&m);
        }
    }
}
