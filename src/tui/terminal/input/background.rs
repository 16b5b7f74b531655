//! The background of the terminal, as it tells it when it is asked (OSC 11).

use crate::tui::look::Background;

/// Up to this luminance all text of the dark theme can be read on it.
const DARK: f64 = 0.043;

/// From this luminance on all text of the light theme can be read on it.
const LIGHT: f64 = 0.72;

/// Reads what stands in an OSC sequence: `11;rgb:ffff/ffff/ffff`, with one to four digits a colour,
/// `11;rgba:…` or `11;#ffffff`. None where it is something else, or neither dark nor light.
pub(super) fn background(said: &str) -> Option<Background> {
    let colour = said.strip_prefix("11;")?;
    let parts: Vec<f64> = match colour.strip_prefix('#') {
        Some(digits) if matches!(digits.len(), 3 | 6 | 9 | 12) && digits.is_ascii() => {
            let each = digits.len() / 3;
            let parts = (0..3).map(|i| fraction(&digits[i * each..(i + 1) * each]));
            parts.collect::<Option<_>>()?
        }
        Some(_) => return None,
        None => {
            let named = { colour.strip_prefix("rgb:") }.map(|parts| (parts, 3));
            let named = named.or_else(|| Some((colour.strip_prefix("rgba:")?, 4)));
            let (parts, count) = named?;
            let parts: Vec<f64> = parts.split('/').map(fraction).collect::<Option<_>>()?;
            (parts.len() == count).then_some(parts)?
        }
    };
    match luminance(&parts) {
        ..=DARK => Some(Background::Dark),
        LIGHT.. => Some(Background::Light),
        _ => None,
    }
}

/// A number of one to four hexadecimal digits as a part of the largest one.
fn fraction(digits: &str) -> Option<f64> {
    let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let count = u32::try_from(digits.len()).ok()?;
    if !hex || !(1..=4).contains(&count) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    Some(f64::from(number) / f64::from(16_u32.pow(count) - 1))
}

/// Relative luminance of red, green and blue, as contrast is measured (WCAG 2).
fn luminance(parts: &[f64]) -> f64 {
    let linear = |part: &f64| match *part {
        ..=0.039_28 => part / 12.92,
        _ => ((part + 0.055) / 1.055).powf(2.4),
    };
    let weights = [0.2126, 0.7152, 0.0722];
    parts
        .iter()
        .map(linear)
        .zip(weights)
        .map(|(part, weight)| part * weight)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_tells_dark_from_light() {
        for (said, background) in [
            ("11;rgb:0000/0000/0000", Some(Background::Dark)),
            ("11;rgb:00/2b/36", Some(Background::Dark)),
            ("11;rgb:2828/2a2a/3636", Some(Background::Dark)),
            ("11;rgba:0000/0000/0000/ffff", Some(Background::Dark)),
            ("11;#1e1e1e", Some(Background::Dark)),
            ("11;rgb:f/f/f", Some(Background::Light)),
            ("11;rgb:fdfd/f6f6/e3e3", Some(Background::Light)),
            ("11;#fff", Some(Background::Light)),
        ] {
            assert_eq!(super::background(said), background, "{said}");
        }
    }

    #[test]
    fn what_is_neither_dark_nor_light_or_no_colour_at_all_tells_nothing() {
        for said in [
            "11;rgb:8080/8080/8080",
            "10;rgb:0000/0000/0000",
            "11;?",
            "11;",
            "11",
            "",
            "11;rgb:",
            "11;rgb:ffff/ffff",
            "11;rgb:ffff/ffff/ffff/ffff",
            "11;rgb:fffff/ffff/ffff",
            "11;rgb:+f/ff/ff",
            "11;rgb:zz/zz/zz",
            "11;rgb:ff//ff",
            "11;#ffff",
            "11;#ééé",
            "11;black",
        ] {
            assert_eq!(super::background(said), None, "{said}");
        }
    }
}
