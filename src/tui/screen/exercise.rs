//! The text beside the panels while an exercise is solved: its task and hints, and a solution at the end.

use crate::lesson::exercise::read::shipped;
use crate::matrix::Size;
use crate::timing::pack;
use crate::tui::edit::Editing;
use crate::tui::theme::Role;
use crate::tui::widget::goals::GoalLine;

/// The size at which recorded times are told.
const LARGE: Size = Size::square(4096);

/// The task, and the hints that were asked for.
pub(super) fn task(editing: &Editing) -> Vec<GoalLine> {
    let Some(exercise) = editing.exercise() else { return Vec::new() };
    let mut lines = vec![GoalLine::of(&format!("{}: {}", exercise.id, exercise.title), Role::Here)];
    let spaced = |text: &str| [GoalLine::blank(), GoalLine::text(text)];
    lines.extend(exercise.task.iter().flat_map(|text| spaced(text)));
    let of = exercise.hints.len();
    for (number, hint) in (1..).zip(exercise.hints.iter().take(editing.hints)) {
        lines.extend(spaced(&format!("Hint {number} of {of}: {hint}")));
    }
    let more = match of - editing.hints.min(of) {
        0 => "H shows a solution.".to_owned(),
        left => format!("H gives a hint: {left} left."),
    };
    let keys = format!("E edits the file, Enter says what is wrong with it. {more}");
    lines.extend([GoalLine::blank(), GoalLine::dim(&keys)]);
    lines
}

/// That the exercise is solved.
pub(super) fn solved() -> Vec<GoalLine> {
    vec![
        GoalLine::good("Solved: C is right, nothing was found, and each goal is met."),
        GoalLine::blank(),
        GoalLine::dim("Enter shows a solution, and how fast such a kernel is."),
    ]
}

/// A solution, as what it has and the learner's file has not, and how fast such a kernel is.
pub(super) fn solution(editing: &Editing) -> Vec<GoalLine> {
    let Some(exercise) = editing.exercise() else { return Vec::new() };
    let own = editing.shown.as_ref().map_or(&editing.newest, |shown| &shown.version.text);
    let differs = GoalLine::difference(own, &exercise.solution);
    let head = match (differs.is_empty(), editing.is_solved()) {
        (true, _) => "Your file is this very solution.",
        (false, true) => "Yours is right as well. What a solution has otherwise:",
        (false, false) => "What a solution has otherwise:",
    };
    let mut lines = vec![GoalLine::text(head), GoalLine::blank()];
    let ends = (!differs.is_empty()).then(GoalLine::blank);
    lines.extend(differs.into_iter().chain(ends));
    let like = &exercise.rubric.like;
    lines.extend(recorded(like).map(|told| GoalLine::text(&told)));
    lines
        .push(GoalLine::dim(&format!("matviz {like} --size 64 shows such a kernel as a picture.")));
    let all = shipped().unwrap_or_default().iter();
    let next = all.skip_while(|other| other.id != exercise.id).nth(1);
    let next = next.map(|next| format!("Next: matviz learn {}, {}.", next.id, next.title));
    lines.extend(next.map(|next| GoalLine::dim(&next)));
    lines
}

/// How fast a kernel is on large matrices, beside the naive one.
fn recorded(like: &str) -> Option<String> {
    let pack = pack::packs().first()?;
    let fastest = |kernel: &str| {
        let rows = pack.rows.iter().filter(|row| row.kernel == kernel && row.size == LARGE);
        rows.max_by(|one, other| one.gflops.total_cmp(&other.gflops))
    };
    let row = fastest(like)?;
    let than = if like == "naive" { "naive_rows" } else { "naive" };
    let other = fastest(than)?;
    Some(format!(
        "Recorded on {} at {}: {like} {:.0} GFLOP/s, {than} {:.0}.",
        row.device, row.size, row.gflops, other.gflops
    ))
}
