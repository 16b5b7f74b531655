//! Columns of a table: what does not fit is left out whole, so that no number is ever cut.

/// A column of a table.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TableColumn<T> {
    /// The content of the column.
    pub what: T,
    /// Columns of the terminal it needs, with the gap before it.
    pub width: u16,
    /// The column with the lowest rank is left out first.
    pub rank: u8,
    /// It takes what is left over (one column does).
    pub grows: bool,
}

/// A column that is shown: what, where it starts, how wide it is.
pub type PlacedColumn<T> = (T, u16, u16);

/// The columns that fit into `room`, from the left, with where each starts.
#[must_use]
pub fn fit<T: Copy>(columns: &[TableColumn<T>], room: u16) -> Vec<PlacedColumn<T>> {
    let mut kept: Vec<TableColumn<T>> = columns.to_vec();
    let needed = |kept: &[TableColumn<T>]| kept.iter().map(|c| u32::from(c.width)).sum::<u32>();
    while needed(&kept) > u32::from(room) {
        let Some(lowest) = kept.iter().map(|c| c.rank).min() else {
            break;
        };
        if let Some(i) = kept.iter().rposition(|c| c.rank == lowest) {
            kept.remove(i);
        }
    }
    let spare = u32::from(room).saturating_sub(needed(&kept));
    let spare = u16::try_from(spare).unwrap_or(0);
    let mut x = 0;
    kept.iter()
        .map(|c| {
            let width = c.width + if c.grows { spare } else { 0 };
            let placed = (c.what, x, width);
            x += width;
            placed
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(what: char, width: u16, rank: u8, grows: bool) -> TableColumn<char> {
        TableColumn {
            what,
            width,
            rank,
            grows,
        }
    }

    #[test]
    fn the_least_important_column_goes_whole() {
        let columns = [
            column('a', 4, 9, true),
            column('b', 5, 1, false),
            column('c', 5, 2, false),
        ];
        assert_eq!(fit(&columns, 16), [('a', 0, 6), ('b', 6, 5), ('c', 11, 5)]);
        assert_eq!(fit(&columns, 13), [('a', 0, 8), ('c', 8, 5)]);
        assert_eq!(fit(&columns, 5), [('a', 0, 5)]);
        assert_eq!(fit(&columns, 3), []);
    }
}
