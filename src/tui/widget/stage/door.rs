//! The door: a line across the stage with a seat for each warp.

use super::geometry::StageGeometry;
use super::labels::Writing;
use super::place::HalfRect;
use crate::study::stage::{BARRIER, DoorMotion, DoorSide, StageDoor, StageScene};
use crate::tui::layout::text::{fitting, width};
use crate::tui::theme::Role;
use ratatui::style::Modifier;

/// `moves`: whether the door moves, and words go through it: then nothing is written on it.
pub(super) fn draw(
    scene: &StageScene,
    plan: &StageGeometry,
    writing: &mut Writing<'_>,
    moves: bool,
) {
    // As long as no warp has a name above, nobody is named at the door.
    let known = scene.above.iter().any(|tile| !tile.bands.is_empty());
    for (door, row) in scene.doors.iter().zip(&plan.doors) {
        let named = known || door.name != BARRIER;
        line(writing, door, *row);
        if opening(door) <= 0.0 && !moves {
            words(plan, writing, door, *row);
            seats(plan, writing, (door, named), *row);
        }
    }
}

/// The part by which it is open.
const fn opening(door: &StageDoor) -> f32 {
    match door.motion {
        DoorMotion::Opening(part) => part,
        DoorMotion::Resting | DoorMotion::Filling => 0.0,
    }
}

/// The line: heavy while it is closed, parted from the middle when it opens.
fn line(writing: &mut Writing<'_>, door: &StageDoor, row: u16) {
    let look = writing.pen.look;
    let symbol = match door.motion {
        DoorMotion::Resting => look.pick("─", "-"),
        DoorMotion::Filling | DoorMotion::Opening(_) => look.pick("━", "="),
    };
    let style = match door.motion {
        DoorMotion::Resting => look.border(),
        DoorMotion::Filling | DoorMotion::Opening(_) => look.chosen(),
    };
    let wide = writing.pen.width().saturating_sub(2);
    let half = (f32::from(wide) / 2.0 * (1.0 - 0.8 * opening(door))).round() as u16;
    if opening(door) <= 0.0 {
        writing.pen.repeat(1, row, wide, symbol, style);
    } else {
        writing.pen.repeat(1, row, half, symbol, style);
        writing.pen.repeat(1 + wide - half, row, half, symbol, style);
    }
}

/// The first column of the seats: it is the same for every wording, so that no seat ever moves.
fn first_seat(plan: &StageGeometry, columns: u16, seats: u16) -> (u16, u16) {
    let first = (columns * 11 / 20).max(8);
    let room = columns.saturating_sub(first + plan.margin + 2);
    if seats <= room {
        return (first, (room / seats.max(1)).clamp(1, 4));
    }
    (columns.saturating_sub(seats + plan.margin).max(1), 1)
}

/// The seats that are marked, on a stage of so many columns.
pub(super) fn marked_seats(
    scene: &StageScene,
    plan: &StageGeometry,
    columns: u16,
) -> Vec<HalfRect> {
    let doors = scene.doors.iter().zip(&plan.doors);
    let seats = doors.flat_map(|(door, row)| {
        let (first, pitch) = first_seat(plan, columns, door.seats.len() as u16);
        let here = (0..).zip(&door.seats).filter(|(_, seat)| seat.marked);
        here.map(move |(i, _)| HalfRect { x: first + i * pitch, y: 2 * row, width: 1, height: 2 })
    });
    seats.collect()
}

/// Writes its name and what it waits for.
fn words(plan: &StageGeometry, writing: &mut Writing<'_>, door: &StageDoor, row: u16) {
    let look = writing.pen.look;
    let columns = writing.pen.width();
    let (first, _) = first_seat(plan, columns, door.seats.len() as u16);
    let bold = look.chosen();
    let start = if columns >= 100 { plan.margin + 9 } else { plan.margin + 1 };
    let room = first.saturating_sub(start + 2);
    let name = [format!(" {} ", door.name), format!(" {BARRIER} ")];
    let end = writing.pen.text(start, row, fitting(&name, room), bold);
    let room = first.saturating_sub(end + 3);
    let note = fitting(&door.notes, room);
    if !note.is_empty() {
        writing.pen.text(end, row, &format!(" {note} "), look.text());
    }
}

/// A ball for each warp that is here, and its name beside the line: above if it goes down.
fn seats(
    plan: &StageGeometry,
    writing: &mut Writing<'_>,
    (door, named): (&StageDoor, bool),
    row: u16,
) {
    let look = writing.pen.look;
    let count = door.seats.len() as u16;
    let (first, pitch) = first_seat(plan, writing.pen.width(), count);
    let end = first + count.saturating_sub(1) * pitch + 1;
    writing.pen.text(first.saturating_sub(1), row, " ", look.text());
    let names = match door.side {
        DoorSide::Down => row.checked_sub(1),
        DoorSide::Up | DoorSide::Both => Some(row + 1),
    };
    let all_here = door.seats.iter().all(|seat| seat.taken);
    for (i, seat) in (0..).zip(&door.seats) {
        let x = first + i * pitch;
        let (ball, style) = match (seat.taken, seat.arriving) {
            (_, true) => (look.pick("●", "@"), look.strong(Role::Here)),
            (true, false) if all_here => (look.pick("●", "@"), look.chosen()),
            (true, false) => (look.pick("●", "@"), look.text()),
            (false, false) => (look.pick("○", "o"), look.dim()),
        };
        writing.pen.repeat(x, row, pitch, " ", look.text());
        writing.pen.text(x, row, ball, style);
        let Some(names) = names.filter(|_| named && plan.names) else { continue };
        let name = format!("w{}", seat.warp);
        let ends = i == 0 || i + 1 == count;
        let fits = width(&name) < pitch || ends && count > 1 || count == 1;
        let x = if i + 1 == count && width(&name) >= pitch {
            (x + 1).saturating_sub(width(&name))
        } else {
            x
        };
        let style = if seat.arriving {
            look.strong(Role::Here)
        } else if seat.taken {
            look.text().add_modifier(Modifier::BOLD)
        } else {
            look.dim()
        };
        if fits {
            writing.say((x, names), &[name], style);
        }
    }
    writing.pen.text(end, row, " ", look.text());
}
