//! The block `scene`: its settings, and those that later scenes inherit.

use super::super::diagnostic::{Diagnostics, NOT_THERE, TOO_MUCH, WRONG_VALUE};
use super::super::document::{Scene, SpannedText};
use super::super::expr::{Parsed, RunPosition};
use super::super::setting::{KernelFrom, Setting};
use super::super::target::{PagePlace, View};
use super::block::FencedBlock;
use super::folder::Folder;
use super::keys::TomlBody;
use super::settings::{Listing, SceneKeys, variants};
use super::words::meant;
use crate::kernel;

/// The most variants in the scenes of a lesson that have a `vary`.
const MOST_VARIANTS: usize = 100;

/// The most bytes of kernels from files that the scenes of a lesson hold.
const MOST_BYTES: usize = 64 << 20;

/// What the next scene keeps.
#[derive(Debug)]
pub(super) struct CurrentScene {
    variants: Vec<Setting>,
    at: Option<Parsed<RunPosition>>,
    look: Vec<View>,
    places: Vec<PagePlace>,
    ptx: bool,
    beside: Option<String>,
    /// Whether a scene has named a kernel.
    begun: bool,
    /// The variants of the scenes so far.
    varied: usize,
    /// The bytes of kernels from files that the scenes so far hold.
    bytes: usize,
}

impl Default for CurrentScene {
    fn default() -> Self {
        Self {
            variants: vec![Setting::default()],
            at: None,
            look: Vec::new(),
            places: Vec::new(),
            ptx: false,
            beside: None,
            begun: false,
            varied: 0,
            bytes: 0,
        }
    }
}

impl CurrentScene {
    /// Whether a scene stands.
    pub(super) const fn is_set(&self) -> bool {
        self.begun
    }

    /// The scene of a block: keys that are left out are those of the scene before.
    pub(super) fn scene(
        &mut self,
        block: &FencedBlock<'_>,
        folder: &Folder,
        out: &mut Diagnostics<'_>,
    ) -> Scene {
        let body = &block.body;
        let keys: SceneKeys = body.read(out).unwrap_or_else(|| {
            self.begun = true;
            SceneKeys::default()
        });
        if !self.begun && keys.kernel.is_none() {
            body.miss("kernel", "the first scene of a lesson names one", out);
        }
        self.begun = true;
        self.variants = variants(&self.variants, &keys, body, folder, out);
        self.count(block, keys.vary.is_some(), out);
        self.shows(&keys, body, out);
        self.at = keys.at.map(|at| body.spot(&at).place()).or_else(|| self.at.take());
        self.ptx = keys.listing.map_or(self.ptx, |listing| listing == Listing::Ptx);
        if let Some(beside) = keys.beside.map(|beside| body.spot(&beside)) {
            if kernel::find(&beside.text).is_none() {
                let told = format!("the catalogue has no kernel `{}`", beside.text);
                let hint = meant(&beside.text, kernel::all().map(|kernel| kernel.name));
                out.advise(NOT_THERE, beside.span, told, hint);
            } else {
                self.beside = Some(beside.text);
            }
        }
        Scene {
            variants: self.variants.clone(),
            at: self.at.clone(),
            look: self.look.clone(),
            places: self.places.clone(),
            ptx: self.ptx,
            beside: self.beside.clone(),
            span: block.span.clone(),
        }
    }

    /// What is shown: places of the stage, or panels.
    fn shows(&mut self, keys: &SceneKeys, body: &TomlBody<'_>, out: &mut Diagnostics<'_>) {
        if let (Some(places), Some(_)) = (&keys.places, &keys.look) {
            let told = "a scene is on the stage, with `places`, or on the workbench, with `look`";
            out.add(WRONG_VALUE, body.place(places), told);
        }
        if keys.look.is_some() {
            self.look = looks(body.spots(keys.look.as_ref(), out), out);
            self.places.clear();
        }
        if keys.places.is_some() {
            self.places = places(body.spots(keys.places.as_ref(), out), out);
            self.look.clear();
        }
    }

    /// Counts the lesson's variants; of a scene with too many, only one is kept.
    fn count(&mut self, block: &FencedBlock<'_>, is_varied: bool, out: &mut Diagnostics<'_>) {
        if is_varied {
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
fn looks(names: Vec<SpannedText>, out: &mut Diagnostics<'_>) -> Vec<View> {
    let mut views = Vec::new();
    for SpannedText { text, span } in names {
        if let Some(view) = View::find(&text) {
            views.push(view);
        } else {
            let names = View::ALL.map(View::name);
            let told = format!("there is no panel `{text}`");
            let hint = meant(&text, names).or_else(|| Some(format!("give {}", names.join(", "))));
            out.advise(WRONG_VALUE, span, told, hint);
        }
    }
    views
}

fn places(names: Vec<SpannedText>, out: &mut Diagnostics<'_>) -> Vec<PagePlace> {
    let mut places = Vec::new();
    for SpannedText { text, span } in names {
        if let Some(place) = PagePlace::find(&text) {
            places.push(place);
        } else {
            let told = format!("the stage has no place `{text}`");
            let names = PagePlace::names();
            let hint = meant(&text, names.iter().copied());
            let hint = hint.or_else(|| Some(format!("give {}", names.join(", "))));
            out.advise(WRONG_VALUE, span, told, hint);
        }
    }
    places
}
