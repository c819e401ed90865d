//! The scenes of a page as they stand when each of its blocks is reached.

use crate::lesson::dials::Dials;
use crate::lesson::document::{self, Lesson, PageBlock, Scene};
use crate::lesson::expr::{Parsed, RunPosition};
use crate::lesson::setting::Setting;

/// Beats that are read and asked while the same run stands at the same place.
#[derive(Clone)]
pub(super) struct Stand<'c> {
    /// The runs, one for each variant.
    pub settings: Vec<Setting>,
    pub place: Parsed<RunPosition>,
    /// The blocks, without scenes.
    pub blocks: Vec<&'c PageBlock>,
}

/// All stands of a page, in order; with `quick` only with the first variants.
pub(super) fn stands(lesson: &Lesson, page: usize, quick: bool) -> Vec<Stand<'_>> {
    let most = if quick { 1 } else { usize::MAX };
    let Some(content) = lesson.pages.get(page) else { return Vec::new() };
    let before = lesson.pages[..page].iter().flat_map(|page| &page.blocks);
    let mut all = vec![begin(before.rev().find_map(scene_of), most)];
    for page_block in &content.blocks {
        if let PageBlock::Scene(scene) = page_block {
            all.push(begin(Some(scene), most));
        } else if let Some(stand) = all.last_mut() {
            stand.blocks.push(page_block);
            let next = after(stand, page_block);
            all.extend(next);
        } else {
            // There is always one.
        }
    }
    all.retain(|stand| !stand.blocks.is_empty());
    all
}

pub(super) const fn scene_of(page_block: &PageBlock) -> Option<&Scene> {
    match page_block {
        PageBlock::Scene(scene) => Some(scene),
        _ => None,
    }
}

/// The runs of a scene and where they stand; before the first scene, the usual one.
fn begin<'c>(scene: Option<&Scene>, most: usize) -> Stand<'c> {
    let settings = scene.map_or_else(|| vec![Setting::default()], |scene| scene.variants.clone());
    let place = scene.and_then(|scene| scene.at.clone()).unwrap_or_else(Parsed::start);
    Stand { settings: settings.into_iter().take(most).collect(), place, blocks: Vec::new() }
}

/// What stands after a block, if that moves the run or makes another one.
fn after<'c>(stand: &Stand<'c>, page_block: &PageBlock) -> Option<Stand<'c>> {
    let settings = match page_block {
        PageBlock::Change(change) if !change.undo => broken(&stand.settings, change),
        PageBlock::Change(_) => stand.settings.clone(),
        PageBlock::Dials(dials) => turned(&stand.settings, dials),
        _ => return None,
    };
    Some(Stand { settings, place: Parsed::start(), blocks: Vec::new() })
}

/// The runs of a broken kernel, one for each variant and change, at the first size.
pub(super) fn broken(settings: &[Setting], change: &document::ChangeBlock) -> Vec<Setting> {
    let size = change.sizes.first().and_then(|size| size.parse().ok());
    let pairs = settings.iter().flat_map(|setting| change.of.iter().map(move |id| (setting, id)));
    let broken = pairs.map(|(setting, id)| {
        let mut broken = Setting { size: size.unwrap_or(setting.size), ..setting.clone() };
        broken.changes.push(id.clone());
        broken
    });
    broken.collect()
}

/// The run of a kernel with dials, as they stand first.
pub(super) fn turned(settings: &[Setting], dials: &document::DialsBlock) -> Vec<Setting> {
    let (file, text) = &dials.kernel;
    let Ok(read) = Dials::read(file, text) else { return Vec::new() };
    let size = dials.sizes.first().and_then(|size| size.parse().ok());
    let setting = settings.first().map(|setting| Setting {
        size: size.unwrap_or(setting.size),
        order: setting.order.clone(),
        ..read.scene(&read.start)
    });
    setting.into_iter().collect()
}
