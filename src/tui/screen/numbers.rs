//! The values of small matrices, with the sums in registers, and the product added now.

use crate::kernel::element_type;
use crate::launch::WARP_SIZE;
use crate::matrix::{self, Element, ElementType, Operand};
use crate::sim::{Pc, Reg};
use crate::trace::{OpKind, WarpNow};
use crate::tui::facts;
use crate::tui::session::Session;
use crate::tui::widget::matrices::{MatrixValues, text};
use ptx::{LaneOp, Op, Type};
use ratatui::layout::Size;

/// Returns the values of A, B and C, if the matrices fit a screen of this size. An element of C that is
/// not stored yet has the value of its sum so far, where that is known.
pub fn values(session: &Session, screen: Size) -> Option<MatrixValues> {
    let (problem, memory) = (session.problem(), session.replay().machine().memory());
    if problem.operands.is_empty() || !may_fit(problem.size, screen) {
        return None;
    }
    let all = |operand: Operand| {
        let (layout, shape) = (problem.layout(operand), problem.size.shape(operand));
        let buffer = memory.named(operand.name())?;
        let value = move |index| buffer.element(layout.of, layout.place_of(shape, index));
        Some((0..problem.size.elements(operand)).map(value))
    };
    let given = |operand| Some(all(operand)?.map(Some).collect::<Vec<_>>());
    let columns = u64::from(problem.size.n);
    // Within what the block has stored, a zero is a value; elsewhere C is zero from the start.
    let [.., stores] = facts::extents(session);
    let stored = |(index, value): (u64, f64)| {
        let done = stores.is_some_and(|extent| extent.has(index / columns, index % columns));
        Some(value).filter(|value| done || *value != 0.0)
    };
    let mut c: Vec<_> = (0..).zip(all(Operand::C)?).map(stored).collect();
    for (Element { row, column, .. }, sum) in sums(session, false) {
        if let Some(value) = c.get_mut((u64::from(row) * columns + u64::from(column)) as usize) {
            *value = Some(sum);
        }
    }
    Some(MatrixValues([given(Operand::A)?, given(Operand::B)?, c]))
}

/// Whether A beside C and B above it have room on a screen, with at least two columns and a row for
/// each element.
fn may_fit(of: matrix::Size, screen: Size) -> bool {
    of.n.saturating_add(of.k) <= (screen.width / 2).into()
        && of.m.saturating_add(of.k) <= screen.height.into()
}

/// Returns the sums in the registers of running warps, if each thread has one; `before`: without the
/// product that is added now.
pub fn sums(session: &Session, before: bool) -> Vec<(Element, f64)> {
    let now: Vec<_> = session.place().together().map(|(number, _)| number).collect();
    let warps = session.place().warps.iter().enumerate();
    let running = warps.filter(|(_, warp)| !warp.live.is_empty() && warp.fma > 0);
    let of_warp = |(number, warp): (usize, &WarpNow)| {
        let Some(Fma { a, b, sum, of }) = last_fma(session, warp) else { return Vec::new() };
        let machine = session.replay().machine();
        let [a, b, sum] = [a, b, sum].map(|reg| machine.values(number, reg));
        let adds = before && now.contains(&number);
        let value = |lane: usize| {
            let [a, b, sum] = [a[lane], b[lane], sum[lane]].map(|bits| of.value(bits));
            if adds { sum - a * b } else { sum }
        };
        let element = |lane| Some((element_of(session, number, lane)?, value(lane)));
        warp.live.lanes().filter_map(element).collect()
    };
    running.flat_map(of_warp).collect()
}

/// The only element of C that a lane computes.
fn element_of(session: &Session, warp: usize, lane: usize) -> Option<Element> {
    match session.owned().by(warp * WARP_SIZE as usize + lane) {
        [(row, column)] => Some(Element { operand: Operand::C, row: *row, column: *column }),
        _ => None,
    }
}

/// The registers of a multiply-add: `sum` = `a` x `b` + the sum before.
struct Fma {
    a: Reg,
    b: Reg,
    sum: Reg,
    of: ElementType,
}

/// Returns the registers of a warp's last multiply-add.
fn last_fma(session: &Session, warp: &WarpNow) -> Option<Fma> {
    let step = warp.multiplied.checked_sub(1)?;
    fma(session, session.trace().records().get(step)?.pc)
}

fn fma(session: &Session, pc: Pc) -> Option<Fma> {
    match &session.trace().program().inst(pc).op {
        // Of two products in a register, none is the one.
        Op::Lane(LaneOp::Ternary { op, ty, dst, abc: [a, b, _], .. })
            if op.is_fma() && !matches!(ty, Type::F16x2 | Type::Bf16x2) =>
        {
            Some(Fma { a: *a, b: *b, sum: *dst, of: element_type(*ty)? })
        }
        _ => None,
    }
}

/// Describes the product that a lane of the selected warp has just added, or of the warp that has
/// moved if the selected one has not: `C[1][2] += 7 x 3`, `sum so far 41`; each line with its
/// longest wording first.
pub fn product(session: &Session, selected: usize) -> Vec<Vec<String>> {
    let place = session.place();
    let step = place.step.as_ref().filter(|step| OpKind::of(step) == OpKind::Fma);
    let said = || {
        let step = step?;
        let warps: Vec<_> = place.together().map(|(number, _)| number).collect();
        let warp = if warps.contains(&selected) { selected } else { usize::from(step.warp) };
        let Fma { a, b, sum, of: ty } = fma(session, step.pc)?;
        let lane = place.warps.get(warp)?.executed.lanes().next()?;
        let of = element_of(session, warp, lane)?;
        let machine = session.replay().machine();
        let [a, b, sum] = [a, b, sum].map(|reg| text(ty.value(machine.value(warp, reg, lane))));
        let added = format!("{a} x {b}");
        Some(vec![
            vec![format!("{of} += {added}"), format!("+= {added}")],
            vec![format!("sum so far {sum}"), format!("sum {sum}")],
        ])
    };
    said().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Problem, find};
    use crate::launch::Dim3;
    use crate::matrix::SMALL;
    use crate::sim::Order;
    use crate::tui::kernel_cache::Loaded;
    use crate::tui::session::SeekGoal;
    use crate::tui::task::RunId;

    /// A run of a kernel of one block, of digits.
    fn session(size: matrix::Size) -> Session {
        let problem = Problem { seed: SMALL, ..find("naive").expect("a kernel").problem_for(size) };
        let loaded = Loaded::of(problem).expect("it can be run");
        let (session, _) = Session::new(RunId(0), loaded, Dim3::at(0, 0), Order::ByPhase);
        assert!(session.trace().complete(), "one chunk holds it");
        session
    }

    #[test]
    fn a_stored_zero_is_a_value_and_what_is_not_stored_has_none() {
        let mut session = session(matrix::Size { m: 8, n: 8, k: 1 });
        let screen = Size { width: 120, height: 36 };
        let c = |session: &Session| values(session, screen).expect("they fit").0[2].clone();
        assert!(c(&session).iter().all(Option::is_none), "nothing is stored at the start");
        session.go(SeekGoal::End);
        assert!(c(&session).iter().all(Option::is_some), "everything is stored at the end");
        assert!(c(&session).contains(&Some(0.0)), "the test has a product of 0");
    }

    #[test]
    fn matrices_that_fit_no_screen_are_not_looked_up() {
        let session = session(matrix::Size::square(16));
        let fits = |width, height| values(&session, Size { width, height }).is_some();
        assert!(fits(64, 32) && !fits(63, 32) && !fits(64, 31));
    }
}
