//! What the source panel shows: the listing, its loops, the operands of the step, the other warps.

use super::lesson;
use crate::report::pointed::{PointedAt, SourcePosition, names};
use crate::tui::action::Action;
use crate::tui::facts::listing::{
    loops, opens, operands, other_warps, own_text, pointed_at, ptx_loops,
};
use crate::tui::facts::{self, CurrentInstruction, things};
use crate::tui::layout::{Language, Panel};
use crate::tui::view_model::ViewModel;
use crate::tui::widget::source::{SourcePanel, byte_at};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Draws the panel's content, and returns what its frame says: (title, note).
pub(super) fn draw(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    let now = CurrentInstruction::of(view.session, view.run.warp);
    source(view, &now, |widget| widget.draw(area, buf));
    let problem = view.session.problem();
    let name = problem.name();
    match (now.source.filter(|_| view.display.language == Language::Cuda), now.line) {
        (Some(source), _) => (title(view), source.file.clone()),
        (None, 0) => ("Kernel in PTX".to_owned(), name.to_owned()),
        (None, line) => ("Kernel in PTX".to_owned(), format!("{name}, line {line} in the source")),
    }
}

/// The title above a source: for PTX that is not committed, with who compiled it. In a lesson that
/// would tell which of its kernels is changed.
fn title(view: &ViewModel<'_>) -> String {
    let by = view.session.problem().compiled_by().filter(|_| view.lesson.is_none());
    let name = by.as_deref().and_then(|by| by.split_whitespace().next());
    name.map_or("Kernel source".to_owned(), |name| format!("Source, compiled by {name}"))
}

/// Builds the widget, and hands it on.
fn source<T>(
    view: &ViewModel<'_>,
    now: &CurrentInstruction<'_>,
    see: impl FnOnce(SourcePanel<'_>) -> T,
) -> T {
    let session = view.session;
    let CurrentInstruction { pc, line, .. } = now;
    let (trace, problem) = (session.trace(), session.problem());
    let ptx_line = |pc| Some(facts::ptx_line(session, pc));
    // Without a CUDA source, the listing shows the PTX.
    let language = now.source.map_or(Language::Ptx, |_| view.display.language);
    let cuda = now.source.filter(|_| language == Language::Cuda);
    let opens = opens(view.app);
    let (text, current, opens, strip, others, loops) = if let Some(source) = cuda {
        let inst = |pc| trace.program().inst(pc);
        let file = pc.map(|pc| inst(pc).file);
        let of = |pc| inst(pc).line.filter(|_| Some(inst(pc).file) == file);
        (
            &*source.text,
            *line,
            opens.and_then(&of),
            now.ptx,
            other_warps(session, of),
            loops(session, of),
        )
    } else {
        let current = pc.and_then(ptx_line).unwrap_or(0);
        let loops = ptx_loops(session);
        let (opens, others) = (opens.and_then(ptx_line), other_warps(session, ptx_line));
        (&*problem.ptx, current, opens, now.text(), others, loops)
    };
    let joined = pc.filter(|_| language == Language::Ptx);
    let joined = joined.map_or_else(Vec::new, |pc| facts::joined_with(session, pc));
    // How many they are may be what a lesson asks.
    let others = if view.hides(Panel::Warps) { Vec::new() } else { others };
    // A lesson points at whole lines.
    let line = things::pointed_line(view.app).filter(|_| cuda.is_some());
    let whole = line.and_then(|line| Some((line, 0..text.lines().nth(line as usize - 1)?.len())));
    let gaps = if cuda.is_some() { lesson::gaps(view) } else { Vec::new() };
    let own = || own_text(view.app).and_then(|text| pointed_at(view.app, text));
    let changed = if cuda.is_some() { things::changed_lines(view.app) } else { Vec::new() };
    see(SourcePanel {
        text,
        language,
        current,
        at: opens.unwrap_or(current),
        with: opens.filter(|_| cuda.is_some()).map_or(&[], |_| things::changed(view.app)),
        changed: &changed,
        band: view.session.band_lines().filter(|_| cuda.is_some()),
        meets: if cuda.is_some() { meets(view) } else { None },
        operands: operands(session),
        loops: &loops,
        others: &others,
        follows: view.run.pointing || whole.is_some(),
        pointed: whole.or_else(own),
        gaps: &gaps,
        scroll: view.display.scroll,
        strip,
        becomes: &now.becomes,
        joined: &joined,
        look: view.look,
    })
}

/// The lines whose accesses meet in the present superstep for want of a barrier, in the order in which
/// they are executed.
fn meets(view: &ViewModel<'_>) -> Option<[u32; 2]> {
    let now = view.session.place().interval as usize;
    let [first, second] = view.redacted.unordered.iter().find(|pair| pair.superstep == now)?.lines;
    first.zip(second).map(|(first, second)| [first, second])
}

/// Returns the action of a click: it points at the name there, or at the one whose index it is in.
pub(super) fn click(view: &ViewModel<'_>, area: Rect, (x, y): (u16, u16)) -> Option<Action> {
    let text = own_text(view.app)?;
    let now = CurrentInstruction::of(view.session, view.run.warp);
    let (line, byte) = source(view, &now, |widget| byte_at(&widget, area, x, y))?;
    let near = |(at, name): &(usize, &str)| (*at..at + name.len() + 2).contains(&byte);
    let (at, _) = names(text, line).into_iter().rfind(near)?;
    Some(Action::Point(PointedAt::Token(SourcePosition { line, at })))
}
