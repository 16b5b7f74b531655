//! Objects of the JDK that are one value, made of several fields or of bytes.

use super::{Level, block, field, long, net, number, text};
use crate::payload::reader::Reader;
use crate::payload::time as iso;
use crate::payload::tree::{Shape, TreeNode};

/// Set bits that are listed; of a larger set its words are shown.
const MAX_BITS: usize = 4096;

/// The line of a native method.
const NATIVE: i64 = -2;

/// The value, if the class is known to be one.
pub(super) fn value(r: &mut Reader<'_>, class: &str, levels: &[Level<'_>]) -> Option<TreeNode> {
    match class {
        "java.util.Date" | "java.sql.Date" | "java.sql.Time" => date(levels),
        "java.sql.Timestamp" => {
            let Shape::Text(text) = date(levels)?.shape else {
                return None;
            };
            let nanos = u32::try_from(long(levels, "nanos")?).ok()?;
            let seconds = text.get(..19)?;
            Some(TreeNode::text(format!(
                "{seconds}{}Z",
                iso::fraction(nanos)
            )))
        }
        "java.util.GregorianCalendar"
        | "java.util.JapaneseImperialCalendar"
        | "sun.util.BuddhistCalendar" => Some(iso::date(long(levels, "time")?)),
        "java.util.UUID" => Some(number::uuid(
            long(levels, "mostSigBits")?.cast_unsigned(),
            long(levels, "leastSigBits")?.cast_unsigned(),
        )),
        "java.math.BigInteger" => {
            let Shape::Bytes(magnitude) = &field(levels, "magnitude")?.shape else {
                return None;
            };
            number::big_integer(r, long(levels, "signum")?, magnitude)
        }
        "java.math.BigDecimal" => {
            let Shape::Number(unscaled) = &field(levels, "intVal")?.shape else {
                return None;
            };
            number::big_decimal(unscaled.as_str(), long(levels, "scale")?)
        }
        "java.util.Locale" => {
            let parts = ["language", "country", "variant", "script", "extensions"];
            let parts = parts.map(|part| text(levels, part).unwrap_or_default());
            Some(TreeNode::text(locale(parts.each_ref().map(String::as_str))))
        }
        "java.net.URL" => Some(TreeNode::text(url(levels)?)),
        "java.net.InetAddress" | "java.net.Inet4Address" | "java.net.Inet6Address" => {
            Some(TreeNode::text(net::address(levels)?))
        }
        "java.net.InetSocketAddress" => Some(TreeNode::text(net::socket(levels)?)),
        "java.lang.StackTraceElement" => Some(TreeNode::text(frame(levels)?)),
        "java.util.BitSet" => bits(&words(field(levels, "bits")?)?),
        "java.util.concurrent.atomic.AtomicBoolean" => {
            Some(TreeNode::new(Shape::Bool(long(levels, "value")? != 0)))
        }
        "java.lang.StringBuilder" | "java.lang.StringBuffer" => characters(levels),
        _ => text(levels, one_text(class)?).map(TreeNode::text),
    }
}

/// The field of a class that says it all.
fn one_text(class: &str) -> Option<&'static str> {
    Some(match class {
        "java.net.URI" => "string",
        "java.util.Currency" => "currencyCode",
        "java.util.regex.Pattern" => "pattern",
        "java.io.File" => "path",
        "sun.util.calendar.ZoneInfo" | "java.util.SimpleTimeZone" => "ID",
        _ => return None,
    })
}

