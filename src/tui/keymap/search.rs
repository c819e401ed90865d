//! The commands that the palette finds for what is typed.

use super::{COMMANDS, Command, Context};

/// Returns the matching commands, best match first, otherwise in the order of the table.
pub fn entries(query: &str) -> Vec<&'static Command> {
    let query = query.to_lowercase();
    let mut found: Vec<_> = COMMANDS
        .iter()
        .filter(|command| command.context == Context::Main)
        .filter_map(|command| {
            let text = format!("{} {}", command.name, command.help).to_lowercase();
            Some((matches(&query, &text)?, command))
        })
        .collect();
    found.sort_by_key(|(cost, _)| *cost);
    found.into_iter().map(|(_, command)| command).collect()
}

/// Returns the cost of matching `query` to `text`, or `None` if its letters do not occur in this
/// order; the fewer characters precede and separate them, the lower the cost.
fn matches(query: &str, text: &str) -> Option<usize> {
    if let Some(at) = text.find(query) {
        return Some(at);
    }
    let mut rest = text.char_indices();
    let mut cost = 0;
    let mut last = 0;
    for letter in query.chars() {
        let (at, _) = rest.find(|(_, other)| *other == letter)?;
        cost += at - last;
        last = at;
    }
    // Scattered letters cost more than a contiguous match anywhere.
    Some(text.len() + cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_together_come_before_letters_apart() {
        let names = |query| entries(query).iter().map(|c| c.name).collect::<Vec<_>>();
        assert_eq!(names("theme")[0], "theme");
        assert_eq!(names("cmpr")[0], "compare");
        assert_eq!(names("qqqq"), Vec::<&str>::new());
        assert_eq!(names("").len(), COMMANDS.iter().filter(|c| c.context == Context::Main).count());
    }
}
