//! The blocks `change` and `dials`.

use super::super::diagnostic::{Diagnostics, NOT_THERE, OUT_OF_PLACE, WRONG_VALUE};
use super::super::document::{Asks, ChangeBlock, DialsBlock, Proves, SpannedText};
use super::block::FencedBlock;
use super::folder::Folder;
use super::keys::{Text, Texts};
use super::settings::size;
use toml::Spanned;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeKeys {
    of: Spanned<Texts>,
    sizes: Option<Spanned<Texts>>,
    ask: Option<Asks>,
    prove: Option<Proves>,
    undo: Option<bool>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct DialsKeys {
    kernel: Text,
    sizes: Option<Spanned<Texts>>,
    goal: Option<Text>,
}

pub(super) fn change(
    block: &FencedBlock<'_>,
    id: String,
    out: &mut Diagnostics<'_>,
) -> Option<ChangeBlock> {
    let keys: ChangeKeys = block.body.read(out)?;
    let of = block.body.spots(Some(&keys.of), out);
    if of.is_empty() {
        block.body.miss("of", "the changes from which one is chosen", out);
    }
    Some(ChangeBlock {
        id,
        of: of.into_iter().map(|change| change.text).collect(),
        sizes: sizes(block, keys.sizes.as_ref(), out),
        ask: keys.ask,
        prove: keys.prove,
        undo: keys.undo.unwrap_or(true),
        span: block.span.clone(),
    })
}

pub(super) fn dials(
    block: &FencedBlock<'_>,
    id: String,
    folder: &Folder,
    out: &mut Diagnostics<'_>,
) -> Option<DialsBlock> {
    let keys: DialsKeys = block.body.read(out)?;
    let sizes = sizes(block, keys.sizes.as_ref(), out);
    let SpannedText { text: name, span } = block.body.spot(&keys.kernel);
    let text = folder.kernel(&name);
    let text = text.map_err(|told| out.add(NOT_THERE, span.clone(), format!("`{name}` {told}")));
    let text = text.ok()?;
    if !text.contains("// dial ") {
        let told = format!("`{name}` has no dial: a comment `// dial NAME: a | b`");
        out.add(OUT_OF_PLACE, span, told);
    }
    let goal = keys.goal.map(|goal| block.body.spot(&goal).query());
    Some(DialsBlock { id, kernel: (name, text), sizes, goal, span: block.span.clone() })
}

/// The sizes of a block, each as the command line has it.
fn sizes(
    block: &FencedBlock<'_>,
    texts: Option<&Spanned<Texts>>,
    out: &mut Diagnostics<'_>,
) -> Vec<String> {
    let spots = block.body.spots(texts, out);
    for SpannedText { text, span } in &spots {
        if let Err(told) = size(text) {
            out.add(WRONG_VALUE, span.clone(), told.to_string());
        }
    }
    spots.into_iter().map(|size| size.text).collect()
}
