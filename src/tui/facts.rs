//! Pure functions of a session that compute what the panels show in addition to the snapshot.

mod activity;
mod arrays;
mod elements;
mod values;

pub mod arrivals;
pub mod counts;
pub mod ending;
pub mod listing;
pub mod passes;
pub mod pointed;
pub mod race;
pub mod redacted;
pub mod staged;
pub mod things;
pub mod value;

use crate::analysis::Counters;
use crate::analysis::banks::wavefronts;
use crate::analysis::coalesce::{self, SECTOR};
use crate::analysis::vectorise::{SassAccess, VectorisedAccess};
use crate::kernel::{Problem, Source};
use crate::matrix::Operand;
use crate::report::bricks::{by_columns, with_other_rows};
use crate::report::figures::{Row, rows};
use crate::report::found::{FindingInRun, FindingOutcome};
use crate::report::number::{grouped, sides};
use crate::report::sentence::BankTalk;
use crate::report::{contracted, vectorised};
use crate::sim::{Access, Inst, LaneMask, Pc};
use crate::trace::{End, Last, OpKind, WarpNow};
use crate::tui::app::App;
use crate::tui::session::Session;
use crate::tui::theme::Role;
pub use activity::{Activity, FMA, MAD};
pub use arrays::{PicturedArray, shared_arrays, shared_titles, shared_values};
pub use elements::{
    SumProgress, extents, held_at, lit, shared_now, shared_words, sums, touched, wrong,
};
use ptx::{ControlOp, LaneOp, MatrixOp, Op, Space};
pub use values::SharedValues;

/// The instruction that is shown, its source line, and the SASS it becomes.
#[derive(Debug)]
pub struct CurrentInstruction<'a> {
    /// The instruction of the current step, or at the start the selected warp's next one.
    pub pc: Option<Pc>,
    /// The instruction's PTX, on one line.
    pub ptx: &'a str,
    /// Its source file, which may be an included one; `None` if there is only PTX.
    pub source: Option<&'a Source>,
    /// Its line in that file, counted from 1; 0 if unknown.
    pub line: u32,
    /// A description of the SASS it becomes, the longest wording first; empty if it is executed as
    /// written.
    pub becomes: Vec<String>,
}

impl<'a> CurrentInstruction<'a> {
    /// Returns the instruction shown for a run with this warp selected.
    pub fn of(session: &'a Session, warp: usize) -> Self {
        let (place, trace) = (session.place(), session.trace());
        let pc = place.step.as_ref().map(|step| step.pc);
        let pc = pc.or_else(|| place.warps.get(warp).map(|warp| warp.pc));
        let (problem, program) = (session.problem(), trace.program());
        Self {
            pc,
            ptx: pc.map_or("", |pc| program.inst(pc).span.of(&problem.ptx)),
            source: pc
                .map_or_else(|| problem.source.as_deref(), |pc| problem.source_of(program, pc)),
            line: pc.and_then(|pc| trace.line(pc)).unwrap_or(0),
            becomes: pc.map_or_else(Vec::new, |pc| words_of(session, pc)),
        }
    }

    /// The text of its source line; empty if there is none.
    pub fn text(&self) -> &'a str {
        let text = self.source.map_or("", |source| &source.text);
        text.lines().nth((self.line as usize).wrapping_sub(1)).unwrap_or("")
    }
}

/// A barrier of all the block's warps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarrierGate {
    /// Its number in the run, from 1: of the barrier that warps go to, or have just passed.
    pub number: u32,
    /// Whether the step that led here let the warps through.
    pub open: bool,
}

/// The SASS that ptxas makes of an access.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecutedSass {
    /// The accesses executed in its place, or `None` if it is executed as written; empty if its
    /// values come with another instruction.
    pub instead: Option<Vec<Access>>,
    /// A description, the longest wording first: `4 x ld.shared.f32 -> 1 x LDS.128`.
    pub words: Vec<String>,
    /// The PTX line at which the vectorised access is executed, if it is a different one.
    pub with: Option<u32>,
    /// Why the access stays as written, or what is unknown.
    pub doubt: Vec<String>,
}

