//! The blocks `play`, `change`, `dials` and `exercise`.

use super::super::complaint::{Complaints, NOT_THERE, OUT_OF_PLACE, WRONG_VALUE};
use super::super::document::{Change, Dials, Exercise, Play, Spot};
use super::block::Block;
use super::folder::Folder;
use super::settings::size;
use crate::trace::cursor::Unit;

/// The speeds of the screen.
const SPEEDS: &[&str] = &["1/8x", "1/4x", "1/2x", "1x", "2x", "4x", "8x", "16x", "32x", "64x"];

/// The run goes on to a place.
pub(super) fn play(block: &Block<'_>, out: &mut Complaints<'_>) -> Option<Play> {
    let to = block.keys.needed("to", "the place where it stops", out).map(Spot::place);
    let pace = block.keys.word("pace", &Unit::ALL.map(Unit::name), out);
    let speed = block.keys.word("speed", SPEEDS, out);
    Some(Play {
        to: to?,
        pace: pace.map_or_else(|| Unit::Event.name().to_owned(), |pace| pace.text),
        speed: speed.map(|speed| speed.text),
        span: block.span.clone(),
    })
}

/// The kernel is broken.
pub(super) fn change(block: &Block<'_>, id: String, out: &mut Complaints<'_>) -> Change {
    let keys = &block.keys;
    let of = keys.texts("of", out);
    if of.is_empty() {
        keys.miss("of", "the changes from which one is chosen", out);
    }
    let word = |key, words: &[&str], out: &mut Complaints<'_>| {
        keys.word(key, words, out).map(|word| word.text)
    };
    Change {
        id,
        of: of.into_iter().map(|change| change.text).collect(),
        sizes: sizes(block, out),
        ask: word("ask", &["name", "line"], out),
        prove: word("prove", &["race", "size"], out),
        undo: keys.flag("undo", out).unwrap_or(true),
        span: block.span.clone(),
    }
}

/// A kernel with dials.
pub(super) fn dials(
    block: &Block<'_>,
    id: String,
    folder: &Folder,
    out: &mut Complaints<'_>,
) -> Option<Dials> {
    let keys = &block.keys;
    let (sizes, goal) = (sizes(block, out), keys.text("goal", out).map(Spot::query));
    let Spot { text: name, span } = keys.needed("kernel", "the source with the dials", out)?;
    let text = folder.kernel(&name);
    let text = text.map_err(|told| out.add(NOT_THERE, span.clone(), format!("`{name}` {told}")));
    let text = text.ok()?;
    if !text.contains("// dial ") {
        let told = format!("`{name}` has no dial: a comment `// dial NAME: a | b`");
        out.add(OUT_OF_PLACE, span, told);
    }
    Some(Dials { id, kernel: (name, text), sizes, goal, span: block.span.clone() })
}

/// A way to an exercise.
pub(super) fn exercise(block: &Block<'_>, out: &mut Complaints<'_>) -> Option<Exercise> {
    let id = block.keys.needed("id", "the name of the exercise", out)?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if !id.text.chars().all(fits) || id.text.len() > 32 {
        let told = "an exercise has a name of letters, digits and `-`, as `E3-tile`";
        out.add(WRONG_VALUE, id.span, told);
        return None;
    }
    Some(Exercise { id: id.text, span: block.span.clone() })
}

/// The sizes of a block, each as the command line has it.
fn sizes(block: &Block<'_>, out: &mut Complaints<'_>) -> Vec<String> {
    let spots = block.keys.texts("sizes", out);
    for Spot { text, span } in &spots {
        if let Err(told) = size(text) {
            out.add(WRONG_VALUE, span.clone(), told);
        }
    }
    spots.into_iter().map(|size| size.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::playback::Speed;

    #[test]
    fn the_speeds_are_those_of_the_screen() {
        let slowest = (0..20).fold(Speed::default(), |speed, _| speed.slower());
        let all = std::iter::successors(Some(slowest), |speed| Some(speed.faster()));
        let mut all: Vec<_> = all.take(20).map(|speed| speed.to_string()).collect();
        all.dedup();
        assert_eq!(all, SPEEDS);
    }
}
