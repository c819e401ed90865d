//! What a page has otherwise when it is taken again.

use super::seed::choose;
use super::state::LessonSession;
use crate::lesson::document::{PageBlock, Scene};
use crate::lesson::question::shuffled_anew;
use crate::lesson::setting::Setting;

impl LessonSession {
    /// What the page has otherwise when it is taken again: `other numbers`; `None` if all is the same.
    pub fn differs_again(&self) -> Option<&'static str> {
        let seeds = [self.seed(), self.seed().wrapping_add(1)];
        let variants = self.scene().map_or(&[][..], |scene| &scene.variants);
        let [now, then] = seeds.map(|seed| variants.get(choose(variants.len(), seed)));
        let numbers = |setting: &Setting| (setting.size, setting.tile, setting.block, setting.warp);
        let changed = |page_block: &PageBlock| match page_block {
            PageBlock::Change(change) => {
                let [now, then] = seeds.map(|seed| choose(change.of.len(), seed));
                now != then
            }
            _ => false,
        };
        let asked = self.asked.as_ref().map(|asked| &asked.ask);
        match () {
            () if self.now.review || now.map(numbers) != then.map(numbers) => Some("other numbers"),
            () if now != then => Some("another run"),
            () if self.lesson().pages[self.page].blocks.iter().any(changed) => Some("another bug"),
            () if asked.is_some_and(|ask| shuffled_anew(ask, seeds)) => Some("another order"),
            () => None,
        }
    }

    /// The scene of the page, or the last one before it.
    fn scene(&self) -> Option<&Scene> {
        let beats = self.lesson().pages[..=self.page].iter().flat_map(|page| &page.blocks);
        let mut scenes = beats.filter_map(|page_block| match page_block {
            PageBlock::Scene(scene) => Some(scene),
            _ => None,
        });
        scenes.next_back()
    }
}