/// Returns the highlighted lanes: both participants of the findings at the current step, and those that
/// later passes over the banks serve.
pub fn lit_lanes(app: &App) -> Vec<(usize, LaneMask, Role)> {
    let session = &app.run.session;
    let wrong = |found: &&FindingInRun| found.shows.iter().any(|shows| shows.step == session.at());
    let wrong = session.found().into_iter().flatten().filter(wrong).flat_map(|found| &found.shows);
    let bad = wrong.map(|shows| (usize::from(shows.warp), shows.lanes, role_of(shows.outcome)));
    let waiting = passes::waiting(app).map(|lanes| (app.run.warp, lanes, Role::Wait));
    bad.chain(waiting).collect()
}

/// Returns the colour of what a finding did: luck is not an error.
pub const fn role_of(outcome: FindingOutcome) -> Role {
    match outcome {
        FindingOutcome::Lucky => Role::Wait,
        FindingOutcome::Spoilt | FindingOutcome::Error => Role::Bad,
    }
}

/// Describes how a user's kernel is launched.
pub fn launch(session: &Session) -> Vec<(&'static str, String)> {
    let (problem, program) = (session.problem(), session.trace().program());
    let launch = problem.launch;
    let (threads, warps) = (launch.threads(), launch.warps());
    let dynamic = problem.shared;
    let fixed = program.shared_bytes - dynamic.min(program.shared_bytes);
    let bytes = |bytes: u32| grouped(bytes.into());
    // Those of the catalogue are always the same.
    let args = if problem.known.is_some() { "" } else { &*problem.words };
    vec![
        ("kernel", problem.name().to_owned()),
        ("entry", problem.entry.clone()),
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
    let notes = vectorised::notes(problem, program, joins).into_iter();
    let notes = notes.chain(contracted::notes(problem, program)).map(|note| note.to_string());
    rows.chain(notes).collect()
}

/// Whether the kernel's work can be counted: in fused multiply-adds of float32 or float64.
pub fn works(session: &Session) -> bool {
    let is_fma =
        |inst: &Inst| matches!(inst.op, Op::Lane(LaneOp::Ternary { op, .. }) if op.is_fma());
    session.trace().program().insts.iter().any(is_fma)
}

/// Returns what the kernel's instructions that multiply and add are called.
pub fn multiplies(session: &Session) -> &'static str {
    let by_tensor_cores = session.trace().program().insts.iter().find_map(|inst| match &inst.op {
        Op::Matrix(MatrixOp::Mma(_)) => Some("mma"),
        Op::Matrix(MatrixOp::Wgmma(_)) => Some("wgmma"),
        _ => None,
    });
    let of_integers = !session.trace().products().is_empty() && !works(session);
    by_tensor_cores.unwrap_or(if of_integers { MAD } else { FMA })
}

/// Returns how often a word that the block has fetched from global memory has been used so far.
pub fn reuse(session: &Session) -> Option<f64> {
    let totals = &session.place().totals;
    reuse_of(totals, session.problem().fma_inside(session.block(), totals.sass().thread_fma))
}

/// Operands multiplied per 4-byte word fetched from global memory, by so many multiply-adds with
/// elements of the matrices; `None` before the first fetch.
pub fn reuse_of(totals: &Counters, fma: u64) -> Option<f64> {
    let words = totals.ptx.global.loads.sectors * SECTOR / 4;
    (words > 0).then(|| 2.0 * fma as f64 / words as f64)
}

/// Returns the matrix that a global access touches, and the address at which it begins.
pub fn global_operand(session: &Session, last: Option<&Last>) -> Option<(Operand, u64)> {
    let (_, addr) = last?.access.touched().next()?;
    let memory = session.replay().machine().memory();
    let (operand, ..) = session.problem().element(memory, addr)?;
    Some((operand, memory.locate(addr)?.0.base))
}

