//! Lines of fields as CSV.

/// A line with the columns' names, then the other lines, all with the same number of fields.
///
/// # Panics
/// A line has another number of fields than the first.
pub fn text(head: Vec<String>, lines: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in [head].into_iter().chain(lines) {
        writer.write_record(&line).expect("into memory, and as many fields as columns");
    }
    let bytes = writer.into_inner().expect("into memory");
    String::from_utf8(bytes).expect("fields of UTF-8")
}
