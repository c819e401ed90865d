//! Pure functions of a session that compute what the panels show in addition to the snapshot.

use super::{passes, staged, value};
use crate::analysis::banks::wavefronts;
use crate::analysis::vectorise::{SassAccess, VectorisedAccess};
use crate::kernel::ROW;
use crate::launch::WARP_SIZE;
use crate::matrix::{Major, Operand};
use crate::ptx::{ControlOp, LaneOp, MatrixOp, Op, Space, TernaryOp};
use crate::report::figures::{Row, rows};
use crate::report::found::{FindingInRun, Outcome};
use crate::report::number::{grouped, sides};
use crate::report::vectorised;
use crate::sim::{Access, Effect, Inst, LaneMask, Pc, SharedArray, Step};
use crate::trace::{End, Extent, Kind, Last, WarpNow};
use crate::tui::app::App;
use crate::tui::session::Session;
use crate::tui::theme::{Role, role};
use crate::tui::widget::banks::Becomes;
use crate::tui::widget::cost;
use crate::tui::widget::matrices::Element;
use crate::tui::widget::shared::{Array, Values};
use crate::tui::widget::warps::{FMA, Gate};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The instruction that is shown, its source line, and the SASS it becomes.
#[derive(Debug)]
pub struct Now<'a> {
    /// The instruction of the current step, or at the start the selected warp's next one.
    pub pc: Option<Pc>,
    /// The instruction's PTX, on one line.
    pub ptx: &'a str,
    /// The name and text of its source file, which may be an included one; `None` if there is only
    /// PTX.
    pub source: Option<(Cow<'a, str>, &'a str)>,
    /// Its line in that file, counted from 1; 0 if unknown.
    pub line: u32,
    /// A description of the SASS it becomes, the longest wording first; empty if it is executed as
    /// written.
    pub becomes: Vec<String>,
}

impl<'a> Now<'a> {
    /// Returns the instruction shown for a run with this warp selected.
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

    /// The text of its source line; empty if there is none.
    pub fn text(&self) -> &'a str {
        let text = self.source.as_ref().map_or("", |(_, text)| text);
        text.lines().nth((self.line as usize).wrapping_sub(1)).unwrap_or("")
    }
}

