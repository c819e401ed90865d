//! Every action that a user can take, one variant each.

use super::layout::Panel;
use super::widget::pictures::Picture;
use crate::launch::Dim3;
use crate::matrix::Element;
use crate::report::pointed::PointedAt;
use crate::trace::cursor::Want;

/// A user's command, from a key, the mouse or the command palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    PlayPause,
    /// Halve the speed.
    Slower,
    /// Double the speed.
    Faster,
    /// Play at normal speed.
    NormalSpeed,
    /// Play by meaning, or evenly.
    SwitchPace,
    /// Step forward by one of the chosen unit.
    Forward,
    /// Step back by one of the chosen unit.
    Back,
    /// Choose the next longer step unit.
    LongerUnit,
    /// Choose the next shorter step unit.
    ShorterUnit,
    /// Go to the next barrier, or to the next tile in a kernel without barriers.
    NextPhase,
    /// Go to the previous barrier or tile.
    PreviousPhase,
    /// Go to the next step of the given kind.
    NextMatch(Want),
    /// Go to the previous step of the given kind.
    PreviousMatch(Want),
    /// Go to the next step at which a finding shows.
    NextFinding,
    /// Go to the previous step at which a finding shows.
    PreviousFinding,
    /// Go to the start of the run.
    First,
    /// Go to the end of the run, as far as it is recorded.
    Last,
    /// Go to the start and pause.
    Restart,
    /// Go to a position in the run.
    Seek(usize),

    /// Move one line down: to the next warp, or to the next line of the focused list.
    Down,
    /// Move one line up.
    Up,
    /// Select a warp of the block.
    SelectWarp(usize),
    NextKernel,
    /// Show the race at the end of the run again.
    RaceAgain,
    /// Play the next kernel of the ladder from its start.
    ClimbOn,
    /// Show the next kernel of the ladder, after the same amount of work.
    NextRung,
    PreviousRung,
    /// Show the kernel with its next larger tile, after the same amount of work; after the largest,
    /// with the smallest.
    NextTile,
    /// Show the kernel with its next smaller tile.
    PreviousTile,
    /// Simulate the warps in the next scheduling order.
    NextOrder,
    /// List the findings of the run.
    OpenFindings,
    /// Open the block picker.
    OpenBlocks,
    /// Show another block.
    SelectBlock(Dim3),

    /// Follow a value: where it came from, or where it went.
    Follow,
    /// Follow the value of this element.
    FollowElement(Element),
    /// A command for the followed value.
    Value(ValueAction),
    /// Point at something: say where it lives, and light it in every panel.
    Point(PointedAt),
    /// Point at what is under the mouse, or no more, unless something was pointed at in another way.
    Hover(Option<PointedAt>),
    /// Point at data of the focused panel, from where the arrow keys move on; again: no more.
    PointHere,
    /// Move the point down and to the right by these amounts.
    MovePoint(i8, i8),

    /// Show the stage instead of the workbench, or the workbench instead of the stage.
    SwitchView,
    /// Show the numbers of a product that is small enough, or the product before.
    SwitchNumbers,
    /// Zoom a panel to the whole screen, or undo that.
    Zoom(Panel),
    /// Zoom the focused panel to the whole screen, or undo that.
    ZoomFocused,
    Focus(Panel),
    /// Focus the next panel.
    FocusNext,
    /// Focus the previous panel.
    FocusPrevious,
    /// Switch the listing between CUDA C++ and PTX.
    SwitchListing,
    /// Switch the matrices between elements and tiles.
    SwitchDetail,
    /// Zoom the timeline in: show half as many steps.
    TimelineCloser,
    /// Zoom the timeline out: show twice as many steps.
    TimelineWider,

    /// Choose the next theme.
    NextTheme,
    /// Switch between pure ASCII and the characters that common fonts have.
    SwitchGlyphs,
    /// Capture the mouse, or leave it to the terminal.
    SwitchMouse,
    /// Blank the screen.
    Blank,
    /// Save the screen as a picture.
    SavePicture,
    /// Hand out the link to what is shown.
    CopyLink,
    /// Redraw the whole screen.
    Redraw,
    /// Open the Measure screen.
    OpenMeasure,
    /// Measure on the GPU again.
    MeasureAgain,

    /// Open the help.
    Help,
    /// Open the list of lessons; in a lesson, hide its text, or bring it back.
    Lesson,
    /// A command for the lesson.
    Walk(LessonAction),
    /// A command for the dials of a lesson.
    Dial(DialAction),
    /// A command for the list of lessons.
    Course(CourseAction),
    /// Open the command palette.
    OpenPalette,
    /// Go back one level; at the top level, quit.
    BackOrQuit,
    /// Go back one level; at the top level, show the warp that executed the last step again.
    Escape,
    /// Suspend the program, as Ctrl-Z does in a shell.
    Suspend,
    /// Quit immediately.
    Quit,

    /// A command for the file that is edited.
    Edit(EditAction),

    /// A command for the Measure screen.
    Measure(MeasureAction),

    /// A command for the open overlay.
    Overlay(OverlayAction),
}

