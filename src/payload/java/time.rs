//! `java.time` as `java.time.Ser` writes it: a byte for the type, and the parts of the value.

use crate::payload::reader::{Budget, Reader};
use crate::payload::time;
use crate::payload::tree::Node;

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

/// A value that `java.time.Ser` has written, if these bytes are one.
pub(in crate::payload) fn said(bytes: &[u8]) -> Option<Node> {
    let mut reader = Reader::new(bytes, Budget::full());
    let (class, text) = value(&mut reader)?;
    reader.at_end(Node::text(text).of(format!("java.time.{class}")))
}

fn value(r: &mut Reader<'_>) -> Option<(&'static str, String)> {
    Some(match r.byte()? {
        DURATION => ("Duration", time::duration(long(r)?, nanos(r)?)),
        INSTANT => ("Instant", time::instant(long(r)?, nanos(r)?)),
        LOCAL_DATE => ("LocalDate", date(r)?),
        LOCAL_TIME => ("LocalTime", clock(r)?),
        LOCAL_DATE_TIME => ("LocalDateTime", date_time(r)?),
        ZONED_DATE_TIME => ("ZonedDateTime", zoned(r)?),
        ZONE_REGION => ("ZoneRegion", region(r)?),
        ZONE_OFFSET => ("ZoneOffset", offset(r)?),
        OFFSET_TIME => ("OffsetTime", clock(r)? + &offset(r)?),
        OFFSET_DATE_TIME => ("OffsetDateTime", date_time(r)? + &offset(r)?),
        YEAR => ("Year", int(r)?.to_string()),
        YEAR_MONTH => {
            let day = time::year_month_day(int(r)?.into(), r.byte()?, 1);
            ("YearMonth", day.trim_end_matches("-01").to_owned())
        }
        MONTH_DAY => ("MonthDay", format!("--{:02}-{:02}", r.byte()?, r.byte()?)),
        PERIOD => ("Period", time::period([int(r)?, int(r)?, int(r)?])),
        _ => return None,
    })
}

fn zoned(r: &mut Reader<'_>) -> Option<String> {
    let (at, offset_of_it) = (date_time(r)?, offset(r)?);
    let zone = match r.byte()? {
        ZONE_REGION => format!("[{}]", region(r)?),
        ZONE_OFFSET => {
            offset(r)?;
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

/// Quarters of an hour, or 127 and seconds.
fn offset(r: &mut Reader<'_>) -> Option<String> {
    let quarters = i8::from_be_bytes(r.array()?);
    let seconds = match quarters {
        127 => int(r)?,
        quarters => i32::from(quarters) * 900,
    };
    Some(time::offset(seconds))
}

fn date(r: &mut Reader<'_>) -> Option<String> {
    Some(time::year_month_day(int(r)?.into(), r.byte()?, r.byte()?))
}

fn date_time(r: &mut Reader<'_>) -> Option<String> {
    Some(format!("{}T{}", date(r)?, clock(r)?))
}

/// Hour, minute, second, nanoseconds: the last of them that is not zero is followed by nothing, and
/// is written as its complement.
fn clock(r: &mut Reader<'_>) -> Option<String> {
    let mut parts = [0_i64; 3];
    for part in &mut parts {
        let byte = i8::from_be_bytes(r.array()?);
        *part = i64::from(if byte < 0 { !byte } else { byte });
        if byte < 0 {
            return Some(time::clock(seconds(parts), 0, false));
        }
    }
    Some(time::clock(seconds(parts), nanos(r)?, false))
}

const fn seconds([hour, minute, second]: [i64; 3]) -> i64 {
    (hour * 60 + minute) * 60 + second
}

fn int(r: &mut Reader<'_>) -> Option<i32> {
    r.array().map(i32::from_be_bytes)
}

fn long(r: &mut Reader<'_>) -> Option<i64> {
    r.array().map(i64::from_be_bytes)
}

fn nanos(r: &mut Reader<'_>) -> Option<u32> {
    let nanos = u32::from_be_bytes(r.array()?);
    (nanos < 1_000_000_000).then_some(nanos)
}
