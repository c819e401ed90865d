//! What moves between two positions while the run plays: data on its way from panel to panel, what
//! happens in turn, and what was touched.
//!
//! A pure function of the position and of the fraction of the way that is done.

use super::panels;
use crate::matrix::Operand;
use crate::report::number::Count;
use crate::sim::{AsyncEffect, Direction, Effect};
use crate::trace::OpKind;
use crate::tui::facts;
use crate::tui::layout::{Areas, Panel, inner};
use crate::tui::motion::Motion;
use crate::tui::theme::{Role, role};
use crate::tui::view_model::ViewModel;
use crate::tui::widget::packet::Packet;
use ptx::Space;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use std::collections::BTreeSet;

/// Data on its way.
#[derive(Debug)]
struct Flight {
    from: Rect,
    to: Rect,
    role: Role,
    label: String,
}

/// Draws what moves over the panels, if anything does.
pub(super) fn draw(view: &ViewModel<'_>, areas: &Areas, buf: &mut Buffer) {
    let Some(part) = view.app.in_motion().and_then(Motion::flight) else { return };
    let Some(Flight { from, to, role, label }) = flight(view, areas) else { return };
    let bounds = areas.panels.iter().map(|(_, area)| *area).reduce(Rect::union);
    Packet { from, to, part, label: &label, role, look: view.look }
        .render(bounds.unwrap_or_default(), buf);
}

/// The data that the step at the position shown has moved: from a matrix to the registers of the
/// acting warps, from there to shared memory or to C, and from shared memory to registers; by an asynchronous copy
/// from a matrix to shared memory.
fn flight(view: &ViewModel<'_>, areas: &Areas) -> Option<Flight> {
    let place = view.session.place();
    let step = place.step.as_ref()?;
    let access = step.accesses().first()?;
    let (memory, role) = match (&step.effect, access.space) {
        // What lands has left for shared memory before.
        (Effect::Async(AsyncEffect::Landed(_)), _) => return None,
        (_, Space::Shared) => shared(view, areas, &facts::shared_now(view.session))?,
        (_, Space::Global) => matrix(view, areas)?,
        _ => return None,
    };
    let registers = || registers(view, areas);
    let (from, to) = match (&step.effect, access.direction) {
        // A copy never is in a register.
        (Effect::Async(AsyncEffect::Copy(copy)), _) => {
            (memory, shared(view, areas, &facts::shared_words(&copy[1]))?.0)
        }
        (_, Direction::Load) => (memory, registers()?),
        (_, Direction::Store | Direction::Atomic) => (registers()?, memory),
    };
    let moves = matches!(
        OpKind::of(step),
        OpKind::GlobalLoad | OpKind::GlobalStore | OpKind::SharedLoad | OpKind::SharedStore
    );
    moves.then(|| Flight { from, to, role, label: carried(view) })
}

/// What the step moves: "32 words" or, where lanes share them, "256 lanes, 16 words".
fn carried(view: &ViewModel<'_>) -> String {
    let accesses = || view.session.place().accesses();
    let bytes: u64 =
        accesses().map(|access| u64::from(access.active.count()) * u64::from(access.bytes)).sum();
    let touched = accesses().flat_map(|access| {
        access
            .touched()
            .flat_map(|(_, addr)| addr / 4..(addr + u64::from(access.bytes)).div_ceil(4))
    });
    let words = Count(touched.collect::<BTreeSet<_>>().len() as u64, "word");
    let lanes = accesses().map(|access| u64::from(access.active.count())).sum();
    if 4 * words.0 < bytes {
        format!("{}, {words}", Count(lanes, "lane"))
    } else {
        words.to_string()
    }
}

/// The cells of the acting warps, whose registers hold the data.
fn registers(view: &ViewModel<'_>, areas: &Areas) -> Option<Rect> {
    let area = inner(areas.panel(Panel::Warps)?);
    let bands = view.session.place().together();
    bands.filter_map(|(warp, _)| panels::band(view, area, warp)).reduce(Rect::union)
}

/// The cells of these words, and the colour of what the step has touched.
fn shared(view: &ViewModel<'_>, areas: &Areas, words: &[u32]) -> Option<(Rect, Role)> {
    let area = inner(areas.panel(Panel::Shared)?);
    let role = facts::touched(view.session).first().map(|element| role(element.operand));
    let cells = panels::words(view, area, words);
    cells.map(|cells| (cells, role.unwrap_or(Role::Shared)))
}

/// The cells of the elements that the step has touched.
fn matrix(view: &ViewModel<'_>, areas: &Areas) -> Option<(Rect, Role)> {
    let area = inner(areas.panel(Panel::Matrices)?);
    let touched = facts::touched(view.session);
    let operand = touched.first().map_or(Operand::C, |element| element.operand);
    panels::elements_of(view, area, &touched).map(|cells| (cells, role(operand)))
}
