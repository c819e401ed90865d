//! What is shown of the buffers of a kernel that computes no product.

use crate::tui::session::Session;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::buffers::{BuffersPanel, Row};
use ptx::Space;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Draws the buffers in place of A, B and C; returns what the frame says.
pub(super) fn draw(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    let rows = rows(view.session);
    BuffersPanel { rows: &rows, look: view.look }.render(area, buf);
    ("Buffers".to_owned(), "what this block touches".to_owned())
}

fn rows(session: &Session) -> Vec<Row> {
    let (problem, place) = (session.problem(), session.place());
    let memory = session.replay().machine().memory();
    let global = |space| matches!(space, Space::Global | Space::Generic);
    let accesses = place.accesses().filter(|access| global(access.space));
    let now: Vec<_> = accesses.flat_map(|access| access.touched().map(|(_, at)| at)).collect();
    let row = |(own, (buffer, extent)): (&crate::kernel::Buffer, (&crate::sim::Allocation, _))| {
        let bytes = u64::from(own.of.bytes());
        let inside = |addr: &u64| addr.wrapping_sub(buffer.base) < buffer.bytes;
        let extent: &Option<crate::trace::Extent> = extent;
        let touched = extent.map(|extent| {
            let (first, last) = extent.columns;
            let (from, to) = (first / bytes, (last / bytes).min(own.count - 1));
            ((first / 4, last / 4), format!("[{from}] to [{to}] touched"))
        });
        Row {
            name: own.name.clone(),
            elements: format!("{}[{}]", own.of, own.count),
            words: own.bytes().div_ceil(4).max(1),
            touched,
            now: now.iter().filter(|at| inside(at)).map(|at| (at - buffer.base) / 4).collect(),
        }
    };
    let buffers = memory.buffers().iter().zip(&place.extents);
    problem.buffers.iter().zip(buffers).map(row).collect()
}
