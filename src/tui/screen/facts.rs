//! What the panels need to know of a place beyond the place itself: pure functions of a session.

use super::value;
use crate::analysis::vectorise::{Join, SassAccess};
use crate::kernel::ROW;
use crate::launch::WARP_SIZE;
use crate::matrix::Operand;
use crate::ptx::{LaneOp, MatrixOp, MemoryOp, Op, Space, TernaryOp, Type};
use crate::report::figures::{Row, rows};
use crate::report::found::Found;
use crate::report::joins;
use crate::report::number::{grouped, sides};
use crate::sim::{Access, Effect, Inst, LaneMask, Pc, Step};
use crate::trace::{Last, WarpNow};
use crate::tui::app::App;
use crate::tui::session::Session;
use crate::tui::theme::{Role, role};
use crate::tui::widget::banks::Becomes;
use crate::tui::widget::matrices::Element;
use crate::tui::widget::shared::Array;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The instruction that is shown, where it is written, and what becomes of it.
#[derive(Debug)]
pub struct Now<'a> {
    /// That of the current step; at the start the selected warp's next one.
    pub pc: Option<Pc>,
    /// Its PTX, on one line.
    pub ptx: &'a str,
    /// The file that it comes from, or the kernel's own: its name and its text. `None` where there
    /// is nothing but PTX.
    pub source: Option<(Cow<'a, str>, &'a str)>,
    /// Its line there, counted from 1; 0 where that is not known.
    pub line: u32,
    /// What becomes of it in the machine code, the longest wording first; nothing where it is
    /// executed as it is written.
    pub becomes: Vec<String>,
}

impl<'a> Now<'a> {
    /// That of a run, with this warp selected.
    pub fn of(session: &'a Session, warp: usize) -> Self {
        let (place, trace) = (session.place(), session.trace());
        let pc = place.step.as_ref().map(|step| step.pc);
        let pc = pc.or_else(|| place.warps.get(warp).map(|warp| warp.pc));
        let (problem, program) = (session.problem(), trace.program());
        Self {
            pc,
            ptx: pc.map_or("", |pc| program.inst(pc).span.of(&problem.ptx)),
            source: pc.map_or_else(|| problem.source(), |pc| problem.source_of(program, pc)),
            line: pc.and_then(|pc| trace.line(pc)).unwrap_or(0),
            becomes: pc.map_or_else(Vec::new, |pc| words_of(session, pc)),
        }
    }

    /// The text of its line; nothing where there is none.
    pub fn text(&self) -> &'a str {
        let text = self.source.as_ref().map_or("", |(_, text)| text);
        text.lines().nth((self.line as usize).wrapping_sub(1)).unwrap_or("")
    }
}

/// The elements of A, B and C that the current instruction loads, stores or, multiplying, computes,
/// in every warp that has just executed it.
pub fn touched(session: &Session) -> Vec<Element> {
    let place = session.place();
    let computed = || place.alike().flat_map(|(number, warp)| computed(session, number, warp));
    match place.step.as_ref().map(|step| &step.effect) {
        Some(Effect::Fma | Effect::Multiplied { .. }) => return computed().collect(),
        Some(Effect::Wgmma { .. }) => return factors(session, computed()),
        _ => {}
    }
    place.accesses().flat_map(|access| elements(session, access)).collect()
}

/// The lanes that stand out: both sides of what is wrong with the current step, or those that have
/// to do with the value that is followed.
pub fn lit_lanes(app: &App) -> Vec<(usize, LaneMask, Role)> {
    let session = &app.session;
    let wrong = |found: &&Found| found.shows.iter().any(|shows| shows.step == session.at());
    let wrong = session.found().into_iter().flatten().filter(wrong).flat_map(|found| &found.shows);
    let bad = wrong.map(|shows| (usize::from(shows.warp), shows.lanes, Role::Bad));
    let followed = value::lanes(app).map(|(warp, lanes)| (warp, lanes, Role::Here));
    bad.chain(followed).collect()
}

/// The words of shared memory that the current instruction reads or writes, likewise.
pub fn shared_now(session: &Session) -> Vec<u32> {
    let place = session.place();
    // A product reads by many accesses, of which a warp's last one is remembered.
    let products = place.step.iter().filter(|step| matches!(step.effect, Effect::Wgmma { .. }));
    let products = products.flat_map(Step::accesses);
    let shared = place.accesses().chain(products).filter(|access| access.space == Space::Shared);
    shared.flat_map(words).map(|addr| (addr / 4) as u32).collect()
}

/// The values in shared memory, if the kernel keeps float32 there and nothing else.
pub fn shared_values(session: &Session) -> Option<Vec<f32>> {
    let float = |inst: &Inst| match &inst.op {
        Op::Memory(
            MemoryOp::Ld { space: Space::Shared, ty, .. }
            | MemoryOp::St { space: Space::Shared, ty, .. },
        ) => *ty == Type::F32,
        _ => true,
    };
    let floats = session.trace().program().insts.iter().all(float);
    let words = session.replay().machine().shared().iter();
    floats.then(|| words.map(|word| f32::from_bits(*word)).collect())
}