/// Returns the elements of A, B and C that the current instruction loads, stores, multiplies or
/// computes, in every warp that has just executed it; of a value in shared memory or in a register
/// the element that it came from.
pub fn touched(session: &Session) -> Vec<Element> {
    let place = session.place();
    let computed = || place.together().flat_map(|(number, warp)| computed(session, number, warp));
    let origins = || place.origins.iter().flat_map(|addr| staged::elements(session, *addr));
    match place.step.as_ref().map(|step| &step.effect) {
        Some(Effect::Fma) => return origins().chain(computed()).collect(),
        Some(Effect::WgmmaCompleted { .. }) => return computed().collect(),
        Some(Effect::Wgmma { .. }) => return factors(session, computed()),
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

/// Returns the highlighted lanes: both participants of the findings at the current step, the lanes
/// that are involved with the followed value, and those that later passes over the banks serve.
pub fn lit_lanes(app: &App) -> Vec<(usize, LaneMask, Role)> {
    let session = &app.session;
    let wrong = |found: &&FindingInRun| found.shows.iter().any(|shows| shows.step == session.at());
    let wrong = session.found().into_iter().flatten().filter(wrong).flat_map(|found| &found.shows);
    let bad = wrong.map(|shows| (usize::from(shows.warp), shows.lanes, role_of(shows.outcome)));
    let followed = value::lanes(app).map(|(warp, lanes)| (warp, lanes, Role::Here));
    let waiting = passes::waiting(app).map(|lanes| (app.warp, lanes, Role::Wait));
    bad.chain(followed).chain(waiting).collect()
}

/// Returns the colour of what a finding did: luck is not an error.
pub const fn role_of(outcome: Outcome) -> Role {
    match outcome {
        Outcome::Lucky => Role::Here,
        Outcome::Spoilt | Outcome::Error => Role::Bad,
    }
}

/// Returns the words of shared memory that the current instruction reads or writes, in every warp
/// that has just executed it.
pub fn shared_now(session: &Session) -> Vec<u32> {
    let place = session.place();
    // A wgmma makes many accesses, of which the snapshot keeps only the warp's last one.
    let products = place.step.iter().filter(|step| matches!(step.effect, Effect::Wgmma { .. }));
    let products = products.flat_map(Step::accesses);
    let shared = place.accesses().chain(products).filter(|access| access.space == Space::Shared);
    shared.flat_map(shared_words).collect()
}

/// Returns the words of shared memory that an access touches.
pub fn shared_words(access: &Access) -> Vec<u32> {
    words(access).map(|addr| (addr / 4) as u32).collect()
}

/// Returns the values in shared memory, as far as their types are known.
pub fn shared_values(session: &Session) -> Values {
    let typed = |array: &SharedArray| {
        let end = (array.offset + array.bytes).div_ceil(4);
        array.of.map(|of| (array.offset / 4..end, of))
    };
    let types = session.trace().program().shared.iter().filter_map(typed).collect();
    Values { words: session.replay().machine().shared().to_vec(), types }
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

/// Returns the title of each picture of shared memory.
pub fn shared_titles(session: &Session) -> Vec<String> {
    let staged = session.problem().staged(session.trace().program());
    let titles =
        staged.map(|(array, _, (rows, columns))| format!("{}[{rows}][{columns}]", array.name));
    let mut titles: Vec<_> = titles.collect();
    let declared = declared_arrays(session);
    titles.extend(declared.iter().map(|of| format!("{}{}", of.rank, titled(of.array))));
    let unknown = || vec![format!("{ROW} words a row, one in each bank")];
    if titles.is_empty() { unknown() } else { titles }
}

/// Of each block of the cluster: its rank in words, empty for a block alone, and the first word of its
/// shared memory.
fn ranks(session: &Session) -> Vec<(String, u32)> {
    let cluster = session.replay().machine().cluster();
    if cluster.is_single() {
        return vec![(String::new(), 0)];
    }
    let of = |rank| (format!("rank {rank}: "), (cluster.start(rank) / 4) as u32);
    (0..cluster.blocks()).map(of).collect()
}

/// The shared arrays of a kernel that hold no tile of the catalogue, or none unless the shapes of all
/// are known.
fn declared_arrays(session: &Session) -> Vec<Declared<'_>> {
    let shapes = declared_shapes(session);
    let of_rank = |(rank, start): (String, u32)| {
        let each = shapes.iter().map(move |(array, rows, columns)| Declared {
            rank: rank.clone(),
            array,
            first: start + array.offset / 4,
            rows: *rows,
            columns: *columns,
        });
        each.collect::<Vec<_>>()
    };
    ranks(session).into_iter().flat_map(of_rank).collect()
}

/// A shared array of one block, whose shape its source declares.
struct Declared<'a> {
    rank: String,
    array: &'a SharedArray,
    /// Its first word in the shared memory of all blocks that run together.
    first: u32,
    rows: u32,
    columns: u32,
}

/// Those arrays with the (rows, words of a row) that the source declares.
fn declared_shapes(session: &Session) -> Vec<(&SharedArray, u32, u32)> {
    let program = session.trace().program();
    let is_staged = |array: &&SharedArray| {
        session.problem().staged(program).any(|(staged, ..)| staged.array == array.name)
    };
    let known = program.shared.iter().filter(|array| !is_staged(array)).map(|array| {
        let rows = array.extents.split_last()?.1.iter().product::<u32>();
        let words = (array.bytes / 4).checked_div(rows)?;
        (words * rows * 4 == array.bytes).then_some((array, rows, words))
    });
    known.collect::<Option<_>>().unwrap_or_default()
}

/// The bytes of an element of a declared array, or of a part of it where it is a vector.
fn element_bytes(array: &SharedArray) -> u8 {
    let bytes = array.element_bytes().and_then(|bytes| u8::try_from(bytes).ok());
    bytes.filter(|bytes| matches!(bytes, 1 | 2 | 4 | 8)).unwrap_or(4)
}

/// An array as it is declared: `sA[16][17]`.
fn titled(array: &SharedArray) -> String {
    let sides = array.extents.iter().map(|side| format!("[{side}]"));
    format!("{}{}", array.name, sides.collect::<Vec<_>>().concat())
}

/// Returns the pictures of shared memory, and the (first word, name) labels. Each tile of a
/// catalogue kernel has a picture of its own, and so has each other array whose source declares its
/// shape; otherwise one picture shows all words.
pub fn shared_arrays<'a>(
    session: &'a Session,
    titles: &'a [String],
) -> (Vec<Array<'a>>, Vec<(u32, &'a str)>) {
    let program = session.trace().program();
    let arrays = &program.shared;
    let title = "";
    let staged = session.problem().staged(program);
    let staged = staged.map(|(staged, first, (rows, columns))| Array {
        title,
        name: staged.name,
        first,
        rows,
        columns,
        pad: staged.pad,
        role: role(staged.of),
        element: 4,
    });
    let declared = declared_arrays(session).into_iter().map(|of| Array {
        title,
        name: &of.array.name,
        first: of.first,
        rows: of.rows,
        columns: of.columns,
        pad: 0,
        role: Role::Memory,
        element: element_bytes(of.array),
    });
    let known = staged.chain(declared).zip(titles);
    let known: Vec<_> = known.map(|(array, title)| Array { title, ..array }).collect();
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
        pad: 0,
        role: Role::Memory,
        element: 4,
    });
    let labels = ranks(session).into_iter().flat_map(|(_, start)| {
        arrays.iter().map(move |array| (start + array.offset / 4, &*array.name))
    });
    (all.collect(), labels.collect())
}

