//! Every thing that a user can do, one variant each.

use super::layout::Panel;
use super::widget::pictures::Picture;
use crate::launch::Dim3;
use crate::matrix::Element;
use crate::trace::cursor::Want;

/// A wish of the user, whether it came by key, mouse or the command palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Play, or pause.
    PlayPause,
    /// Play at half the speed.
    Slower,
    /// Play at twice the speed.
    Faster,
    /// Play at the ordinary speed.
    NormalSpeed,
    /// One step on, in the chosen unit.
    Forward,
    /// One step back.
    Back,
    /// Choose the next longer unit of a step.
    LongerUnit,
    /// Choose the next shorter unit of a step.
    ShorterUnit,
    /// To the next barrier; in a kernel without any, to the next tile.
    NextPhase,
    /// To the previous one.
    PreviousPhase,
    /// To the next step of some kind.
    NextMatch(Want),
    /// To the previous step of some kind.
    PreviousMatch(Want),
    /// To the next step at which something wrong shows.
    NextFinding,
    /// To the previous one.
    PreviousFinding,
    /// To the start of the run.
    First,
    /// To its end, as far as it is recorded.
    Last,
    /// To the start, paused.
    Restart,
    /// To a place of the run.
    Seek(usize),

    /// One line down: the next warp, or the next line of the focused list.
    Down,
    /// One line up.
    Up,
    /// Select a warp of the block.
    SelectWarp(usize),
    /// Show the next kernel of the catalogue.
    NextKernel,
    /// The next kernel of the ladder, at the same place of the work.
    NextRung,
    /// Simulate the warps in another order.
    NextOrder,
    /// List what is wrong with the run.
    OpenFindings,
    /// Choose another block of the grid.
    OpenBlocks,
    /// Watch a block.
    SelectBlock(Dim3),

    /// Follow a value: where it came from, or where it went.
    Follow,
    /// Follow this one.
    FollowElement(Element),
    /// While one is followed.
    Value(Walk),

    /// Fill the screen with a panel, or return from there.
    Zoom(Panel),
    /// Fill the screen with the focused panel, or return from there.
    ZoomFocused,
    /// Focus a panel.
    Focus(Panel),
    /// Focus the next panel.
    FocusNext,
    /// Focus the previous one.
    FocusPrevious,
    /// Show PTX instead of CUDA C++ in the listing, or the other way round.
    SwitchListing,
    /// Show the elements of the matrices, or their tiles.
    SwitchDetail,
    /// Show half as many steps on the timeline.
    TimelineCloser,
    /// Show twice as many.
    TimelineWider,

    /// The next theme.
    NextTheme,
    /// ASCII characters alone, or all that common fonts hold.
    SwitchGlyphs,
    /// Listen to the mouse, or leave it to the terminal.
    SwitchMouse,
    /// A blank screen.
    Blank,
    /// Save the screen as a picture.
    SavePicture,
    /// Draw everything again.
    Redraw,
    /// Show what the kernels took on a GPU, in pictures.
    OpenMeasure,
    /// Measure on the GPU again.
    MeasureAgain,

    /// Open the help.
    Help,
    /// Open the lesson.
    Lesson,
    /// Open the list of commands.
    OpenPalette,
    /// Back one level; at the top, quit.
    BackOrQuit,
    /// Back one level; at the top, nothing.
    Escape,
    /// Stop the program as a shell does.
    Suspend,
    /// Quit at once.
    Quit,

    /// On the Measure screen.
    Turn(MeasureAction),

    /// What lies over the panels is moved in, typed in, or closed.
    Overlay(Motion),
}

/// What keys do while a value is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// To the element above.
    Up,
    /// To the element below.
    Down,
    /// To the element on the left.
    Left,
    /// To the element on the right.
    Right,
    /// To the next matrix.
    NextMatrix,
    /// To the previous one.
    PreviousMatrix,
    /// So many rows down the list, or up.
    Row(i32),
    /// To this row of the list.
    SelectRow(usize),
    /// To the step that the selected row tells of, or to its next one.
    Go,
    /// A digit or comma of a place is typed.
    Type(char),
    /// The last of them is deleted.
    Erase,
    /// Enough of it.
    Leave,
}

/// What keys do on the Measure screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasureAction {
    /// The next kernel of the ladder.
    NextKernel,
    /// The previous one.
    PreviousKernel,
    /// The first one.
    FirstKernel,
    /// The last one.
    LastKernel,
    /// The next picture.
    NextPicture,
    /// The previous one.
    PreviousPicture,
    /// That picture; if it is the one already, alone.
    Show(Picture),
    /// The picture alone, or beside the others that there is room for.
    Alone,
    /// The next larger size.
    Larger,
    /// The next smaller one.
    Smaller,
    /// The kernel is marked: others are compared with it; if it was marked, with the one before.
    Beside,
    /// The roofline by the traffic of DRAM, or of shared memory.
    Traffic,
    /// The ladder is measured here and now.
    Measure,
    /// What was recorded is shown, or what was measured here.
    Origin,
}

/// What keys do in an overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// One down.
    Down,
    /// One up.
    Up,
    /// One to the left.
    Left,
    /// One to the right.
    Right,
    /// One page down.
    PageDown,
    /// One page up.
    PageUp,
    /// To the top.
    First,
    /// To the end.
    Last,
    /// A letter is typed.
    Type(char),
    /// The last letter is deleted.
    Erase,
    /// What is selected is taken.
    Accept,
    /// The first lesson is opened, or the next one; after the last it is closed.
    Lesson,
    /// Closed.
    Close,
}
