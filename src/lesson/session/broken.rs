//! A kernel that is broken on purpose: its symptoms, its name, the proof, and back again.

use super::blocks::plain;
use super::now::{OpenProof, ProofBy, Reply};
use super::seed::choose;
use super::state::{BrokenKernel, LessonSession};
use crate::lesson::answer::AnsweredFrom;
use crate::lesson::change::{self, Change};
use crate::lesson::document::{Ask, AskKind, Asks, ChangeBlock, Para, Piece, Proves, coded, words};
use crate::lesson::edit::difference::{DiffLine, Sign, difference};
use crate::lesson::expr::{Parsed, Query};
use crate::lesson::proof::WrongLoad;
use crate::lesson::query::QueryError;
use crate::lesson::setting::{BlockChoice, Setting};
use crate::lesson::setting_runs::SettingCache;
use crate::matrix::{Operand, Size};
use crate::report::number::grouped;
use crate::sim::Order;

const C: &str = "C";

/// What is typed for an order of the warps.
const ORDERS: &str = "Type `to-barrier`, `round-robin`, or `random:` with a number after it.";

/// Sizes at which a proof is looked for, after those of the lesson.
const SIZES: [Size; 4] = [
    Size::square(60),
    Size { m: 64, n: 64, k: 50 },
    Size { m: 64, n: 48, k: 96 },
    Size { m: 60, n: 52, k: 84 },
];

impl LessonSession {
    /// Makes one of the changes, says what can be noticed, and asks which it was. Returns whether the
    /// page waits.
    pub(super) fn break_kernel(&mut self, change: &ChangeBlock) -> bool {
        let Some(id) = change.of.get(choose(change.of.len(), self.seed())) else { return false };
        let sizes: Vec<_> = change.sizes.iter().filter_map(|size| size.parse().ok()).collect();
        let before = self.setting.clone();
        self.setting.changes.push(id.clone());
        self.setting.size = sizes.first().copied().unwrap_or(before.size);
        if let Err(missing) = self.cache.runs(&self.setting) {
            self.setting = before;
            self.say(&format!("The kernel cannot be broken here: {}.", missing.message));
            return false;
        }
        let prove = change.prove.map(|by| match by {
            Proves::Race => ProofBy::Order,
            Proves::Size => ProofBy::Size,
        });
        self.stand(&Parsed::start());
        self.say("Something is changed in this kernel now.");
        for symptom in symptoms(&self.cache, &self.setting, &sizes) {
            self.say(&symptom);
        }
        self.broken =
            Some(BrokenKernel { id: id.clone(), before, sizes, prove, undo: change.undo });
        let ask = change.ask.map(|asks| which(change, id, asks));
        if ask.is_none_or(|ask| !self.ask(&ask)) {
            let named = self.name_broken();
            self.now.text.extend(named);
        }
        true
    }

    /// What was changed, as its title and its lines; nothing if no kernel is broken.
    pub(super) fn name_broken(&self) -> Vec<Para> {
        let Some(broken) = &self.broken else { return Vec::new() };
        let title = change::find(&broken.id).map(|change| format!("It is this: {}.", change.title));
        let lines = changed_lines(&broken.before, &self.setting);
        title.map(|title| plain(&title)).into_iter().chain(lines.map(Para::Code)).collect()
    }

    /// Goes on with a broken kernel: to its proof, or back to the sound one. Returns whether the page
    /// waits.
    pub(super) fn prove_broken(&mut self) -> bool {
        let Some(broken) = &mut self.broken else { return false };
        if let Some(by) = broken.prove.take() {
            self.now.proof = Some(OpenProof { by, said: None });
            return true;
        }
        let (before, undo) = (broken.before.clone(), broken.undo);
        self.broken = None;
        if !undo {
            return false;
        }
        self.setting = before;
        self.stand(&Parsed::start());
        self.say("The change is undone.");
        false
    }

