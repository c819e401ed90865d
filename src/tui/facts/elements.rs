//! The elements of A, B and C, and the words of shared memory, that the current instruction touches.

use super::staged;
use crate::launch::WARP_SIZE;
use crate::matrix::judge::Mismatch;
use crate::matrix::{Element, Major, Operand};
use crate::sim::{Access, AsyncEffect, Effect, Step};
use crate::trace::{Extent, SharedWord, WarpNow};
use crate::tui::session::Session;
use ptx::{MatrixOp, Op, Space};
use std::collections::{BTreeSet, HashSet};

/// Returns those of the touched elements that are lit. What a product is added to is not: how far it
/// has come shows there ([`sums`]), and would blink at every step along k.
pub fn lit(session: &Session) -> Vec<Element> {
    let mut lit = touched(session);
    if session.place().step.as_ref().is_some_and(|step| adds(&step.effect)) {
        lit.retain(|element| element.operand != Operand::C);
    }
    lit
}

/// Whether a warp's instruction multiplies and adds at once.
const fn adds(effect: &Effect) -> bool {
    matches!(effect, Effect::Fma | Effect::Contracted { fused: true, of_halves: false, .. })
}

/// Returns the elements of A, B and C that the current instruction loads, stores, multiplies or
/// computes, in every warp that has just executed it; of a value in shared memory or in a register
/// the element that it came from.
pub fn touched(session: &Session) -> Vec<Element> {
    let place = session.place();
    let computed = || place.together().flat_map(|(number, warp)| computed(session, number, warp));
    let origins = || place.origins.iter().flat_map(|addr| staged::elements(session, *addr));
    match place.step.as_ref().map(|step| &step.effect) {
        Some(effect) if adds(effect) => return origins().chain(computed()).collect(),
        Some(Effect::Async(AsyncEffect::WgmmaCompleted { .. })) => return computed().collect(),
        Some(Effect::Async(AsyncEffect::Wgmma { .. })) => return factors(session, computed()),
        Some(Effect::Memory(access)) if access.space == Space::Shared => {
            let found: Vec<_> = origins().collect();
            if !found.is_empty() {
                return found;
            }
        }
        _ => {}
    }
    place.accesses().flat_map(|access| elements(session, access)).collect()
}

/// Returns the words of shared memory that the current instruction reads or writes, in every warp
/// that has just executed it; of one that multiplies, those that its factors came from.
pub fn shared_now(session: &Session) -> Vec<u32> {
    let place = session.place();
    if place.step.as_ref().is_some_and(|step| adds(&step.effect)) {
        let factors: HashSet<u64> = place.origins.iter().copied().collect();
        let is_factor = |word: &SharedWord| word.origin().is_some_and(|of| factors.contains(&of));
        let words = (0..).zip(&place.shared).filter(|(_, word)| is_factor(word));
        return words.map(|(index, _)| index).collect();
    }
    // A wgmma makes many accesses, of which the snapshot keeps only the warp's last one.
    let is_product = |step: &&Step| matches!(step.effect, Effect::Async(AsyncEffect::Wgmma { .. }));
    let products = place.step.iter().filter(is_product);
    let products = products.flat_map(Step::accesses);
    let shared = place.accesses().chain(products).filter(|access| access.space == Space::Shared);
    shared.flat_map(shared_words).collect()
}

/// Returns the words of shared memory that an access touches.
pub fn shared_words(access: &Access) -> Vec<u32> {
    words(access).map(|addr| (addr / 4) as u32).collect()
}

/// Returns the extents of A, B and C that the block has touched so far, in elements.
pub fn extents(session: &Session) -> [Option<Extent>; 3] {
    let problem = session.problem();
    Operand::ALL.map(|operand| {
        let Extent { rows, columns } = session.place().extents.get(operand as usize).copied()??;
        let layout = problem.layout(operand);
        let bytes = u64::from(layout.of.bytes());
        let along = (columns.0 / bytes, columns.1 / bytes);
        Some(match layout.major {
            Major::Row => Extent { rows, columns: along },
            Major::Column => Extent { rows: along, columns: rows },
        })
    })
}

/// How far an element of C has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SumProgress {
    /// This share of its products has been added, on a scale on which the first one shows too.
    Growing(f32),
    Stored,
}

/// Returns how far each element of C is whose thread is known.
pub fn sums(session: &Session) -> Vec<(Element, SumProgress)> {
    let (problem, place) = (session.problem(), session.place());
    let [.., stores] = extents(session);
    let works = |(number, warp): &(usize, &WarpNow)| {
        let first = number * WARP_SIZE as usize;
        warp.fma > 0
            && (first..first + WARP_SIZE as usize)
                .any(|thread| !session.owned().by(thread).is_empty())
    };
    let all = place.warps.iter().enumerate();
    let working: Vec<_> = all.clone().filter(works).map(|(_, warp)| f64::from(warp.fma)).collect();
    let done = place.totals.sass().multiply_adds() as f64;
    let per_k = problem.fma_per_k(session.block());
    // A warp's instruction may multiply for many steps along k: its part of all of them counts.
    let k_of = |fma: u32| {
        let mean = working.iter().sum::<f64>() / working.len().max(1) as f64;
        if mean * per_k > 0.0 { done / per_k * f64::from(fma) / mean } else { 0.0 }
    };
    let sums = all.flat_map(|(number, warp)| {
        let grown = SumProgress::Growing(part(k_of(warp.fma), problem.size.k));
        let first = number * WARP_SIZE as usize;
        let threads = first..first + WARP_SIZE as usize;
        threads.flat_map(|thread| session.owned().by(thread)).map(move |place| (*place, grown))
    });
    let sum = |((row, column), grown): ((u32, u32), SumProgress)| {
        let stored = stores.is_some_and(|extent| extent.has(row.into(), column.into()));
        let far = if stored { SumProgress::Stored } else { grown };
        (Element { operand: Operand::C, row, column }, far)
    };
    sums.map(sum).collect()
}

