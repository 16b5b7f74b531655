//! The reading of the answers of the scripts.

use redis::Value;

use super::super::script::{index, list, text};
use super::{AllWait, AppendFate, BroughtBack, ListRound, ReturnFate, SweepFate};

pub(super) fn all_wait([what, at, last]: &[Value; 3]) -> Option<AllWait> {
    Some(match what {
        Value::Int(0) => AllWait::Yes,
        Value::Int(1) => AllWait::SoFar(number(at)?, bytes(last)?),
        Value::Int(2) => AllWait::No,
        Value::Int(3) => AllWait::Lost,
        _ => return None,
    })
}

pub(super) fn brought_back([taken, left, dropped]: &[Value; 3]) -> Option<BroughtBack> {
    Some(BroughtBack {
        taken: number(taken)?,
        left: number(left)?,
        dropped: list(dropped)?.iter().map(bytes).collect::<Option<_>>()?,
    })
}

pub(super) fn round([went, last, told]: &[Value; 3]) -> Option<ListRound> {
    let read = |told: &[Value]| {
        let [i, what, how] = told else { return None };
        let swept = match what {
            Value::Int(1) => SweepFate::Left(Some(bytes(how)?).filter(|behind| !behind.is_empty())),
            Value::Int(2) => SweepFate::Not,
            Value::Int(3) => SweepFate::Changed(text(how)?.parse().ok()?),
            Value::Int(4) => SweepFate::Copies(number(how)?),
            Value::Int(5) => SweepFate::Twin,
            _ => return None,
        };
        Some((index(i)?, swept))
    };
    Some(ListRound {
        went: usize::try_from(number(went)?).ok()?,
        last: Some(bytes(last)?).filter(|last| !last.is_empty()),
        swept: list(told)?.chunks(3).map(read).collect::<Option<_>>()?,
    })
}

pub(super) fn put_back([went, what]: &[Value; 2]) -> Option<(usize, Vec<ReturnFate>)> {
    let returned = |value: &Value| {
        Some(match text(value)? {
            "" => ReturnFate::Done,
            "-" => ReturnFate::NoNeighbour,
            "?" => ReturnFate::Gone,
            other if other.starts_with('=') => ReturnFate::Changed(other[1..].parse().ok()?),
            score => ReturnFate::Waits(score.parse().ok()?),
        })
    };
    let all = list(what)?.iter().map(returned).collect::<Option<_>>()?;
    Some((usize::try_from(number(went)?).ok()?, all))
}

/// Nothing was done: it is another list by now.
#[derive(Debug)]
pub(super) struct OtherList;

pub(super) fn appended([again, what]: &[Value; 2]) -> Option<Result<Vec<AppendFate>, OtherList>> {
    if *again == Value::Int(1) {
        return Some(Err(OtherList));
    }
    let read = |value: &Value| match value {
        Value::Int(0) => Some(AppendFate::Gone),
        Value::Int(1) => Some(AppendFate::Done),
        Value::Int(2) => Some(AppendFate::There),
        _ => None,
    };
    Some(Ok(list(what)?.iter().map(read).collect::<Option<_>>()?))
}

pub(super) fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Int(n) => u64::try_from(*n).ok(),
        _ => None,
    }
}

pub(super) fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes.clone()),
        _ => None,
    }
}