    /// Tries a size, or an order of the warps, at which C may be wrong.
    pub(super) fn try_proof(&mut self, typed: &str) {
        let Some(proof) = &mut self.now.proof else { return };
        let tried = match proof.by {
            ProofBy::Size => typed
                .parse::<Size>()
                .map_err(|error| error.to_string())
                .map(|size| Setting { size, ..self.setting.clone() }),
            ProofBy::Order => typed
                .parse::<Order>()
                .ok()
                .ok_or_else(|| match typed {
                    "" => ORDERS.to_owned(),
                    _ => format!("`{typed}` is no order of the warps. {ORDERS}"),
                })
                .map(|order| Setting { order: Some(order), ..self.setting.clone() }),
        };
        let found = tried.and_then(|setting| {
            let wrong = wrong(&self.cache, &setting).map_err(|missing| missing.message)?;
            Ok(SpoilingRun::new(setting, wrong, C))
        });
        match found {
            Ok(Some(spoilt)) => self.proved(Some(typed), spoilt),
            Ok(None) => proof.said = Some(format!("With {typed} C is right. Try another one.")),
            Err(message) => proof.said = Some(message),
        }
    }

    /// Shows a size, or searches for an order of the warps, that spoils C.
    pub(super) fn show_proof(&mut self) {
        let (Some(proof), Some(broken)) = (&self.now.proof, &self.broken) else { return };
        let found = match proof.by {
            ProofBy::Order => SpoilingRun::by_order(&self.cache, &self.setting),
            ProofBy::Size => SpoilingRun::by_size(&self.cache, &self.setting, &broken.sizes),
        };
        if let Some(spoilt) = found {
            return self.proved(None, spoilt);
        }
        self.now.proof = None;
        self.say("None was found that makes C wrong.");
    }

    /// The picture stands where C becomes wrong, as far as that is known.
    fn proved(&mut self, typed: Option<&str>, found: SpoilingRun) {
        let by = match self.now.proof.take().map(|proof| proof.by) {
            Some(ProofBy::Size) => "a size at which",
            Some(ProofBy::Order) | None => "an order in which",
        };
        self.setting = found.setting;
        // From the start to the first wrong value, or at once to the C that came of it.
        let at_once = found.step.is_none();
        self.stand(&if at_once { Parsed::end() } else { Parsed::start() });
        let text: Vec<_> = found.told.iter().map(|told| plain(told)).collect();
        self.pending.clone_from(&text);
        self.now.reply = Some(Reply {
            you: typed.map(str::to_owned),
            right: typed.map(|_| true),
            is: format!("{by} C is wrong"),
            unit: String::new(),
            origin: AnsweredFrom::Simulated,
            model: None,
            idea: None,
            text,
            play_to: found.step,
            marks: Vec::new(),
            view: None,
            warp: found.warp,
        });
    }
}

struct SpoilingRun {
    setting: Setting,
    /// What is said about it.
    told: Vec<String>,
    /// The steps done when the first wrong value was loaded, and by which warp, if that is known.
    step: Option<usize>,
    warp: Option<u32>,
}

impl SpoilingRun {
    /// A run with this many wrong elements of something, if there are any.
    fn new(setting: Setting, wrong: u64, of: &str) -> Option<Self> {
        let which = match &setting.order {
            Some(order) => format!("In order {order}, at {},", setting.size),
            None => format!("At {}", setting.size),
        };
        let told = match wrong {
            0 => return None,
            1 => format!("{which} one element of {of} is wrong."),
            _ => format!("{which} {} elements of {of} are wrong.", grouped(wrong)),
        };
        let told = vec![told];
        Some(Self { setting, told, step: None, warp: None })
    }

    /// A size that spoils C.
    fn by_size(cache: &SettingCache, broken: &Setting, sizes: &[Size]) -> Option<Self> {
        let mut settings = sizes.iter().chain(&SIZES);
        settings.find_map(|size| {
            let setting = Setting { size: *size, ..broken.clone() };
            let wrong = wrong(cache, &setting).ok()?;
            Self::new(setting, wrong, C)
        })
    }

