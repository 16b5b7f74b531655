//! Dates of other calendars: as `java.time.chrono.Ser` writes them, with FST's numbers and texts.

use super::Fst;
use super::parts::{compact_int, utf};
use crate::payload::java::chrono::{
    CHRONOLOGY, HIJRAH_DATE, JAPANESE_DATE, JAPANESE_ERA, LOCAL_DATE_TIME, MINGUO_DATE, PERIOD,
    THAI_DATE, ZONED_DATE_TIME, said,
};
use crate::payload::java::extra::{Extra, Utf};
use crate::payload::reader::Reader;
use crate::payload::tree::TreeNode;

/// The value: what Java would have written is put together, and read as that is.
pub(super) fn value(fst: &mut Fst, r: &mut Reader<'_>) -> Option<TreeNode> {
    let kind = r.byte()?;
    let mut block = vec![kind];
    let (mut objects, mut after) = (0, None);
    match kind {
        CHRONOLOGY => name(r, &mut block)?,
        LOCAL_DATE_TIME => objects = 2,
        ZONED_DATE_TIME => objects = 3,
        JAPANESE_DATE | MINGUO_DATE | THAI_DATE => day(r, &mut block)?,
        JAPANESE_ERA => block.push(r.byte()?),
        HIJRAH_DATE => {
            objects = 1;
            after = Some(Vec::new());
        }
        PERIOD => {
            name(r, &mut block)?;
            for _ in 0..3 {
                block.extend(compact_int(r)?.to_be_bytes());
            }
        }
        _ => return None,
    }
    let objects = r.items(objects, |r| fst.value(r))?;
    if let Some(block) = &mut after {
        day(r, block)?;
    }
    let mut all = vec![Extra::Block(&block, Utf::Bytes)];
    all.extend(objects.into_iter().map(Extra::Node));
    all.extend(after.iter().map(|block| Extra::Block(block, Utf::Bytes)));
    said(&all)
}

fn name(r: &mut Reader<'_>, block: &mut Vec<u8>) -> Option<()> {
    let name = utf(r)?;
    block.extend(u16::try_from(name.len()).ok()?.to_be_bytes());
    block.extend(name.bytes());
    Some(())
}

/// Year, month and day of the month.
fn day(r: &mut Reader<'_>, block: &mut Vec<u8>) -> Option<()> {
    block.extend(compact_int(r)?.to_be_bytes());
    block.extend([r.byte()?, r.byte()?]);
    Some(())
}
