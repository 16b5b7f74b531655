//! `java.time` as `java.time.Ser` writes it: a byte for the type, and the parts of the value.

use crate::payload::reader::{Budget, Reader};
use crate::payload::time;
use crate::payload::tree::TreeNode;

const DURATION: u8 = 1;
const INSTANT: u8 = 2;
const LOCAL_DATE: u8 = 3;
const LOCAL_TIME: u8 = 4;
const LOCAL_DATE_TIME: u8 = 5;
const ZONED_DATE_TIME: u8 = 6;
const ZONE_REGION: u8 = 7;
const ZONE_OFFSET: u8 = 8;
const OFFSET_TIME: u8 = 9;
const OFFSET_DATE_TIME: u8 = 10;
const YEAR: u8 = 11;
const YEAR_MONTH: u8 = 12;
const MONTH_DAY: u8 = 13;
const PERIOD: u8 = 14;

/// The way in which a codec writes the parts of a value.
pub(in crate::payload) struct Coder {
    pub(in crate::payload) int: fn(&mut Reader<'_>) -> Option<i32>,
    pub(in crate::payload) long: fn(&mut Reader<'_>) -> Option<i64>,
    /// A text that may be all that is left.
    pub(in crate::payload) utf: fn(&mut Reader<'_>) -> Option<String>,
}

/// The way of Java and of JBoss Marshalling.
const PLAIN: Coder = Coder {
    int: |r| r.array().map(i32::from_be_bytes),
    long: |r| r.array().map(i64::from_be_bytes),
    utf: region,
};

/// A value that `java.time.Ser` has written, if these bytes are one.
pub(in crate::payload) fn said(bytes: &[u8]) -> Option<TreeNode> {
    let mut reader = Reader::new(bytes, Budget::full());
    let node = value(&mut reader, &PLAIN)?;
    reader.at_end(node)
}

/// A value whose parts lie as `c` reads them.
pub(in crate::payload) fn value(r: &mut Reader<'_>, c: &Coder) -> Option<TreeNode> {
    let (class, text) = match r.byte()? {
        DURATION => ("Duration", time::duration((c.long)(r)?, nanos(r, c)?)),
        INSTANT => ("Instant", time::instant((c.long)(r)?, nanos(r, c)?)),
        LOCAL_DATE => ("LocalDate", date(r, c)?),
        LOCAL_TIME => ("LocalTime", clock(r, c)?),
        LOCAL_DATE_TIME => ("LocalDateTime", date_time(r, c)?),
        ZONED_DATE_TIME => ("ZonedDateTime", zoned(r, c)?),
        ZONE_REGION => ("ZoneRegion", (c.utf)(r)?),
        ZONE_OFFSET => ("ZoneOffset", offset(r, c)?),
        OFFSET_TIME => ("OffsetTime", clock(r, c)? + &offset(r, c)?),
        OFFSET_DATE_TIME => ("OffsetDateTime", date_time(r, c)? + &offset(r, c)?),
        YEAR => ("Year", (c.int)(r)?.to_string()),
        YEAR_MONTH => {
            let (year, month) = ((c.int)(r)?, r.byte()?);
            ("YearMonth", time::year_month(year.into(), month))
        }
        MONTH_DAY => ("MonthDay", format!("--{:02}-{:02}", r.byte()?, r.byte()?)),
        PERIOD => {
            let parts = [(c.int)(r)?, (c.int)(r)?, (c.int)(r)?];
            ("Period", time::period(parts))
        }
        _ => return None,
    };
    Some(TreeNode::text(text).of(format!("java.time.{class}")))
}

fn zoned(r: &mut Reader<'_>, c: &Coder) -> Option<String> {
    let (at, offset_of_it) = (date_time(r, c)?, offset(r, c)?);
    let zone = match r.byte()? {
        ZONE_REGION => format!("[{}]", (c.utf)(r)?),
        ZONE_OFFSET => {
            offset(r, c)?;
            String::new()
        }
        _ => return None,
    };
    Some(at + &offset_of_it + &zone)
}

/// The name of a zone, which ends the value: behind its length in bytes, or in JBoss Marshalling
/// its length in characters, which has four bytes.
fn region(r: &mut Reader<'_>) -> Option<String> {
    let mark = r.mark();
    let length = usize::from(u16::from_be_bytes(r.array()?));
    if length == r.rest().len() {
        return r.modified_utf8(length);
    }
    r.back(mark);
    let count = u32::from_be_bytes(r.array()?);
    r.units(usize::try_from(count).ok()?)
}

fn offset(r: &mut Reader<'_>, c: &Coder) -> Option<String> {
    offset_of(r, c.int)
}

/// Quarters of an hour, or 127 and seconds.
pub(in crate::payload) fn offset_of(
    r: &mut Reader<'_>,
    int: fn(&mut Reader<'_>) -> Option<i32>,
) -> Option<String> {
    let quarters = i8::from_be_bytes(r.array()?);
    let seconds = match quarters {
        127 => int(r)?,
        quarters => i32::from(quarters) * 900,
    };
    Some(time::offset(seconds))
}

fn date(r: &mut Reader<'_>, c: &Coder) -> Option<String> {
    let year = (c.int)(r)?;
    Some(time::year_month_day(year.into(), r.byte()?, r.byte()?))
}

fn date_time(r: &mut Reader<'_>, c: &Coder) -> Option<String> {
    Some(format!("{}T{}", date(r, c)?, clock(r, c)?))
}

fn clock(r: &mut Reader<'_>, c: &Coder) -> Option<String> {
    clock_of(r, |r| nanos(r, c))
}

/// The time of a day, whose nanoseconds lie as the codec writes them.
pub(in crate::payload) fn clock_of(
    r: &mut Reader<'_>,
    nanos: impl FnOnce(&mut Reader<'_>) -> Option<u32>,
) -> Option<String> {
    match hour_minute_second(r)? {
        (seconds, true) => Some(time::clock(seconds, nanos(r)?, false)),
        (seconds, false) => Some(time::clock(seconds, 0, false)),
    }
}

/// The second of the day, and whether nanoseconds follow: the last of hour, minute and second that
/// is not followed by anything is written as its complement.
fn hour_minute_second(r: &mut Reader<'_>) -> Option<(i64, bool)> {
    let mut parts = [0_i64; 3];
    for part in &mut parts {
        let byte = i8::from_be_bytes(r.array()?);
        *part = i64::from(if byte < 0 { !byte } else { byte });
        if byte < 0 {
            return Some((seconds(parts), false));
        }
    }
    Some((seconds(parts), true))
}

const fn seconds([hour, minute, second]: [i64; 3]) -> i64 {
    (hour * 60 + minute) * 60 + second
}

fn nanos(r: &mut Reader<'_>, c: &Coder) -> Option<u32> {
    let nanos = u32::try_from((c.int)(r)?).ok()?;
    (nanos < 1_000_000_000).then_some(nanos)
}
