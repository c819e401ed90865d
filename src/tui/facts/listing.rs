//! What the listing shows of the moment: its loops, the operands of the step, the other warps, and
//! the names that can be pointed at.

use super::{CurrentInstruction, global_operand, ptx_line, shared_operand};
use crate::matrix::Operand;
use crate::report::pointed::{PointedAt, SourcePosition, cuda, names};
use crate::sim::{Effect, Inst, Pc, WarpState};
use crate::trace::cursor::StepSize;
use crate::trace::{Last, WarpNow};
use crate::tui::app::App;
use crate::tui::layout::Language;
use crate::tui::session::Session;
use crate::tui::theme::{Role, role};
use ptx::{ControlOp, Op, Space};
use std::collections::BTreeMap;
use std::ops::Range;

/// The first and the last line of a loop.
pub type Lines = (u32, u32);

/// What the current instruction works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operands<'a> {
    /// Nothing that has a name in the source.
    #[default]
    None,
    /// An array, whose elements it loads or stores.
    Array(&'a str, Role),
    /// Every matrix of the line: it multiplies and adds.
    Product,
}

/// A text that is put after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsertedText<'a> {
    /// The line after which it stands, from 1.
    pub line: u32,
    pub text: &'a str,
    pub means: InsertionKind,
}

/// What a text means where it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertionKind {
    /// The user moves it.
    Here,
    /// It belongs there.
    Right,
    /// It does not.
    Wrong,
}

/// The instruction at which the listing opens, before the first step: the first access to memory,
/// unless the steps are so short that they come to the lines before it.
pub fn opens(app: &App) -> Option<Pc> {
    if app.run.session.at() > 0
        || matches!(app.play.playback.unit, StepSize::Instruction | StepSize::Line)
    {
        return None;
    }
    let mut insts = app.run.session.trace().program().insts.iter();
    let accesses = |inst: &Inst| {
        matches!(inst.op.space(), Some(Space::Global | Space::Shared | Space::Generic))
    };
    insts.position(accesses).map(|pc| Pc(pc as u32))
}

/// The kernel's own source, if the listing shows it and its names can be pointed at.
pub fn own_text(app: &App) -> Option<&str> {
    let session = &app.run.session;
    let now = CurrentInstruction::of(session, app.run.warp);
    let program = session.trace().program();
    let own = now.pc.is_none_or(|pc| program.other_file(pc).is_none());
    let shown = own && app.display.language == Language::Cuda && now.source.is_some();
    cuda(session.problem()).filter(|_| shown)
}

/// Returns the line and the bytes of the name that is pointed at.
pub fn pointed_at(app: &App, text: &str) -> Option<(u32, Range<usize>)> {
    let Some(PointedAt::Token(SourcePosition { line, at })) = app.run.pointed else { return None };
    let (_, name) = names(text, line).into_iter().find(|(start, _)| *start == at)?;
    Some((line, at..at + name.len()))
}

/// Returns the name at which pointing begins: on the current line what the step works on, or the
/// first one.
pub fn first(app: &App) -> Option<SourcePosition> {
    let text = own_text(app)?;
    let line = CurrentInstruction::of(&app.run.session, app.run.warp).line;
    let all = names(text, line);
    let works = match operands(&app.run.session) {
        Operands::Array(name, _) => all.iter().find(|(_, of)| *of == name),
        Operands::None | Operands::Product => None,
    };
    let (at, _) = works.or(all.first())?;
    Some(SourcePosition { line, at: *at })
}

/// Returns the name that many lines below and names to the right of this one.
pub fn walked(app: &App, spot: SourcePosition, (down, right): (i32, i32)) -> SourcePosition {
    let Some(text) = own_text(app) else { return spot };
    let count = text.lines().count() as u32;
    let named = |line: &u32| !names(text, *line).is_empty();
    let mut line = spot.line;
    let mut all = names(text, line);
    let here = all.iter().position(|(at, _)| *at == spot.at).unwrap_or(0);
    let mut place = here as i32 + right;
    let by = if place < 0 || place >= all.len() as i32 { right.signum() } else { down.signum() };
    if by != 0 {
        let next =
            if by > 0 { (line + 1..=count).find(named) } else { (1..line).rev().find(named) };
        let Some(next) = next else { return spot };
        (line, all) = (next, names(text, next));
        place = match (right, by) {
            (0, _) => all.iter().rposition(|(at, _)| *at <= spot.at).unwrap_or(0) as i32,
            (_, 1..) => 0,
            (..) => all.len() as i32 - 1,
        };
    }
    all.get(place as usize).map_or(spot, |(at, _)| SourcePosition { line, at: *at })
}

