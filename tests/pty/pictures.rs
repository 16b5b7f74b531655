//! The pictures of the README, made from the real program.
//!
//! `PICTURES=assets cargo test --test pty pictures::` makes them; without that variable they are
//! made in a temporary directory and looked at.

mod read;
mod scenes;
mod shapes;
mod svg;

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::time::Duration;

use read::Read;
use scenes::{SCENES, Scene, screens};

/// How long the demo has been playing in the README, so that its curves have a shape.
const LIFE: Duration = Duration::from_secs(45);
/// The most that a picture may weigh, in bytes.
const MAX_BYTES: usize = 200_000;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_picture_shows_what_the_terminal_shows() {
    let asked_for = std::env::var_os("PICTURES").map(|to| root().join(to));
    let elsewhere = tempfile::tempdir().unwrap();
    let (dir, life) = match &asked_for {
        Some(dir) => (dir.as_path(), LIFE),
        None => (elsewhere.path(), Duration::ZERO),
    };
    std::thread::scope(|scope| {
        for scene in SCENES {
            scope.spawn(move || made(scene, dir, life));
        }
    });
}

/// Makes a picture and looks at it.
fn made(scene: &Scene, dir: &Path, life: Duration) {
    let screens = screens(scene, life);
    let path = dir.join(scene.name).with_extension("svg");
    fs::write(&path, svg::picture(&screens, scene.title)).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.len() <= MAX_BYTES, "{} bytes", text.len());
    let moments = Read::moments(&text);
    assert_eq!(moments.len(), screens.len());
    for (read, screen) in moments.iter().zip(&screens) {
        assert_eq!(read.title, scene.title);
        same(read, screen);
    }
    let last = &moments[moments.len() - 1];
    let rows: Vec<String> = (0..scene.size.1).map(|row| last.row(row)).collect();
    for word in scene.shows {
        assert!(
            rows.iter().any(|row| row.contains(word)),
            "{word} in {rows:#?}"
        );
    }
}

/// Every cell of the screen is in the picture, and nothing else.
fn same(read: &Read, screen: &vt100::Screen) {
    for (column, row) in svg::places(screen) {
        let cell = screen.cell(row, column).unwrap();
        let sign = cell.contents();
        let drawn = sign.chars().all(shapes::is_drawn) && !sign.is_empty();
        let place = format!("row {row}, column {column}: {sign:?}");
        let blank = sign.is_empty() || sign == " ";
        let written = if drawn || blank { None } else { Some(sign) };
        assert_eq!(read.text(column, row), written, "{place}");
        if drawn {
            assert!(read.is_drawn(column, row), "{place}");
        } else if !matches!(cell.bgcolor(), vt100::Color::Default) || cell.inverse() {
            assert!(read.is_drawn(column, row), "{place} has a background");
        } else {
            assert!(!read.is_drawn(column, row), "{place} is empty");
        }
    }
}

#[test]
fn a_picture_says_what_would_break_it_or_a_browser() {
    let mut parser = vt100::Parser::new(cells(4), cells(20), 0);
    let said = "<&>\"' \u{5165} \u{1f980} e\u{301}\r\n\x1b[7m inv \x1b[0m\x1b[2;38;5;196mdim\x1b[0m ░▌┃╭\r\n";
    parser.process(said.as_bytes());
    let picture = svg::picture(&[parser.screen().clone()], "a < b & \"c\"\x1b[31m");
    assert!(!picture.chars().any(|c| c.is_control() && c != '\n'));
    let read = Read::of(&picture);
    assert_eq!(read.title, "a < b & \"c\"\u{fffd}[31m");
    same(&read, parser.screen());
    assert_eq!(read.row(0), "<&>\"' \u{5165}  \u{1f980}  e\u{301}");
}

fn cells(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap()
}

#[test]
fn the_readme_shows_the_pictures_that_are_made_and_all_of_them() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let is_picture = |path: &PathBuf| path.extension().is_some_and(|e| e == "svg" || e == "png");
    let targets = readme.split("](").skip(1);
    let shown: BTreeSet<PathBuf> = targets
        .filter_map(|rest| Some(PathBuf::from(rest.split(')').next()?)))
        .filter(is_picture)
        .collect();
    let file = |scene: &Scene| Path::new("assets").join(scene.name).with_extension("svg");
    let made: BTreeSet<PathBuf> = SCENES.iter().map(file).collect();
    let there: BTreeSet<PathBuf> = fs::read_dir(root().join("assets"))
        .unwrap()
        .map(|entry| Path::new("assets").join(entry.unwrap().file_name()))
        .filter(is_picture)
        .collect();
    assert_eq!(shown, made);
    assert_eq!(there, made);
    for scene in SCENES {
        let alt = format!("![{}]({})", scene.title, file(scene).display());
        assert!(readme.contains(&alt), "README.md lacks {alt}");
        let read = Read::moments(&fs::read_to_string(root().join(file(scene))).unwrap());
        assert_eq!(read[0].size, scene.size);
        assert_eq!(read.len() > 1, scene.moves);
    }
}
