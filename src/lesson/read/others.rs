//! The blocks `change` and `dials`.

use super::super::complaint::{Complaints, NOT_THERE, OUT_OF_PLACE, WRONG_VALUE};
use super::super::document::{Change, Dials, Spot};
use super::block::Block;
use super::folder::Folder;
use super::settings::size;

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
