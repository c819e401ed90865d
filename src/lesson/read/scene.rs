//! The block `scene`: what stands, and what is kept for the scenes after it.

use super::super::complaint::{Complaints, NOT_THERE, TOO_MUCH, WRONG_VALUE};
use super::super::document::{Scene, Spot};
use super::super::expr::{Parsed, Place};
use super::super::setting::{KernelFrom, Setting};
use super::super::thing::View;
use super::block::Block;
use super::folder::Folder;
use super::settings::variants;
use super::toml_keys::{Value, spelt};
use super::words::meant;
use crate::kernel;
use toml::de::DeValue;

/// The pictures of the Measure screen, by the names that `matviz picture` knows them by.
const PICTURES: &[&str] = &["ladder", "sizes", "roofline", "occupancy", "why", "memory"];

/// The most variants in the scenes of a lesson that have a `vary`.
const MOST_VARIANTS: usize = 100;

/// The most bytes of kernels from files that the scenes of a lesson hold.
const MOST_BYTES: usize = 64 << 20;

/// What the next scene keeps.
#[derive(Debug)]
pub(super) struct Standing {
    variants: Vec<Setting>,
    at: Option<Parsed<Place>>,
    look: Vec<View>,
    ptx: bool,
    beside: Option<String>,
    measure: Option<String>,
    /// Whether a scene has named a kernel.
    begun: bool,
    /// The variants of the scenes so far.
    varied: usize,
    /// The bytes of kernels from files that the scenes so far hold.
    bytes: usize,
}

impl Default for Standing {
    fn default() -> Self {
        Self {
            variants: vec![Setting::default()],
            at: None,
            look: Vec::new(),
            ptx: false,
            beside: None,
            measure: None,
            begun: false,
            varied: 0,
            bytes: 0,
        }
    }
}

impl Standing {
    /// Whether a scene stands.
    pub(super) const fn is_set(&self) -> bool {
        self.begun
    }

    /// The scene of a block: keys that are left out are those of the scene before.
    pub(super) fn scene(
        &mut self,
        block: &Block<'_>,
        folder: &Folder,
        out: &mut Complaints<'_>,
    ) -> Scene {
        let keys = &block.keys;
        if !self.begun && keys.value("kernel").is_none() {
            keys.miss("kernel", "the first scene of a lesson names one", out);
        }
        self.begun = true;
        self.variants = variants(&self.variants, keys, folder, out);
        self.count(block, out);
        self.at = keys.text("at", out).map(Spot::place).or_else(|| self.at.take());
        if let Some(value) = keys.value("look") {
            self.look = looks(value, block, out);
        }
        if let Some(listing) = keys.word("listing", &["cuda", "ptx"], out) {
            self.ptx = listing.text == "ptx";
        }
        if let Some(beside) = keys.text("beside", out) {
            if kernel::find(&beside.text).is_none() {
                let told = format!("the catalogue has no kernel `{}`", beside.text);
                let hint = meant(&beside.text, kernel::all().map(|kernel| kernel.name));
                out.advise(NOT_THERE, beside.span, told, hint);
            } else {
                self.beside = Some(beside.text);
            }
        }
        if let Some(picture) = keys.word("measure", PICTURES, out) {
            self.measure = Some(picture.text);
        }
        Scene {
            variants: self.variants.clone(),
            at: self.at.clone(),
            look: self.look.clone(),
            ptx: self.ptx,
            beside: self.beside.clone(),
            measure: self.measure.clone(),
            span: block.span.clone(),
        }
    }

    /// Counts what the lesson holds; of what is too much, one variant is kept.
    fn count(&mut self, block: &Block<'_>, out: &mut Complaints<'_>) {
        if block.keys.value("vary").is_some() {
            self.varied += self.variants.len();
        }
        let bytes = self.variants.iter().map(|setting| match &setting.kernel {
            KernelFrom::File { text, .. } => text.len(),
            KernelFrom::Catalogue(_) => 0,
        });
        self.bytes += bytes.sum::<usize>();
        let told = if self.varied > MOST_VARIANTS {
            format!("a lesson has at most {MOST_VARIANTS} variants, these are {}", self.varied)
        } else if self.bytes > MOST_BYTES {
            format!("the kernels of all variants have more than {} MiB", MOST_BYTES >> 20)
        } else {
            return;
        };
        self.variants.truncate(1);
        out.add(TOO_MUCH, block.line.clone(), told);
    }
}

/// The views of a `look`: names of panels, or their numbers.
fn looks(value: &Value<'_>, block: &Block<'_>, out: &mut Complaints<'_>) -> Vec<View> {
    let values: Vec<&Value<'_>> = match value.get_ref() {
        DeValue::Array(items) => items.iter().collect(),
        _ => vec![value],
    };
    let mut views = Vec::new();
    for value in values {
        let name = spelt(value.get_ref()).unwrap_or_default();
        if let Some(view) = View::find(&name) {
            views.push(view);
        } else {
            let names = View::ALL.map(View::name);
            let told = format!("there is no panel `{name}`");
            let hint = meant(&name, names).or_else(|| Some(format!("give {}", names.join(", "))));
            out.advise(WRONG_VALUE, block.keys.place(&value.span()), told, hint);
        }
    }
    views
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widget::pictures;

    #[test]
    fn the_pictures_are_those_of_the_screen() {
        for name in PICTURES {
            assert!(name.parse::<pictures::Picture>().is_ok(), "{name}");
        }
        assert_eq!(PICTURES.len(), pictures::PICTURES.len());
    }
}