    /// An order of the warps that spoils C, with its first wrong value.
    fn by_order(cache: &SettingCache, broken: &Setting) -> Option<Self> {
        let runs = cache.runs(broken).ok()?;
        let found = runs.spoiling_order().ok()??;
        let block = BlockChoice::At(found.block);
        let setting = Setting { order: Some(found.order.clone()), block, ..broken.clone() };
        let mut spoilt = Self::new(setting, found.wrong as u64, "this block's part of C")?;
        if let Some(WrongLoad { step, warp, lane, element, line, is, should }) = &found.first {
            let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
            spoilt.told.push(format!(
                "Warp {warp}, lane {lane} loads {element}{line}: it is {is}, and should be {should}."
            ));
            (spoilt.step, spoilt.warp) = (Some(*step), Some(*warp));
        }
        let spoils = &found.spoilt;
        let of_random =
            format!("{} of {} random orders make C wrong.", spoils.wrong, spoils.orders);
        spoilt.told.extend((spoils.orders > 0).then_some(of_random));
        Some(spoilt)
    }
}

impl LessonSession {
    /// What would be noticed with another change than the one that was made, under its title.
    pub(super) fn of_other_change(&self, title: &str) -> Option<String> {
        let BrokenKernel { id, before, sizes, .. } = self.broken.as_ref()?;
        let is_it = |other: &&Change| words(&coded(&other.title, Piece::Plain)) == title;
        let other = change::find(id)?.lookalikes().into_iter().find(is_it)?;
        let changes = before.changes.iter().chain([&other.id]).cloned().collect();
        let setting = Setting { changes, ..self.setting.clone() };
        Some(format!("With that one: {}", symptoms(&self.cache, &setting, sizes).join(" ")))
    }
}

/// What can be noticed: C at each size, and what the checks find.
fn symptoms(cache: &SettingCache, setting: &Setting, sizes: &[Size]) -> Vec<String> {
    let mut said = Vec::new();
    let own = [setting.size];
    for size in if sizes.is_empty() { &own } else { sizes } {
        let there = Setting { size: *size, ..setting.clone() };
        let of = grouped(size.elements(Operand::C));
        said.push(match wrong(cache, &there) {
            Ok(0) => format!("At {size} C is right."),
            Ok(wrong) => format!("At {size}, {} of {of} elements of C are wrong.", grouped(wrong)),
            Err(missing) => format!("At {size} nothing can be said of C: {}.", missing.message),
        });
    }
    said.extend(cache.runs(setting).ok().map(|runs| match runs.findings().map(<[_]>::len) {
        Ok(0) => "The checks find nothing.".to_owned(),
        Ok(1) => "The checks have one finding.".to_owned(),
        Ok(several) => format!("The checks have {several} findings."),
        Err(missing) => format!("The checks cannot be made: {}.", missing.message),
    }));
    said
}

/// The elements of C that are wrong.
fn wrong(cache: &SettingCache, setting: &Setting) -> Result<u64, QueryError> {
    cache.runs(setting)?.wrong()
}

/// The question which change was made, or in which line.
fn which(change: &ChangeBlock, id: &str, asks: Asks) -> Ask {
    let (kind, want, of) = match asks {
        Asks::Name => (AskKind::Name, format!("\"{id}\""), change.of.clone()),
        Asks::Line => (AskKind::Pick, "lines_of(\"race\")".to_owned(), vec!["line".to_owned()]),
    };
    let span = change.span.clone();
    let want = Query::query(want, span.clone());
    Ask { kind: Some(kind), of, ..Ask::new(change.id.clone(), want, span) }
}

/// The lines that differ between the sources of two settings, with some around them.
fn changed_lines(before: &Setting, after: &Setting) -> Option<Vec<String>> {
    let source = |setting: &Setting| {
        let problem = setting.problem().ok()?;
        problem.source.map(|source| source.text.clone())
    };
    let (before, after) = (source(before)?, source(after)?);
    let lines = difference(&before, &after).into_iter().filter(|line| line.sign != Sign::Gap);
    let lines: Vec<_> = lines.collect();
    // Beside a picture there is no room for the indentation that all lines share.
    let blanks = |text: &str| text.chars().take_while(|c| *c == ' ').count();
    let code = lines.iter().filter(|line| !line.text.trim().is_empty());
    let indent = code.map(|line| blanks(&line.text)).min().unwrap_or(0);
    let shown =
        |line: &DiffLine| format!("{}{}", line.sign.mark(), line.text.get(indent..).unwrap_or(""));
    Some(lines.iter().map(shown).collect()).filter(|lines: &Vec<_>| !lines.is_empty())
}