/// A command for a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LessonAction {
    /// Go on: to the next part of the page, or to the next page.
    GoOn,
    /// Go to the page before.
    PageBefore,
    /// Show the page again, with other numbers.
    Again,
    /// Turn the text by this many pages.
    Turn(i8),
    /// Give the answer that is typed, chosen or pointed at.
    Answer,
    /// Show the answer.
    Show,
    /// Open a hint.
    Hint,
    /// Have an order of the warps, or a size, searched for that spoils C.
    Prove,
    /// Only watch from here on.
    Watch,
    /// Undo the change of the page's kernel, or make it again.
    Change,
    /// Show in which lines the kernel is changed, or the text again.
    Difference,
    /// Edit a copy of the kernel.
    Edit,
    /// Type a character of the answer.
    Type(char),
    /// Delete the last typed character; if there is none, go to the page before.
    Erase,
    /// Move the pointer, or the choice, down and to the right by these amounts.
    Move(i8, i8),
    /// Move the chosen item of a list that is to be put in order.
    Shift(i8),
    /// Mark what is pointed at, or unmark it.
    Mark,
}

/// A command for the dials of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialAction {
    /// Show the dials instead of the picture.
    Open,
    /// Move the choice by this many dials.
    Choose(i8),
    /// Choose the dial of this number, from 0.
    Select(usize),
    /// Turn the chosen dial by this many of its choices.
    Turn(i8),
    /// Turn all dials to where they stood at first.
    Reset,
    /// Count what all settings do.
    Count,
    /// Say that this setting is the one.
    Answer,
    /// Show the run of this setting.
    Watch,
    /// Show the source of this setting.
    Source,
    /// Go on with the lesson without an answer.
    GoOn,
    /// Go back to the page.
    Back,
}

/// A command for the list of lessons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CourseAction {
    /// Move the choice by this many lessons.
    Choose(i8),
    /// Choose the first lesson.
    First,
    /// Choose the last lesson.
    Last,
    /// Choose the lesson on this line, from 0; if it is chosen already, begin it.
    Select(usize),
    /// Begin the chosen lesson.
    Start,
    /// Leave the list.
    Leave,
}

/// A command while a value is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueAction {
    /// Select the element above.
    Up,
    /// Select the element below.
    Down,
    /// Select the element to the left.
    Left,
    /// Select the element to the right.
    Right,
    /// Select the next matrix.
    NextMatrix,
    /// Select the previous matrix.
    PreviousMatrix,
    /// Move the cursor down the list by this many rows, or up if negative.
    Row(i32),
    /// Select this row of the list.
    SelectRow(usize),
    /// Go to the step that the selected row describes, or to the row's next step.
    Go,
    /// Type a digit or the comma of an element's position.
    Type(char),
    /// Delete the last typed character.
    Erase,
    /// Stop following the value.
    Leave,
}

/// A command for the file that is edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditAction {
    /// Go to the next thing that is wrong.
    NextMistake,
    /// Show the next launch of the file's host.
    NextLaunch,
    /// Open the file in the user's editor.
    Open,
    /// Show what changed since the save before, or the table again.
    Difference,
    /// Show the task of the exercise; where it is shown, one hint more.
    Task,
    /// Scroll the text by this many lines.
    Scroll(i8),
    /// Write the kernel that is shown to a new file, and edit that.
    Copy,
}

/// A command for the Measure screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasureAction {
    /// Select the next kernel of the ladder.
    NextKernel,
    /// Select the previous kernel.
    PreviousKernel,
    /// Select the first kernel.
    FirstKernel,
    /// Select the last kernel.
    LastKernel,
    /// Focus the next picture.
    NextPicture,
    /// Focus the previous picture.
    PreviousPicture,
    /// Focus this picture; if it has the focus already, show it alone.
    Show(Picture),
    /// Show the picture alone, or together with the others that fit.
    Alone,
    /// Choose the next larger size.
    Larger,
    /// Choose the next smaller size.
    Smaller,
    /// Mark the kernel as the one to compare others with; if it is marked already, compare each
    /// kernel with its predecessor again.
    Beside,
    /// Switch the roofline between DRAM traffic and shared-memory traffic.
    Traffic,
    /// Measure the ladder on this machine now.
    Measure,
    /// Switch between recorded measurements and those taken on this machine.
    Origin,
}

/// A command for an overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayAction {
    /// Move down.
    Down,
    /// Move up.
    Up,
    /// Move left.
    Left,
    /// Move right.
    Right,
    /// Move one page down.
    PageDown,
    /// Move one page up.
    PageUp,
    /// Go to the top.
    First,
    /// Go to the end.
    Last,
    Type(char),
    /// Delete the last character.
    Erase,
    /// Accept the selection.
    Accept,
    /// From the help: open the list of lessons.
    Lesson,
    Close,
}