/// Returns (row, column) of the first element that an access touches in each line of global memory;
/// nothing if it does not touch a matrix alone.
pub fn line_places(session: &Session, last: Option<&Last>) -> Vec<(u32, u32)> {
    let Some(last) = last else { return Vec::new() };
    let memory = session.replay().machine().memory();
    let place = |line: coalesce::CacheLine| {
        let word = (0..32).find(|word| line.uses(*word))?;
        let (_, row, column) = session.problem().element(memory, line.address + 4 * word as u64)?;
        Some((row, column))
    };
    let places = coalesce::lines(&last.access).into_iter().map(place);
    places.collect::<Option<_>>().unwrap_or_default()
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
        OpKind::GlobalLoad | OpKind::GlobalStore => global(&warp.global),
        OpKind::SharedLoad | OpKind::SharedStore => warp.shared.as_ref().and_then(shared),
        _ => None,
    };
    session.place().warps.iter().map(|warp| name(warp).unwrap_or_default()).collect()
}

/// Returns the barrier of all warps: `None` for a block of one warp, and for several blocks, each of whose
/// blocks has its own, and for a kernel without barriers or with barriers that count threads, at which other warps need not arrive; likewise
/// after the last barrier of the run.
pub fn gate(session: &Session) -> Option<BarrierGate> {
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
    let all = all && session.trace().program().blocks_together() == 1;
    (any && all && place.warps.len() > 1).then_some(BarrierGate { number, open })
}

/// If several warps have just executed this shared access together: how many, and the passes over
/// the banks of all of them.
pub fn together(session: &Session, last: Option<&Last>) -> Option<(usize, u32)> {
    let place = session.place();
    let same = place.step.as_ref().is_some_and(|step| last.is_some_and(|last| last.pc == step.pc));
    let is_own = |access: &&Access| access.space == Space::Shared && !access.route.is_distributed();
    let accesses = place.accesses().filter(|access| same && is_own(access));
    let costs: Vec<_> = accesses.map(|access| wavefronts(access).wavefronts).collect();
    (costs.len() > 1).then(|| (costs.len(), costs.iter().sum()))
}

/// An access to shared memory as it would be if the rows of its array were longer, or without its
/// padding.
#[derive(Clone, Debug, PartialEq)]
pub struct PaddedAccess {
    pub access: Access,
    pub array: String,
    /// Whether rows would be longer.
    pub longer: bool,
    /// How to see it, if the next kernel of the ladder pads that array.
    pub kernel: Option<String>,
}

/// Returns an access with padding or, if its array has some, without, where that makes a difference.
pub fn padded(app: &App, last: Option<&Last>) -> Option<PaddedAccess> {
    let (session, last) = (&app.run.session, last?);
    let (problem, program) = (session.problem(), &**session.trace().program());
    let (array, more, access) = with_other_rows((problem, program), &last.access)?;
    let pad = |problem: &Problem| {
        let tiles = problem.catalogue()?.shared.iter();
        tiles.filter(|tile| tile.name == array).map(|tile| tile.pad).next()
    };
    let next = app.kernels.next_rung().map(|place| app.kernels.cache.problem(place));
    let next = next.filter(|next| pad(next) > pad(problem));
    let key = app.keymap.key_of("next-kernel");
    let kernel = next.zip(key).map(|(next, key)| format!("{key}  {}", next.name()));
    Some(PaddedAccess { access, array: array.to_owned(), longer: more > 0, kernel })
}