/// What stands above each picture of shared memory.
pub fn shared_titles(session: &Session) -> Vec<String> {
    let staged = session.problem().staged(session.trace().program());
    let titles =
        staged.map(|(array, _, (rows, columns))| format!("{}[{rows}][{columns}]", array.name));
    let titles: Vec<_> = titles.collect();
    let unknown = || vec![format!("{ROW} words a row, one in each bank")];
    if titles.is_empty() { unknown() } else { titles }
}

/// The pictures of shared memory, and what begins at which word. In the catalogue each tile that is
/// kept there has its own; of other kernels the shapes are not known: all words are in one.
pub fn shared_arrays<'a>(
    session: &'a Session,
    titles: &'a [String],
) -> (Vec<Array<'a>>, Vec<(u32, &'a str)>) {
    let program = session.trace().program();
    let arrays = &program.shared;
    let staged = session.problem().staged(program).zip(titles);
    let known: Vec<_> = staged
        .map(|((staged, first, (rows, columns)), title)| Array {
            title,
            name: staged.name,
            first,
            rows,
            columns,
            role: role(staged.of),
        })
        .collect();
    if !known.is_empty() {
        return (known, Vec::new());
    }
    let words = session.place().shared.len() as u32;
    let all = titles.iter().filter(|_| words > 0).map(|title| Array {
        title,
        name: "all words",
        first: 0,
        rows: words.div_ceil(ROW),
        columns: ROW,
        role: Role::Memory,
    });
    (all.collect(), arrays.iter().map(|array| (array.offset / 4, &*array.name)).collect())
}

/// How a kernel of one's own is launched.
pub fn launch(session: &Session) -> Vec<(&'static str, String)> {
    let (problem, program) = (session.problem(), session.trace().program());
    let launch = problem.launch();
    let (threads, warps) = (launch.threads(), launch.warps());
    let dynamic = problem.dynamic_shared();
    let fixed = program.shared_bytes - dynamic.min(program.shared_bytes);
    let bytes = |bytes: u32| grouped(bytes.into());
    let args = problem.as_user_kernel().map_or("", |foreign| &foreign.words);
    vec![
        ("kernel", problem.name().to_owned()),
        ("entry", problem.entry().to_owned()),
        ("grid", format!("{}: {} blocks", sides(launch.grid), grouped(launch.blocks()))),
        ("block", format!("{}: {threads} threads, {warps} warps", sides(launch.block))),
        ("arguments", args.to_owned()),
        ("shared bytes", format!("{}, dynamic {}", bytes(fixed), bytes(dynamic))),
        ("PTX SHA-256", problem.ptx_sha256()),
    ]
}

/// What the block has done so far: as written, and where that differs as executed.
pub fn counts(session: &Session) -> Vec<(&'static str, String, Option<String>)> {
    let row = |Row { label, ptx, sass }| {
        (label, grouped(ptx), sass.filter(|sass| *sass != ptx).map(grouped))
    };
    rows(&session.place().totals).into_iter().map(row).collect()
}

/// Which shared accesses of the kernel ptxas joins, and where that is not known.
pub fn join_notes(session: &Session) -> Vec<String> {
    let (trace, ptx) = (session.trace(), &session.problem().ptx);
    let (program, joins) = (trace.program(), trace.joins());
    let rows = joins::rows(program, joins, ptx).into_iter().map(|row| row.to_string());
    let notes = joins::notes(program, joins, ptx).into_iter().map(|note| note.to_string());
    rows.chain(notes).collect()
}

/// Whether the kernel's work is counted: in fused multiply-adds of float32 or float64.
pub fn works(session: &Session) -> bool {
    let is_fma =
        |inst: &Inst| matches!(inst.op, Op::Lane(LaneOp::Ternary { op: TernaryOp::Fma, .. }));
    session.trace().program().insts.iter().any(is_fma)
}

/// The matrix that a global access touches, and the address at which it begins.
pub fn global_operand(session: &Session, last: Option<&Last>) -> Option<(Operand, u64)> {
    let (_, addr) = last?.access.touched().next()?;
    let memory = session.replay().machine().memory();
    let (operand, ..) = session.problem().element(memory, addr)?;
    Some((operand, memory.locate(addr)?.0.base))
}

/// The matrix whose tile a shared access touches.
pub fn shared_operand(session: &Session, last: Option<&Last>) -> Option<Operand> {
    let (_, addr) = last?.access.touched().next()?;
    let (name, ..) = session.problem().shared_element(session.trace().program(), addr)?;
    session.problem().staged_in(name).map(|array| array.of)
}

