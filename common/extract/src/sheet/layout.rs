//! What each row of a sheet is: a title, the names of columns, or values. Decided by the document where it says so, else by where words and
//! numbers stand.

use super::sheet_row::SheetRow;

/// Most rows with names and values of the sheet itself before its table. Chosen: forms have up to a dozen.
const MAX_FIELDS: usize = 12;
/// Fewest columns of a table that follows such rows, which have two.
const LEAST_COLUMNS: usize = 3;

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The only words of a row before a table.
    Title,
    /// Names of the columns.
    Header,
    Values,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowRole {
    pub(super) role: Role,
    /// Whether the rows from here on are another table.
    pub(super) begins_table: bool,
}

/// The roles of `rows`, in order.
pub(super) fn roles(rows: &[SheetRow]) -> Vec<RowRole> {
    let mut roles = Vec::with_capacity(rows.len());
    while roles.len() < rows.len() {
        let start = roles.len();
        let rest = &rows[start..];
        let titles = rest.iter().take_while(|row| is_title(row)).count();
        let header = header(&rest[titles..]).map(|at| titles + at);
        for (at, row) in rest.iter().enumerate() {
            let is_next = at > titles && header.is_none_or(|header| at > header) && begins_table(&rest[at..]);
            if is_next {
                break;
            }
            let is_second_header = header.is_some_and(|header| {
                at == header + 1 && rest[header].spans_columns && !row.has_number && words(row) > 1
            });
            let role = match header {
                _ if at < titles => Role::Title,
                Some(header) if at == header || is_second_header => Role::Header,
                _ => Role::Values,
            };
            let begins_table = (at == 0 && start > 0) || (at > titles && header == Some(at));
            roles.push(RowRole { role, begins_table });
        }
    }
    roles
}

/// The row of `rows` that names the columns; `None` if none does.
fn header(rows: &[SheetRow]) -> Option<usize> {
    let early = &rows[..rows.len().min(MAX_FIELDS + 1)];
    if let Some(said) = early.iter().position(|row| row.is_header) {
        return Some(said);
    }
    let names = |row: &SheetRow| words(row) > 1 && (!row.has_number || row.spans_columns);
    // Rows of a name and a value come before the table, which is wider.
    let fields = early.iter().take_while(|row| words(row) < LEAST_COLUMNS).count();
    let is_wide = |at: usize| rows.get(at).is_some_and(|row| row.cells.len() >= LEAST_COLUMNS);
    let is_table = (1..=MAX_FIELDS).contains(&fields) && is_wide(fields) && rows.get(fields).is_some_and(names);
    if is_table && is_wide(fields + 1) && rows[fields + 1].has_number {
        return Some(fields);
    }
    rows.first().is_some_and(names).then_some(0)
}

/// Whether another table begins with `rows`: after a gap, with a title and a row that names columns of numbers, or as the document says.
fn begins_table(rows: &[SheetRow]) -> bool {
    let titles = rows.iter().take_while(|row| is_title(row)).count();
    let Some(row) = rows.get(titles) else { return false };
    if titles == 0 {
        return row.is_header;
    }
    let has_numbers = rows.get(titles + 1).is_some_and(|row| row.has_number);
    rows[0].is_after_gap && (row.is_header || (words(row) > 1 && !row.has_number && has_numbers))
}

fn is_title(row: &SheetRow) -> bool {
    words(row) == 1 && !row.is_header
}

/// Number of cells with words.
fn words(row: &SheetRow) -> usize {
    row.cells.iter().filter(|cell| !cell.trim().is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: usize, has_number: bool) -> SheetRow {
        SheetRow { cells: vec!["x".to_owned(); cells], has_number, ..SheetRow::default() }
    }

    #[test]
    fn rows_before_a_table_are_bounded() {
        for (fields, found) in [(MAX_FIELDS - 1, true), (MAX_FIELDS, true), (MAX_FIELDS + 1, false)] {
            let mut rows = vec![row(2, true); fields];
            rows.extend([row(3, false), row(3, true)]);
            assert_eq!(header(&rows).is_some(), found, "{fields}");
        }
    }

    #[test]
    fn what_the_document_says_about_its_header_counts() {
        let mut rows = vec![row(1, false), row(4, true), row(4, true), row(4, true)];
        rows[2].is_header = true;
        let found: Vec<(Role, bool)> = roles(&rows).iter().map(|row| (row.role, row.begins_table)).collect();
        let want = [(Role::Title, false), (Role::Values, false), (Role::Header, true), (Role::Values, false)];
        assert_eq!(found, want);
    }

    #[test]
    fn a_header_over_several_columns_has_a_second_row() {
        let mut rows = vec![row(4, true), row(4, false), row(4, true)];
        rows[0].spans_columns = true;
        let found: Vec<Role> = roles(&rows).iter().map(|row| row.role).collect();
        assert_eq!(found, [Role::Header, Role::Header, Role::Values]);
    }
}