/// The milliseconds that `java.util.Date` writes.
fn date(levels: &[Level<'_>]) -> Option<TreeNode> {
    let level = levels
        .iter()
        .find(|level| &*level.class == "java.util.Date")?;
    let bytes = level.extra.iter().find_map(block)?;
    Some(iso::date(i64::from_be_bytes(bytes.try_into().ok()?)))
}

fn url(levels: &[Level<'_>]) -> Option<String> {
    let said = |name: &str| text(levels, name);
    // With what stands before the host: who asks, and the password.
    if let Some(authority) = said("authority").filter(|authority| !authority.is_empty()) {
        let anchor = said("ref").map_or_else(String::new, |anchor| format!("#{anchor}"));
        let file = said("file").unwrap_or_default();
        return Some(format!("{}://{authority}{file}{anchor}", said("protocol")?));
    }
    Some(address([
        &said("protocol")?,
        &said("host").unwrap_or_default(),
        &match long(levels, "port")? {
            -1 => String::new(),
            port => format!(":{port}"),
        },
        &said("file").unwrap_or_default(),
        &said("ref").map_or_else(String::new, |anchor| format!("#{anchor}")),
    ]))
}

/// A line of a stack trace, as Java prints it.
fn frame(levels: &[Level<'_>]) -> Option<String> {
    let (class, method) = (text(levels, "declaringClass")?, text(levels, "methodName")?);
    let line = long(levels, "lineNumber")?;
    let place = match text(levels, "fileName") {
        _ if line == NATIVE => "Native Method".to_owned(),
        Some(file) if line >= 0 => format!("{file}:{line}"),
        Some(file) => file,
        None => "Unknown Source".to_owned(),
    };
    Some(format!("{class}.{method}({place})"))
}

/// A URL: its protocol, host, `:port`, file, `#anchor`.
pub(in crate::payload) fn address([protocol, host, port, file, anchor]: [&str; 5]) -> String {
    let slashes = if host.is_empty() { "" } else { "//" };
    format!("{protocol}:{slashes}{host}{port}{file}{anchor}")
}

/// A locale as `Locale.toString()` says it: language, country, variant, script, extensions.
pub(in crate::payload) fn locale([language, country, variant, script, more]: [&str; 5]) -> String {
    let mut said = language.to_owned();
    let has_place = !language.is_empty() || !country.is_empty();
    let goes_on = !variant.is_empty() || !script.is_empty() || !more.is_empty();
    if !country.is_empty() || !language.is_empty() && goes_on {
        said = format!("{said}_{country}");
    }
    if !variant.is_empty() && has_place {
        said = format!("{said}_{variant}");
    }
    if !script.is_empty() && has_place {
        said = format!("{said}_#{script}");
    }
    if !more.is_empty() && has_place {
        let mark = if script.is_empty() { "#" } else { "" };
        said = format!("{said}_{mark}{more}");
    }
    said
}

/// The set bits of a `BitSet`, the lowest word first; none if they are too many to be listed.
pub(in crate::payload) fn bits(words: &[u64]) -> Option<TreeNode> {
    let set: u32 = words.iter().map(|word| word.count_ones()).sum();
    if usize::try_from(set).ok()? > MAX_BITS {
        return None;
    }
    let all = words.iter().zip((0_u64..).step_by(64));
    let set = all.flat_map(|(word, first)| {
        let is_set = move |bit: &u64| word >> bit & 1 == 1;
        (0..64).filter(is_set).map(move |bit| first + bit)
    });
    Some(TreeNode::new(Shape::List(
        set.map(TreeNode::number).collect(),
    )))
}

/// The same as they are read: each takes the room of a value.
pub(in crate::payload) fn bits_of(r: &mut Reader<'_>, words: &[u64]) -> Option<TreeNode> {
    let node = bits(words)?;
    if let Shape::List(set) = &node.shape {
        r.take_nodes(set.len())?;
    }
    Some(node)
}

/// The words of such a set, in an array of `long`.
pub(in crate::payload) fn words(node: &TreeNode) -> Option<Vec<u64>> {
    let Shape::List(words) = &node.shape else {
        return None;
    };
    let word = |node: &TreeNode| match &node.shape {
        Shape::Number(number) => number.as_i64().map(i64::cast_unsigned),
        _ => None,
    };
    words.iter().map(word).collect()
}

/// A `StringBuilder` writes the number of its characters and a larger array of them.
fn characters(levels: &[Level<'_>]) -> Option<TreeNode> {
    let mut extra = levels.iter().flat_map(|level| &level.extra);
    let (count, array) = if let Some(count) = long(levels, "count") {
        (count, field(levels, "value")?)
    } else {
        let count = i32::from_be_bytes(extra.next().and_then(block)?.try_into().ok()?);
        let super::Extra::Node(array) = extra.next()? else {
            return None;
        };
        (count.into(), array)
    };
    let Shape::List(units) = &array.shape else {
        return None;
    };
    let units = units.get(..usize::try_from(count).ok()?)?;
    let said = units.iter().map(|unit| match &unit.shape {
        Shape::Text(unit) => Some(unit.as_str()),
        _ => None,
    });
    said.collect::<Option<String>>().map(TreeNode::text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_are_said_as_java_says_them() {
        for (parts, said) in [
            (["de", "AT", "", "", ""], "de_AT"),
            (["", "AT", "", "", ""], "_AT"),
            (["en", "", "POSIX", "", ""], "en__POSIX"),
            (["zh", "TW", "", "Hant", ""], "zh_TW_#Hant"),
            (
                ["th", "TH", "", "", "u-ca-buddhist"],
                "th_TH_#u-ca-buddhist",
            ),
            (["", "", "", "", ""], ""),
        ] {
            assert_eq!(locale(parts), said);
        }
    }

    #[test]
    fn a_set_of_too_many_bits_is_not_listed() {
        assert!(bits(&[u64::MAX; 64]).is_some());
        assert!(bits(&[u64::MAX; 65]).is_none());
    }
}
