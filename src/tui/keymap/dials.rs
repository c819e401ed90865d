//! The commands of a lesson's dials.

use super::command::CommandGroup::Dials;
use super::command::KeyCommand;
use super::command::command;
use crate::tui::action::Action as Do;
use crate::tui::action::DialAction as Dial;

/// The commands while dials are turned.
#[rustfmt::skip]
pub(super) const DIALS: &[KeyCommand] = &[
    command(Dials, "dial-left", &["Left", "h"], Do::Dial(Dial::Turn(-1)), "Turn the dial: the choice before").in_footer("turn"),
    command(Dials, "dial-right", &["Right", "l", "Space"], Do::Dial(Dial::Turn(1)), "The next choice"),
    command(Dials, "dial-up", &["Up", "k"], Do::Dial(Dial::Choose(-1)), "The dial above").in_footer("choose"),
    command(Dials, "dial-down", &["Down", "j"], Do::Dial(Dial::Choose(1)), "The dial below"),
    command(Dials, "dial-answer", &["y"], Do::Dial(Dial::Answer), "This setting is the one").in_footer("this is the one"),
    command(Dials, "dial-watch", &["Enter"], Do::Dial(Dial::Watch), "Watch it: the run of this setting").in_footer("watch it"),
    command(Dials, "dial-source", &["S"], Do::Dial(Dial::Source), "The source of this setting").in_footer("its source"),
    command(Dials, "dial-reset", &["g", "Home"], Do::Dial(Dial::Reset), "All dials as they stood at first").in_footer("as it was"),
    command(Dials, "dial-count", &["c"], Do::Dial(Dial::Count), "Count what all settings do").in_footer("count all"),
    command(Dials, "dial-without", &["n"], Do::Dial(Dial::GoOn), "Go on with the lesson without it").in_footer("go on without"),
    command(Dials, "dial-back", &["Esc", "q"], Do::Dial(Dial::Back), "Back to the page").in_footer("back"),
];
