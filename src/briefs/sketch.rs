//! Boards drawn with letters, their rows and columns numbered.

/// Draws rows of cells under a line of column numbers, each row behind its own number. Every character is paid for by
/// whoever reads it, so columns are as narrow as they can be; the last number has room to its right.
pub(super) fn sketch<S: AsRef<str>>(rows: &[(usize, Vec<S>)]) -> String {
    let cols = rows.first().map_or(0, |(_, cells)| cells.len());
    let length = |text: &str| text.chars().count();
    let widest = rows.iter().flat_map(|(_, cells)| cells).map(|cell| length(cell.as_ref())).max();
    let width = widest.unwrap_or(1).max(length(&cols.saturating_sub(2).to_string()));
    let margin = rows.iter().map(|(number, _)| length(&number.to_string())).max().unwrap_or(1);
    let line = |head: String, cells: Vec<String>| {
        let cells: Vec<String> = cells.into_iter().map(|cell| format!("{cell:<width$}")).collect();
        format!("{head:>margin$} {}", cells.join(" ").trim_end())
    };
    let mut lines = vec![line(String::new(), (0..cols).map(|col| col.to_string()).collect())];
    lines.extend(
        rows.iter()
            .map(|(row, cells)| line(row.to_string(), cells.iter().map(|cell| cell.as_ref().to_owned()).collect())),
    );
    lines.join("\n")
}