/// The share of `done` products in `all`, as logarithms: in a long sum the first is seen, too.
fn part(done: f64, all: u32) -> f32 {
    (done.ln_1p() / f64::from(all).ln_1p()).clamp(0.0, 1.0) as f32
}

/// Returns the elements of C that are wrong as they stand in memory: at the end all that are wrong,
/// and before it those of them that have their last value.
pub fn wrong(session: &Session) -> Vec<Element> {
    let (problem, memory) = (session.problem(), session.replay().machine().memory());
    let Some(c) = memory.named(Operand::C.name()) else { return Vec::new() };
    let [.., stores] = extents(session);
    let stands = |off: &&Mismatch| {
        let index = u64::from(off.row) * u64::from(problem.size.n) + u64::from(off.column);
        let stored = stores.is_some_and(|extent| extent.has(off.row.into(), off.column.into()));
        session.at_end() || stored && problem.of_c(c, index).to_bits() == off.is.to_bits()
    };
    let element =
        |off: &Mismatch| Element { operand: Operand::C, row: off.row, column: off.column };
    session.wrong().iter().filter(stands).map(element).collect()
}

/// Returns the elements that an access touches, in a matrix or in a shared-memory copy of a tile.
fn elements(session: &Session, access: &Access) -> Vec<Element> {
    if access.space == Space::Shared {
        return words(access).flat_map(|addr| held_at(session, addr)).collect();
    }
    let (problem, memory) = (session.problem(), session.replay().machine().memory());
    let element = |addr| {
        let (operand, row, column) = problem.element(memory, addr)?;
        Some(Element { operand, row, column })
    };
    let each = |(_, addr): (usize, u64)| {
        let bytes = element(addr).map_or(4, |first| problem.element_type(first.operand).bytes());
        (addr..addr + u64::from(access.bytes)).step_by(bytes.into())
    };
    access.touched().flat_map(each).filter_map(element).collect()
}

/// Yields the address of every 4-byte word that an access touches.
fn words(access: &Access) -> impl Iterator<Item = u64> {
    let bytes = u64::from(access.bytes);
    access.touched().flat_map(move |(_, addr)| (addr..addr + bytes).step_by(4))
}

/// Returns the elements of A or B whose copy is at this address of shared memory or, if that is not
/// known, should be there.
pub fn held_at(session: &Session, addr: u64) -> Vec<Element> {
    let word = session.place().shared.get(addr as usize / 4);
    let origin = word.and_then(|word| word.origin());
    let known = origin.map(|origin| staged::elements(session, origin).collect());
    let due = || {
        let (program, block) = (session.trace().program(), session.block());
        session.problem().staged_element(program, block, addr, session.k_tile()?)
    };
    known.unwrap_or_else(|| due().into_iter().collect())
}

/// Returns the elements of A and B that a wgmma starting now reads for these elements of C; empty
/// if its position along k is unknown.
fn factors(session: &Session, sums: impl Iterator<Item = Element>) -> Vec<Element> {
    let place = session.place();
    let first = || {
        let step = place.step.as_ref()?;
        let Op::Matrix(MatrixOp::Wgmma(product)) = &session.trace().program().inst(step.pc).op
        else {
            return None;
        };
        let done = place.warps[usize::from(step.warp)].fma.checked_sub(1)?;
        let variant = session.problem().known?.variant;
        Some((variant.along(done, product.k()), product.k()))
    };
    let Some((first, k)) = first() else { return Vec::new() };
    let (mut rows, mut columns) = (BTreeSet::new(), BTreeSet::new());
    for Element { row, column, .. } in sums {
        rows.insert(row);
        columns.insert(column);
    }
    let ks = first..(first + k).min(session.problem().size.k);
    let a = |k| rows.iter().map(move |row| Element { operand: Operand::A, row: *row, column: k });
    let b = |k| columns.iter().map(move |of| Element { operand: Operand::B, row: k, column: *of });
    ks.clone().flat_map(a).chain(ks.flat_map(b)).collect()
}

/// Returns the elements of C to which a warp's lanes add, where that is known.
fn computed(session: &Session, number: usize, warp: &WarpNow) -> Vec<Element> {
    let first = number * WARP_SIZE as usize;
    let elements = warp.live.lanes().flat_map(|lane| session.owned().by(first + lane));
    elements
        .map(|(row, column)| Element { operand: Operand::C, row: *row, column: *column })
        .collect()
}