/// While the sentence speaks of it: an access as it would be column by column, and that with padding, or
/// that alone.
pub fn column_by_column(app: &App, last: Option<&Last>) -> Option<(Access, Option<PaddedAccess>)> {
    let (session, last) = (&app.run.session, last?);
    let talk = app.speaks_of_banks().filter(|talk| *talk > BankTalk::AsStored)?;
    let run = (session.problem(), &**session.trace().program());
    let (_, turned) = by_columns(run, &last.access, 0)?;
    let (array, access) = by_columns(run, &last.access, 1)?;
    if talk == BankTalk::Padded {
        return Some((access, None));
    }
    let padded = PaddedAccess { access, array: array.to_owned(), longer: true, kernel: None };
    Some((turned, Some(padded)))
}

/// Returns the rows that the pictures of a warp's last accesses to global and to shared memory need.
pub fn needs(session: &Session, warp: usize) -> [u16; 2] {
    let warp = session.place().warps.get(warp);
    let sectors = warp.and_then(|warp| warp.global.as_ref());
    let sectors = sectors.map_or(0, |last| coalesce::sectors(&last.access).sectors);
    let shared = warp.and_then(|warp| warp.shared.as_ref());
    let own = shared.filter(|last| !last.access.route.is_distributed());
    let passes = own.map_or(0, |last| wavefronts(&last.access).wavefronts);
    [sectors.div_ceil(4) as u16 + 1, passes.div_ceil(2) as u16 + 2]
}

/// The line of an access, 0 if unknown, if it is not of the event that led to the position shown.
pub fn before(session: &Session, last: Option<&Last>) -> Option<u32> {
    let last = last?;
    let place = session.place();
    let now = place.step.as_ref().is_some_and(|step| step.pc == last.pc)
        && place.together().any(|(_, warp)| warp.last == Some(last.pc));
    (!now && last.index != session.at()).then(|| session.trace().line(last.pc).unwrap_or_default())
}

/// Describes what ptxas makes of a shared access.
pub fn becomes(session: &Session, last: Option<&Last>) -> ExecutedSass {
    let Some(last) = last else { return ExecutedSass::default() };
    let joins = session.trace().joins();
    let of = |pieces: &[SassAccess]| pieces.iter().map(|piece| piece.of(&last.access)).collect();
    let elsewhere = |join: &&VectorisedAccess| join.at != last.pc && join.of.contains(&last.pc);
    let with = joins.joins.iter().find(elsewhere).map(|join| ptx_line(session, join.at));
    ExecutedSass {
        instead: joins.pieces(last.pc).map(of),
        words: words_of(session, last.pc),
        with,
        doubt: vectorised::doubt(joins, last.pc),
    }
}

/// Describes the SASS of the instruction at `pc`, the longest wording first.
fn words_of(session: &Session, pc: Pc) -> Vec<String> {
    let (trace, ptx) = (session.trace(), &session.problem().ptx);
    let words = vectorised::becomes(trace.program(), trace.joins(), ptx, pc);
    if words.is_empty() { contracted::becomes(trace.program(), ptx, pc) } else { words }
}

/// Returns the PTX lines of the instructions of which ptxas makes one with the one at `pc`, its own
/// line included: accesses that are vectorised, a product and a sum that are contracted.
pub fn joined_with(session: &Session, pc: Pc) -> Vec<u32> {
    let joins = &session.trace().joins().joins;
    let with = joins.iter().filter(|join| join.of.contains(&pc)).flat_map(|join| &join.of);
    let contracted = contracted::together(session.trace().program(), pc);
    with.copied().chain(contracted).map(|pc| ptx_line(session, pc)).collect()
}

/// Returns the PTX line of an instruction.
pub fn ptx_line(session: &Session, pc: Pc) -> u32 {
    session.trace().program().inst(pc).span.line(&session.problem().ptx) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;
    use crate::launch::Dim3;
    use crate::matrix::Size;
    use crate::sim::Order;
    use crate::tui::kernel_cache::Loaded;
    use crate::tui::session::SeekGoal;
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
            session.go(SeekGoal::Step(step));
            assert_eq!(gate(&session).is_some(), there, "step {step}");
        }
    }
}
