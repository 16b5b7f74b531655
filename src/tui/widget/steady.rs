//! Text that takes the same room in every terminal.
//!
//! A flag, a hand with a skin tone, a family joined of three people: one terminal draws them as one
//! picture of two columns, another as the two to seven characters they are made of. The one that
//! takes more moves the rest of the row, and leaves its own rest behind when the picture changes.

use std::borrow::Cow;

/// `text` without what terminals measure differently: pictures fall into the plain ones they are
/// joined of, a flag into the letters of its country. What a plain character looks like stays:
/// CJK and emoji have two columns everywhere.
#[must_use]
pub(crate) fn steady(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsteady) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{1f1e6}'..='\u{1f1ff}' => out.extend(letter(c)),
            // By itself it is a patch of colour, a picture like others.
            '\u{1f3fb}'..='\u{1f3ff}' if !out.ends_with(is_picture) => out.push(c),
            c if is_unsteady(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Joins characters to one picture, or chooses what one looks like.
fn is_unsteady(c: char) -> bool {
    matches!(c,
        '\u{200d}' | '\u{20e3}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{1f1e6}'..='\u{1f1ff}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// May be given a skin tone.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{1f300}'..='\u{1faff}')
}

/// The letter that a half of a flag stands for.
fn letter(half: char) -> Option<char> {
    char::from_u32(u32::from(half) - 0x1f1e6 + u32::from('A'))
}

#[cfg(test)]
mod tests {
    use unicode_segmentation::UnicodeSegmentation as _;

    use super::*;
    use crate::queue::text;

    #[test]
    fn pictures_fall_into_the_plain_ones_they_are_joined_of() {
        let cases = [
            ("paid \u{1f1e9}\u{1f1ea}!", "paid DE!"),
            ("\u{1f44d}\u{1f3fd} ok", "\u{1f44d} ok"),
            ("\u{261d}\u{1f3ff}", "\u{261d}"),
            ("\u{1f469}\u{200d}\u{1f4bb}", "\u{1f469}\u{1f4bb}"),
            ("\u{2764}\u{fe0f}", "\u{2764}"),
            ("1\u{fe0f}\u{20e3}", "1"),
            ("tone \u{1f3fd}", "tone \u{1f3fd}"),
        ];
        for (given, shown) in cases {
            assert_eq!(steady(given), shown);
        }
    }

    #[test]
    fn what_is_plain_stays() {
        for plain in [
            "orders",
            "订单延迟",
            "ещё",
            "かな",
            "🎉🦀",
            "é e\u{301}",
            "한국",
        ] {
            assert!(matches!(steady(plain), Cow::Borrowed(same) if same == plain));
        }
    }

    proptest::proptest! {
        #[test]
        fn pictures_are_as_wide_as_their_characters(
            text in "[a-z\u{200d}\u{fe0f}\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\u{1f466}-\u{1f469}\u{2764}\u{1f44d}订单]{0,12}"
        ) {
            let shown = steady(&text);
            for cluster in shown.graphemes(true) {
                let each = |c: char| text::width(c.encode_utf8(&mut [0; 4]));
                let apart: usize = cluster.chars().map(each).sum();
                proptest::prop_assert_eq!(text::width(cluster), apart, "{:?}", cluster);
            }
        }
    }
}