/// Describes how a user's kernel is launched.
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

/// Returns the block's counts so far: as written in PTX and, if it differs, in predicted SASS.
pub fn counts(session: &Session) -> Vec<(&'static str, String, Option<String>)> {
    let row = |Row { label, ptx, sass }| {
        (label, grouped(ptx), sass.filter(|sass| !sass.is(ptx)).map(|sass| sass.to_string()))
    };
    rows(&session.place().totals).into_iter().map(row).collect()
}

/// Describes which accesses of the kernel ptxas vectorises, and where that is unknown.
pub fn join_notes(session: &Session) -> Vec<String> {
    let (trace, problem) = (session.trace(), session.problem());
    let (program, joins) = (trace.program(), trace.joins());
    let rows = vectorised::rows(problem, program, joins).into_iter().map(|row| row.to_string());
    let notes = vectorised::notes(problem, program, joins).into_iter().map(|note| note.to_string());
    rows.chain(notes).collect()
}

/// Whether the kernel's work can be counted: in fused multiply-adds of float32 or float64.
pub fn works(session: &Session) -> bool {
    let is_fma =
        |inst: &Inst| matches!(inst.op, Op::Lane(LaneOp::Ternary { op: TernaryOp::Fma, .. }));
    session.trace().program().insts.iter().any(is_fma)
}

/// Returns what the kernel's instructions that multiply and add are called.
pub fn multiplies(session: &Session) -> &'static str {
    let by_tensor_cores = session.trace().program().insts.iter().find_map(|inst| match &inst.op {
        Op::Matrix(MatrixOp::Mma(_)) => Some("mma"),
        Op::Matrix(MatrixOp::Wgmma(_)) => Some("wgmma"),
        _ => None,
    });
    by_tensor_cores.unwrap_or(FMA)
}

/// Returns how often a word that the block has fetched from global memory has been used so far.
pub fn reuse(session: &Session) -> Option<f64> {
    let totals = &session.place().totals;
    cost::reuse(totals, session.problem().fma_inside(session.block(), totals.ptx.thread_fma))
}

/// Returns the matrix that a global access touches, and the address at which it begins.
pub fn global_operand(session: &Session, last: Option<&Last>) -> Option<(Operand, u64)> {
    let (_, addr) = last?.access.touched().next()?;
    let memory = session.replay().machine().memory();
    let (operand, ..) = session.problem().element(memory, addr)?;
    Some((operand, memory.locate(addr)?.0.base))
}

/// Returns the matrix whose tile a shared access touches.
pub fn shared_operand(session: &Session, last: Option<&Last>) -> Option<Operand> {
    let (_, addr) = last?.access.touched().next()?;
    let (name, ..) = session.problem().shared_element(session.trace().program(), addr)?;
    session.problem().staged_in(name).map(|array| array.of)
}

/// Returns the name of what each warp's last access touches: a matrix, or an array of shared
/// memory; empty if unknown.
pub fn touched_names(session: &Session) -> Vec<&str> {
    let program = session.trace().program();
    let shared = |last: &Last| {
        let (_, addr) = last.access.touched().next()?;
        session.problem().shared_element(program, addr).map(|(name, ..)| name)
    };
    let memory = session.replay().machine().memory();
    let own = |last: &Option<Last>| {
        let (_, addr) = last.as_ref()?.access.touched().next()?;
        Some(&*session.problem().own_element(memory, addr)?.0.name)
    };
    let global = |last: &Option<Last>| {
        let operand = global_operand(session, last.as_ref());
        operand.map(|(operand, _)| operand.name()).or_else(|| own(last))
    };
    let name = |warp: &WarpNow| match warp.kind {
        Kind::GlobalLoad | Kind::GlobalStore => global(&warp.global),
        Kind::SharedLoad | Kind::SharedStore => warp.shared.as_ref().and_then(shared),
        _ => None,
    };
    session.place().warps.iter().map(|warp| name(warp).unwrap_or_default()).collect()
}

