//! All text can be read on the backgrounds that terminals have.

use delayscope::tui::look::{Background, Depth, Look};
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use crate::screens::build::look;
use crate::screens::everywhere::each_cell;

/// Contrast that text needs (WCAG 2, level AA).
const ENOUGH: f64 = 4.5;

/// The colours of a terminal.
struct Palette {
    name: &'static str,
    background: Background,
    text: u32,
    behind: u32,
    colours: [u32; 16],
}

const SOLARIZED: [u32; 16] = [
    0x0007_3642,
    0x00dc_322f,
    0x0085_9900,
    0x00b5_8900,
    0x0026_8bd2,
    0x00d3_3682,
    0x002a_a198,
    0x00ee_e8d5,
    0x0000_2b36,
    0x00cb_4b16,
    0x0058_6e75,
    0x0065_7b83,
    0x0083_9496,
    0x006c_71c4,
    0x0093_a1a1,
    0x00fd_f6e3,
];

const XTERM: [u32; 16] = [
    0x0000_0000,
    0x00cd_0000,
    0x0000_cd00,
    0x00cd_cd00,
    0x0000_00ee,
    0x00cd_00cd,
    0x0000_cdcd,
    0x00e5_e5e5,
    0x007f_7f7f,
    0x00ff_0000,
    0x0000_ff00,
    0x00ff_ff00,
    0x005c_5cff,
    0x00ff_00ff,
    0x0000_ffff,
    0x00ff_ffff,
];

const VGA: [u32; 16] = [
    0x0000_0000,
    0x00aa_0000,
    0x0000_aa00,
    0x00aa_5500,
    0x0000_00aa,
    0x00aa_00aa,
    0x0000_aaaa,
    0x00aa_aaaa,
    0x0055_5555,
    0x00ff_5555,
    0x0055_ff55,
    0x00ff_ff55,
    0x0055_55ff,
    0x00ff_55ff,
    0x0055_ffff,
    0x00ff_ffff,
];

const PALETTES: [Palette; 6] = [
    Palette {
        name: "Solarized Dark",
        background: Background::Dark,
        text: 0x0083_9496,
        behind: 0x0000_2b36,
        colours: SOLARIZED,
    },
    // Its own text has 4.13:1: ours has more, where its background is known.
    Palette {
        name: "Solarized Light",
        background: Background::Light,
        text: 0x0065_7b83,
        behind: 0x00fd_f6e3,
        colours: SOLARIZED,
    },
    Palette {
        name: "xterm on black",
        background: Background::Dark,
        text: 0x00e5_e5e5,
        behind: 0x0000_0000,
        colours: XTERM,
    },
    Palette {
        name: "xterm on white",
        background: Background::Light,
        text: 0x0000_0000,
        behind: 0x00ff_ffff,
        colours: XTERM,
    },
    Palette {
        name: "VGA on black",
        background: Background::Dark,
        text: 0x00aa_aaaa,
        behind: 0x0000_0000,
        colours: VGA,
    },
    Palette {
        name: "VGA on white",
        background: Background::Light,
        text: 0x0000_0000,
        behind: 0x00ff_ffff,
        colours: VGA,
    },
];

/// Red, green and blue of a colour; `plain` where it is the terminal's default.
fn rgb(palette: &Palette, colour: Color, plain: u32) -> [f64; 3] {
    const NAMED: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    let number = match colour {
        Color::Reset => plain,
        Color::Rgb(r, g, b) => u32::from_be_bytes([0, r, g, b]),
        Color::Indexed(n @ 0..16) => palette.colours[usize::from(n)],
        Color::Indexed(n @ 232..) => (u32::from(n) - 232) * 0x000a_0a0a + 0x0008_0808,
        Color::Indexed(n) => {
            let step = |n: u32| [0, 95, 135, 175, 215, 255][n as usize % 6];
            let n = u32::from(n) - 16;
            step(n / 36) << 16 | step(n / 6) << 8 | step(n)
        }
        named => {
            let at = NAMED.iter().position(|colour| *colour == named);
            at.map_or(0, |at| palette.colours[at])
        }
    };
    let [_, r, g, b] = number.to_be_bytes();
    [r, g, b].map(f64::from)
}

fn luminance(rgb: [f64; 3]) -> f64 {
    let [r, g, b] = rgb.map(|part| match part / 255.0 {
        part @ ..=0.039_28 => part / 12.92,
        part => ((part + 0.055) / 1.055).powf(2.4),
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The contrast of a cell in a terminal.
fn of(cell: &Cell, palette: &Palette) -> f64 {
    let mut text = rgb(palette, cell.fg, palette.text);
    let mut behind = rgb(palette, cell.bg, palette.behind);
    if cell.modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut text, &mut behind);
    }
    if cell.modifier.contains(Modifier::DIM) {
        // As most terminals do it.
        for (part, back) in text.iter_mut().zip(behind) {
            *part = (*part * 2.0 + back) / 3.0;
        }
    }
    contrast(text, behind)
}

#[test]
fn all_text_can_be_read_on_six_palettes_also_under_the_cursor() {
    let themes = [
        (None, Depth::Own),
        (Some(Background::Dark), Depth::Indexed),
        (Some(Background::Light), Depth::Indexed),
        (Some(Background::Dark), Depth::True),
        (Some(Background::Light), Depth::True),
    ];
    for (background, depth) in themes {
        let look = Look {
            background,
            depth,
            ..look()
        };
        let suits = |palette: &&Palette| background.is_none_or(|one| one == palette.background);
        let palettes: Vec<_> = PALETTES.iter().filter(suits).collect();
        let mut known = std::collections::HashSet::new();
        each_cell(&look, |cell, place| {
            let is_text = cell.symbol().chars().any(char::is_alphanumeric);
            if !is_text || !known.insert((cell.fg, cell.bg, cell.modifier)) {
                return;
            }
            for palette in &palettes {
                let own = contrast(
                    rgb(palette, Color::Reset, palette.text),
                    rgb(palette, Color::Reset, palette.behind),
                );
                let has = of(cell, palette);
                let least = if background.is_some() {
                    ENOUGH
                } else {
                    own.min(ENOUGH)
                };
                assert!(
                    has >= least - 0.01,
                    "{has:.2}:1 on {}, {background:?} {depth:?}, {place}: {cell:?}",
                    palette.name
                );
            }
        });
    }
}