/// What becomes of a shared access in the machine code.
pub fn becomes(session: &Session, last: Option<&Last>) -> Becomes {
    let Some(last) = last else { return Becomes::default() };
    let joins = session.trace().joins();
    let of = |pieces: &[SassAccess]| pieces.iter().map(|piece| piece.of(&last.access)).collect();
    let elsewhere = |join: &&Join| join.at != last.pc && join.of.contains(&last.pc);
    let with = joins.joins.iter().find(elsewhere).map(|join| ptx_line(session, join.at));
    Becomes {
        instead: joins.pieces(last.pc).map(of),
        words: words_of(session, last.pc),
        with,
        doubt: joins::doubt(joins, last.pc),
    }
}

/// The same in words, the longest wording first.
fn words_of(session: &Session, pc: Pc) -> Vec<String> {
    let trace = session.trace();
    joins::becomes(trace.program(), trace.joins(), &session.problem().ptx, pc)
}

/// The lines of the PTX whose accesses are executed as one with that at `pc`, that one's among them.
pub fn joined_with(session: &Session, pc: Pc) -> Vec<u32> {
    let joins = &session.trace().joins().joins;
    let with = joins.iter().filter(|join| join.of.contains(&pc)).flat_map(|join| &join.of);
    with.map(|pc| ptx_line(session, *pc)).collect()
}

/// Lines of the CUDA source (or, by `of`, of the PTX) at which the warps stand.
pub fn standing(session: &Session, of: impl Fn(Pc) -> Option<u32>) -> Vec<u32> {
    let running = session.place().warps.iter().filter(|warp| !warp.live.is_empty());
    let mut lines: Vec<u32> = running.filter_map(|warp| of(warp.pc)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// The line of an instruction in the PTX.
pub fn ptx_line(session: &Session, pc: Pc) -> u32 {
    session.trace().program().inst(pc).span.line(&session.problem().ptx) as u32
}

/// The elements that an access touches, in a matrix or in the copy of a tile of it.
fn elements(session: &Session, access: &Access) -> Vec<Element> {
    if access.space == Space::Shared {
        return words(access).filter_map(|addr| behind(session, addr)).collect();
    }
    let memory = session.replay().machine().memory();
    let element = |addr| session.problem().element(memory, addr);
    // Of halves there are two in a word.
    let halves = |addr: u64| [addr, addr + 2].into_iter().filter(move |at| *at < addr + 4);
    let mut found: Vec<_> = words(access).flat_map(halves).filter_map(element).collect();
    found.dedup();
    let found = found.into_iter();
    found.map(|(operand, row, column)| Element { operand, row, column }).collect()
}

/// The address of every 4-byte word that an access touches.
fn words(access: &Access) -> impl Iterator<Item = u64> {
    let bytes = u64::from(access.bytes);
    access.touched().flat_map(move |(_, addr)| (addr..addr + bytes).step_by(4))
}

/// The element of A or B whose copy lies at an address of shared memory.
fn behind(session: &Session, addr: u64) -> Option<Element> {
    let (problem, block) = (session.problem(), session.block());
    let (name, row, column) = problem.shared_element(session.trace().program(), addr)?;
    let array = problem.staged_in(name)?;
    let (tile, k_tile) = problem.tile().zip(session.k_tile())?;
    let (row, column) = array.within(tile, (row, column))?;
    let ((rows, columns), k) = (problem.part(block)?, array.k_tile(k_tile) * tile.k);
    let first = |own| array.first(tile, problem.size, own);
    let (row, column) = match array.of {
        Operand::A => (first(rows.start) + row, k + column),
        Operand::B => (k + row, first(columns.start) + column),
        Operand::C => return None,
    };
    let (rows, columns) = problem.size.shape(array.of);
    (row < rows && column < columns).then_some(Element { operand: array.of, row, column })
}

/// What a product that begins reads of A and B, for these elements of C; nothing where it is not
/// known how far along k that is.
fn factors(session: &Session, sums: impl Iterator<Item = Element>) -> Vec<Element> {
    let place = session.place();
    let first = || {
        let step = place.step.as_ref()?;
        let Op::Matrix(MatrixOp::Wgmma(product)) = &session.trace().program().inst(step.pc).op
        else {
            return None;
        };
        let done = place.warps[usize::from(step.warp)].fma.checked_sub(1)?;
        let variant = session.problem().variant()?;
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

/// The elements of C to which a warp's lanes add, where that is known.
fn computed(session: &Session, number: usize, warp: &WarpNow) -> Vec<Element> {
    let first = number * WARP_SIZE as usize;
    let elements = warp.live.lanes().flat_map(|lane| session.owned().by(first + lane));
    elements
        .map(|(row, column)| Element { operand: Operand::C, row: *row, column: *column })
        .collect()
}