/// Returns the barrier of all warps: `None` for a block of one warp, in a cluster, each of whose
/// blocks has its own, and for a kernel without barriers or with barriers that count threads, at which other warps need not arrive; likewise
/// after the last barrier of the run.
pub fn gate(session: &Session) -> Option<Gate> {
    let place = session.place();
    let whole = session.trace().program().insts.iter().filter_map(|inst| match &inst.op {
        Op::Control(ControlOp::Bar { threads, .. }) => Some(threads.is_none()),
        _ => None,
    });
    let (mut any, mut all) = (false, true);
    whole.for_each(|whole| (any, all) = (true, all && whole));
    let open = place.step.as_ref().is_some_and(|step| step.released.is_some());
    let number = place.interval + u32::from(!open);
    let last = session.barriers().last().copied().unwrap_or_default();
    if session.trace().end() == Some(&End::Done) && place.index > last {
        return None;
    }
    let all = all && !session.trace().program().has_clusters();
    (any && all && place.warps.len() > 1).then_some(Gate { number, open, opening: None })
}

/// If several warps have just executed this shared access together: how many, and the passes over
/// the banks of all of them.
pub fn together(session: &Session, last: Option<&Last>) -> Option<(usize, u32)> {
    let place = session.place();
    let same = place.step.as_ref().is_some_and(|step| last.is_some_and(|last| last.pc == step.pc));
    let is_own = |access: &&Access| access.space == Space::Shared && !access.route.is_of_cluster();
    let accesses = place.accesses().filter(|access| same && is_own(access));
    let costs: Vec<_> = accesses.map(|access| wavefronts(access).wavefronts).collect();
    (costs.len() > 1).then(|| (costs.len(), costs.iter().sum()))
}

/// Describes what ptxas makes of a shared access.
pub fn becomes(session: &Session, last: Option<&Last>) -> Becomes {
    let Some(last) = last else { return Becomes::default() };
    let joins = session.trace().joins();
    let of = |pieces: &[SassAccess]| pieces.iter().map(|piece| piece.of(&last.access)).collect();
    let elsewhere = |join: &&VectorisedAccess| join.at != last.pc && join.of.contains(&last.pc);
    let with = joins.joins.iter().find(elsewhere).map(|join| ptx_line(session, join.at));
    Becomes {
        instead: joins.pieces(last.pc).map(of),
        words: words_of(session, last.pc),
        with,
        doubt: vectorised::doubt(joins, last.pc),
    }
}

/// Describes the SASS of the instruction at `pc`, the longest wording first.
fn words_of(session: &Session, pc: Pc) -> Vec<String> {
    let trace = session.trace();
    vectorised::becomes(trace.program(), trace.joins(), &session.problem().ptx, pc)
}

/// Returns the PTX lines of the accesses that are vectorised with the one at `pc`, its own line
/// included.
pub fn vectorised_with(session: &Session, pc: Pc) -> Vec<u32> {
    let joins = &session.trace().joins().joins;
    let with = joins.iter().filter(|join| join.of.contains(&pc)).flat_map(|join| &join.of);
    with.map(|pc| ptx_line(session, *pc)).collect()
}

/// Returns the PTX line of an instruction.
pub fn ptx_line(session: &Session, pc: Pc) -> u32 {
    session.trace().program().inst(pc).span.line(&session.problem().ptx) as u32
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

/// Returns the elements of C to which a warp's lanes add, where that is known.
fn computed(session: &Session, number: usize, warp: &WarpNow) -> Vec<Element> {
    let first = number * WARP_SIZE as usize;
    let elements = warp.live.lanes().flat_map(|lane| session.owned().by(first + lane));
    elements
        .map(|(row, column)| Element { operand: Operand::C, row: *row, column: *column })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;
    use crate::launch::Dim3;
    use crate::matrix::Size;
    use crate::sim::Order;
    use crate::tui::kernel_cache::Loaded;
    use crate::tui::session::Goal;
    use crate::tui::task::RunId;

    #[test]
    fn there_is_no_gate_after_the_last_barrier() {
        let problem = find("tiled").expect("a kernel").problem_for(Size::square(32));
        let loaded = Loaded::of(problem).expect("it can be run");
        let (mut session, mut recording) =
            Session::new(RunId(0), loaded, Dim3::at(0, 0), Order::ByPhase);
        while !session.trace().complete() {
            session.append(recording.recorder.record(1 << 16));
        }
        let last = *session.barriers().last().expect("it has barriers");
        for (step, there) in [(0, true), (last - 1, true), (last, true), (last + 1, false)] {
            session.go(Goal::Step(step));
            assert_eq!(gate(&session).is_some(), there, "step {step}");
        }
    }
}
