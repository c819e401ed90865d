//! The commands of the run that is watched.

use super::command::CommandGroup::{Edit, Jump, Panels, Subject, Time, Value};
use super::command::KeyCommand;
use super::command::command;
use super::footer::{DOWN, PART, PLAY, VIEW};
use crate::trace::cursor::Want;
use crate::tui::action::Action as Do;
use crate::tui::action::{EditAction, ValueAction};
use crate::tui::layout::Panel;

/// The commands before those that zoom a panel.
#[rustfmt::skip]
pub(super) const BEFORE_PANELS: &[KeyCommand] = &[
    command(Time, "play", &["Space", "F5"], Do::PlayPause, "Play or pause").in_footer(PLAY),
    command(Time, "forward", &["Right", "l"], Do::Forward, "One step on; while the stage plays, its next row").in_footer("step"),
    command(Time, "back", &["Left", "h"], Do::Back, "One step back; while it plays, the row before"),
    command(Time, "longer-unit", &["u"], Do::LongerUnit, "A step is longer: event, line, barrier, tile").in_footer("unit"),
    command(Time, "shorter-unit", &["U"], Do::ShorterUnit, "A step is shorter: down to one instruction"),
    command(Time, "next-phase", &["n", "PageDown", "Shift-Right"], Do::NextPhase, "The next barrier (naive: the next tile)").in_footer(PART),
    command(Time, "previous-phase", &["p", "PageUp", "Shift-Left"], Do::PreviousPhase, "The previous barrier (naive: tile)"),
    command(Time, "slower", &["["], Do::Slower, "Play slower, down to 1/8"),
    command(Time, "faster", &["]"], Do::Faster, "Play faster, up to 64x").in_footer("faster"),
    command(Time, "normal-speed", &["="], Do::NormalSpeed, "Play at the ordinary speed"),
    command(Time, "pace", &["P"], Do::SwitchPace, "Play by meaning (what is new is slow), or evenly"),
    command(Time, "first", &["g", "Home"], Do::First, "First step"),
    command(Time, "last", &["G", "End"], Do::Last, "Last step"),
    command(Time, "restart", &["r"], Do::Restart, "Back to the start, paused"),

    command(Jump, "next-access", &["a"], Do::NextMatch(Want::Memory), "Next load or store"),
    command(Jump, "previous-access", &["A"], Do::PreviousMatch(Want::Memory), "Previous load or store"),
    command(Jump, "next-barrier", &["w"], Do::NextMatch(Want::Barrier), "Next barrier that the block passes"),
    command(Jump, "previous-barrier", &["W"], Do::PreviousMatch(Want::Barrier), "Previous barrier"),
    command(Jump, "next-conflict", &["x"], Do::NextMatch(Want::Conflict), "Next bank conflict"),
    command(Jump, "previous-conflict", &["X"], Do::PreviousMatch(Want::Conflict), "Previous bank conflict"),
    command(Jump, "next-finding", &["d"], Do::NextFinding, "Next step at which something is wrong").in_footer("wrong step"),
    command(Jump, "previous-finding", &["D"], Do::PreviousFinding, "Previous such step"),
    command(Jump, "findings", &["!"], Do::OpenFindings, "What is wrong: races, barriers, memory").in_footer("findings"),

    command(Subject, "kernel", &["v"], Do::NextKernel, "The other kernel, at the same place of the work"),
    command(Subject, "next-kernel", &["V"], Do::NextRung, "The next kernel of the ladder, likewise"),
    command(Subject, "previous-kernel", &["Ctrl-v"], Do::PreviousRung, "The one before, likewise"),
    command(Subject, "tile", &["T", ">"], Do::NextTile, "The next larger tile (after the last, the first)"),
    command(Subject, "smaller-tile", &["<"], Do::PreviousTile, "The next smaller tile, at the same work"),
    command(Subject, "numbers", &["#"], Do::SwitchNumbers, "A product so small that every number fits, or back").in_footer("numbers"),
    command(Subject, "compare", &["c", "9"], Do::Zoom(Panel::Compare), "Two kernels, or tiles, beside each other").in_footer("compare"),
    command(Subject, "follow", &["f"], Do::Follow, "A value: where it came from, where it went").in_footer("follow"),
    command(Subject, "point", &["I"], Do::PointHere, "Point at data: arrows move it, Esc ends"),
    command(Subject, "down", &["j", "Down"], Do::Down, "Next warp; in the listing, scroll down").in_footer(DOWN),
    command(Subject, "up", &["k", "Up"], Do::Up, "Previous warp; in the listing, scroll up"),
    command(Subject, "block", &["B"], Do::OpenBlocks, "Choose the block of the grid to watch"),
    command(Subject, "order", &["o"], Do::NextOrder, "Another order of the warps"),
    command(Subject, "edit-kernel", &["C"], Do::Edit(EditAction::Copy), "Edit this kernel, in a new file of your own"),
    command(Subject, "measure", &["R"], Do::MeasureAgain, "Measure on the GPU again"),

    command(Value, "value-up", &["Up"], Do::Value(ValueAction::Up), "The element above").in_footer("arrows: element"),
    command(Value, "value-down", &["Down"], Do::Value(ValueAction::Down), "The element below"),
    command(Value, "value-left", &["Left"], Do::Value(ValueAction::Left), "The element on the left"),
    command(Value, "value-right", &["Right"], Do::Value(ValueAction::Right), "The element on the right"),
    command(Value, "value-matrix", &["Tab"], Do::Value(ValueAction::NextMatrix), "C, A or B; or type a place: row,column").in_footer("C, A, B"),
    command(Value, "value-matrix-back", &["Shift-Tab"], Do::Value(ValueAction::PreviousMatrix), "The same the other way round"),
    command(Value, "value-next", &["j"], Do::Value(ValueAction::Row(1)), "The next row of the list").in_footer("list"),
    command(Value, "value-previous", &["k"], Do::Value(ValueAction::Row(-1)), "The previous row"),
    command(Value, "value-next-page", &["J"], Do::Value(ValueAction::Row(16)), "16 rows on"),
    command(Value, "value-previous-page", &["K"], Do::Value(ValueAction::Row(-16)), "16 rows back"),
    command(Value, "value-go", &["Enter"], Do::Value(ValueAction::Go), "Go to its load; again: its store, next load, use").in_footer("go there"),
    command(Value, "value-erase", &["Backspace", "Ctrl-h"], Do::Value(ValueAction::Erase), "Delete a digit of the place"),
    command(Value, "value-leave", &["Esc", "q", "f"], Do::Value(ValueAction::Leave), "Follow it no longer").in_footer("leave"),

    command(Edit, "next-mistake", &["Enter"], Do::Edit(EditAction::NextMistake), "Go to the next thing that is wrong").in_footer("next mistake"),
    command(Edit, "next-launch", &["V"], Do::Edit(EditAction::NextLaunch), "The next launch of the program"),
    command(Edit, "edit", &["E"], Do::Edit(EditAction::Open), "Open the file in your editor, at that line").in_footer("edit").native(),
    command(Edit, "difference", &["S"], Do::Edit(EditAction::Difference), "What changed since the save before").in_footer("difference"),
    command(Edit, "task", &["H"], Do::Edit(EditAction::Task), "The task of the exercise; again: a hint").in_footer("task, hints"),
    command(Edit, "edit-down", &["J"], Do::Edit(EditAction::Scroll(4)), "Scroll the text down").in_footer("scroll"),
    command(Edit, "edit-up", &["K"], Do::Edit(EditAction::Scroll(-4)), "Scroll the text up"),

    command(Panels, "focus-next", &["Tab"], Do::FocusNext, "Focus the next panel").in_footer("focus"),
    command(Panels, "focus-previous", &["Shift-Tab"], Do::FocusPrevious, "Focus the previous panel"),
    command(Panels, "zoom", &["Enter", "z"], Do::ZoomFocused, "Zoom the focused panel, or return").in_footer("zoom"),
];

#[rustfmt::skip]
pub(super) const AFTER_PANELS: &[KeyCommand] = &[
    command(Panels, "view", &["0"], Do::SwitchView, "All panels instead of the stage, or back").in_footer(VIEW),
    command(Panels, "measure-screen", &["m"], Do::OpenMeasure, "Measure: ladder, sizes, roofline, occupancy, why").in_footer("measure"),
    command(Panels, "listing", &["i"], Do::SwitchListing, "PTX instructions or CUDA C++ in the listing"),
    command(Panels, "elements", &["e"], Do::SwitchDetail, "Elements or tiles in the matrices"),
    command(Panels, "timeline-closer", &["+"], Do::TimelineCloser, "Show fewer steps on the timeline"),
    command(Panels, "timeline-wider", &["-"], Do::TimelineWider, "Show more steps on the timeline"),
];
