//! `java.time.chrono` as `java.time.chrono.Ser` writes it, and as Java prints it: dates of other
//! calendars than the ISO one.

use super::extra::Extra;
use crate::payload::reader::{Budget, Reader};
use crate::payload::time;
use crate::payload::tree::{Shape, TreeNode};

pub(in crate::payload) const CHRONOLOGY: u8 = 1;
pub(in crate::payload) const LOCAL_DATE_TIME: u8 = 2;
pub(in crate::payload) const ZONED_DATE_TIME: u8 = 3;
pub(in crate::payload) const JAPANESE_DATE: u8 = 4;
pub(in crate::payload) const JAPANESE_ERA: u8 = 5;
pub(in crate::payload) const HIJRAH_DATE: u8 = 6;
pub(in crate::payload) const MINGUO_DATE: u8 = 7;
pub(in crate::payload) const THAI_DATE: u8 = 8;
pub(in crate::payload) const PERIOD: u8 = 9;

/// The eras of Japan: the number that is written, the name, and the first year, month and day.
const ERAS: [(i8, &str, Day); 5] = [
    (3, "Reiwa", (2019, 5, 1)),
    (2, "Heisei", (1989, 1, 8)),
    (1, "Showa", (1926, 12, 25)),
    (0, "Taisho", (1912, 7, 30)),
    (-1, "Meiji", (1868, 1, 1)),
];

/// Year, month and day of the month.
type Day = (i32, u8, u8);

/// The value, of what was written besides fields.
pub(in crate::payload) fn said(extra: &[Extra<'_>]) -> Option<TreeNode> {
    let [Extra::Block(block, _), rest @ ..] = extra else {
        return None;
    };
    let mut reader = Reader::new(block, Budget::full());
    let r = &mut reader;
    let (class, said) = match r.byte()? {
        CHRONOLOGY => ("Chronology", utf(r, 0)?),
        LOCAL_DATE_TIME => {
            let [date, clock] = texts(rest)?;
            ("ChronoLocalDateTime", format!("{date}T{clock}"))
        }
        ZONED_DATE_TIME => {
            let [at, offset, zone] = texts(rest)?;
            let zone = if zone == offset {
                String::new()
            } else {
                format!("[{zone}]")
            };
            ("ChronoZonedDateTime", format!("{at}{offset}{zone}"))
        }
        JAPANESE_DATE => ("JapaneseDate", japanese(day(r)?)?),
        JAPANESE_ERA => {
            let era = i8::from_be_bytes(r.array()?);
            let (_, name, _) = ERAS.iter().find(|(number, ..)| *number == era)?;
            ("JapaneseEra", (*name).to_owned())
        }
        HIJRAH_DATE => {
            let [Extra::Node(chronology), Extra::Block(block, _)] = rest else {
                return None;
            };
            let Shape::Text(chronology) = &chronology.shape else {
                return None;
            };
            let day = day(&mut Reader::new(block, Budget::full()))?;
            ("HijrahDate", of_era(chronology, ["AH", "AH"], day))
        }
        MINGUO_DATE => (
            "MinguoDate",
            of_era("Minguo", ["ROC", "BEFORE_ROC"], day(r)?),
        ),
        THAI_DATE => (
            "ThaiBuddhistDate",
            of_era("ThaiBuddhist", ["BE", "BEFORE_BE"], day(r)?),
        ),
        PERIOD => {
            let chronology = utf(r, 12)?;
            let mut parts = [0; 3];
            for part in &mut parts {
                *part = i32::from_be_bytes(r.array()?);
            }
            (
                "ChronoPeriod",
                format!("{chronology} {}", time::period(parts)),
            )
        }
        _ => return None,
    };
    let node = TreeNode::text(said).of(format!("java.time.chrono.{class}"));
    reader.at_end(node)
}

/// The texts that were written, if it is that many.
fn texts<'a, const N: usize>(rest: &'a [Extra<'_>]) -> Option<[&'a str; N]> {
    let text = |extra: &'a Extra<'_>| match extra {
        Extra::Node(node) => match &node.shape {
            Shape::Text(text) => Some(text.as_str()),
            _ => None,
        },
        Extra::Block(..) => None,
    };
    let texts: Option<Vec<&str>> = rest.iter().map(text).collect();
    texts?.try_into().ok()
}

/// A name before the last `after` bytes: behind its length in bytes, or in JBoss Marshalling its
/// length in characters, which has four bytes.
fn utf(r: &mut Reader<'_>, after: usize) -> Option<String> {
    let long = r.rest().starts_with(&[0, 0]);
    if long {
        r.bytes(2)?;
    }
    let length = usize::from(u16::from_be_bytes(r.array()?));
    (r.rest().len() == length + after).then(|| r.modified_utf8(length))?
}

/// Year, month and day of the month.
fn day(r: &mut Reader<'_>) -> Option<Day> {
    Some((i32::from_be_bytes(r.array()?), r.byte()?, r.byte()?))
}

/// A date whose years are counted from an era on, or back from it.
fn of_era(chronology: &str, [since, before]: [&str; 2], (year, month, day): Day) -> String {
    let (era, year) = if year >= 1 {
        (since, i64::from(year))
    } else {
        (before, 1 - i64::from(year))
    };
    format!("{chronology} {era} {year}-{month:02}-{day:02}")
}

/// A date that is written as an ISO one.
fn japanese(date: Day) -> Option<String> {
    let (_, era, first) = ERAS.iter().find(|(.., first)| *first <= date)?;
    let (year, month, day) = date;
    let year = i64::from(year) - i64::from(first.0) + 1;
    Some(format!("Japanese {era} {year}-{month:02}-{day:02}"))
}
