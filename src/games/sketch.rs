//! Boards drawn with letters, their rows and columns numbered.

/// Draws rows of cells under a line of column numbers, each row behind its own number. Every character is paid for by
/// whoever reads it, so columns are as narrow as they can be; the last number has room to its right.
pub fn sketch<S: AsRef<str>>(rows: &[(usize, Vec<S>)]) -> String {
    let cols = rows.first().map_or(0, |(_, cells)| cells.len());
    let length = |text: &str| text.chars().count();
    let widest = rows.iter().flat_map(|(_, cells)| cells).map(|cell| length(cell.as_ref())).max();
    let width = widest.unwrap_or(1).max(length(&cols.saturating_sub(2).to_string()));
    let margin = rows.iter().map(|(number, _)| length(&number.to_string())).max().unwrap_or(1);
    // Every turn of every model is drawn: straight into one text.
    let mut drawn = String::with_capacity((rows.len() + 1) * (margin + 1 + cols * (width + 1)));
    let mut line = |head: &str, cells: &mut dyn Iterator<Item = &str>| {
        drawn.extend(std::iter::repeat_n(' ', margin - length(head)));
        drawn.push_str(head);
        let empty = drawn.len();
        for cell in cells {
            drawn.push(' ');
            drawn.push_str(cell);
            drawn.extend(std::iter::repeat_n(' ', width.saturating_sub(length(cell))));
        }
        drawn.truncate(empty + drawn[empty..].trim_end().len());
        drawn.push('\n');
    };
    let numbers: Vec<String> = (0..cols).map(|col| col.to_string()).collect();
    line("", &mut numbers.iter().map(String::as_str));
    for (row, cells) in rows {
        line(&row.to_string(), &mut cells.iter().map(AsRef::as_ref));
    }
    drawn.truncate(drawn.trim_end_matches('\n').len());
    drawn
}