/// Returns what the current step works on, as the source names it.
pub fn operands(session: &Session) -> Operands<'_> {
    let place = session.place();
    let Some(step) = &place.step else { return Operands::None };
    if matches!(step.effect, Effect::Fma | Effect::Contracted { fused: true, .. }) {
        return Operands::Product;
    }
    let Some(warp) = place.warps.get(usize::from(step.warp)) else { return Operands::None };
    let last = [&warp.global, &warp.shared].into_iter().flatten();
    let last = last.filter(|last| warp.last == Some(last.pc)).max_by_key(|last| last.index);
    match last {
        Some(last) if last.access.space == Space::Shared => shared(session, last),
        last => {
            let operand = global_operand(session, last).map(|(operand, _)| operand);
            operand.map_or(Operands::None, |operand| Operands::Array(operand.name(), role(operand)))
        }
    }
}

fn shared<'a>(session: &'a Session, last: &Last) -> Operands<'a> {
    let (program, problem) = (session.trace().program(), session.problem());
    let Some((_, addr)) = last.access.touched().next() else { return Operands::None };
    let Some((name, ..)) = problem.shared_element(program, addr) else { return Operands::None };
    let of = shared_operand(session, Some(last));
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    Operands::Array(name, of.map_or(Role::Memory, |of: Operand| role(of)))
}

/// Returns the lines at which the warps are that do not execute the current step, and which warps
/// these are. A warp that waits is at its barrier, any other one at its next instruction.
pub fn other_warps(session: &Session, of: impl Fn(Pc) -> Option<u32>) -> Vec<(u32, String)> {
    let place = session.place();
    let acting: Vec<_> = place.alike().map(|(number, _)| number).collect();
    let at = |warp: &WarpNow| match warp.state {
        WarpState::Waiting => warp.last.unwrap_or(warp.pc),
        _ => warp.pc,
    };
    let mut lines: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, warp) in place.warps.iter().enumerate() {
        let other = !warp.live.is_empty() && !acting.contains(&number);
        if let Some(line) = of(at(warp)).filter(|_| other) {
            lines.entry(line).or_default().push(number);
        }
    }
    lines.into_iter().map(|(line, warps)| (line, list(&warps))).collect()
}

/// Returns the loops of the program, from their first instruction to the branch back.
fn loops_of(session: &Session) -> impl Iterator<Item = (u32, u32)> {
    let insts = session.trace().program().insts.iter();
    (0..).zip(insts).filter_map(|(pc, inst)| match &inst.op {
        Op::Control(ControlOp::Bra { target }) if target.0 <= pc => Some((target.0, pc)),
        _ => None,
    })
}

/// Returns the lines of each loop, the longest first.
pub fn loops(session: &Session, of: impl Fn(Pc) -> Option<u32>) -> Vec<Lines> {
    let lines = |(first, last): (u32, u32)| {
        let lines = || (first..=last).filter_map(|pc| of(Pc(pc)));
        lines().min().zip(lines().max())
    };
    longest_first(loops_of(session).filter_map(lines).collect())
}

/// Returns the same for the lines of the PTX.
pub fn ptx_loops(session: &Session) -> Vec<Lines> {
    let line = |pc| ptx_line(session, Pc(pc));
    longest_first(loops_of(session).map(|(first, last)| (line(first), line(last))).collect())
}

fn longest_first(mut loops: Vec<Lines>) -> Vec<Lines> {
    loops.sort_by_key(|(first, last)| (first.abs_diff(*last), *first));
    loops.reverse();
    loops.dedup();
    loops
}

/// Returns the names of warps: "w3", "w1-w7", "w1 w5", or their number.
pub fn list(warps: &[usize]) -> String {
    match *warps {
        [only] => format!("w{only}"),
        [first, .., last] if last - first + 1 == warps.len() => format!("w{first}-w{last}"),
        [one, other] => format!("w{one} w{other}"),
        _ => format!("{} warps", warps.len()),
    }
}
