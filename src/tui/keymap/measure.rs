//! The commands of the Measure screen.

use super::command::CommandGroup::Measure;
use super::command::KeyCommand;
use super::command::command;
use crate::tui::action::Action as Do;
use crate::tui::action::MeasureAction;

#[rustfmt::skip]
pub(super) const BEFORE_PICTURES: &[KeyCommand] = &[
    command(Measure, "measure-next", &["Down", "j"], Do::Measure(MeasureAction::NextKernel), "The next kernel of the ladder").in_footer("kernel"),
    command(Measure, "measure-previous", &["Up", "k"], Do::Measure(MeasureAction::PreviousKernel), "The previous one"),
    command(Measure, "measure-first", &["Home", "g"], Do::Measure(MeasureAction::FirstKernel), "The first one"),
    command(Measure, "measure-last", &["End", "G"], Do::Measure(MeasureAction::LastKernel), "The last one"),
    command(Measure, "picture-next", &["Right", "l", "Tab"], Do::Measure(MeasureAction::NextPicture), "The next picture").in_footer("picture"),
    command(Measure, "picture-previous", &["Left", "h", "Shift-Tab"], Do::Measure(MeasureAction::PreviousPicture), "The previous picture"),
];

#[rustfmt::skip]
pub(super) const AFTER_PICTURES: &[KeyCommand] = &[
    command(Measure, "picture-alone", &["Enter", "z"], Do::Measure(MeasureAction::Alone), "The picture alone, or all that have room").in_footer("alone"),
    command(Measure, "size-larger", &["n", "PageDown"], Do::Measure(MeasureAction::Larger), "The next larger size").in_footer("size"),
    command(Measure, "size-smaller", &["p", "PageUp"], Do::Measure(MeasureAction::Smaller), "The next smaller size"),
    command(Measure, "compare-with", &["c"], Do::Measure(MeasureAction::Beside), "Compare other kernels with this; again: no more").in_footer("compare"),
    command(Measure, "traffic", &["v"], Do::Measure(MeasureAction::Traffic), "Roofline: bytes of DRAM or of shared memory").in_footer("memory"),
    command(Measure, "measure-ladder", &["r", "R"], Do::Measure(MeasureAction::Measure), "Measure the ladder here; Esc keeps what is done").in_footer("measure").native(),
    command(Measure, "origin", &["o"], Do::Measure(MeasureAction::Origin), "What was recorded, or what was measured here").in_footer("recorded").native(),
];
