//! The views that are tested with random keys: how each is opened, and which keys are pressed
//! there.

use matviz::tui::action::{Action, OverlayAction, ValueAction};
use matviz::tui::keymap::{COMMANDS, CommandGroup, KeyCommand};

/// A way of using the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    /// The program's arguments; `{data}` is the folder of the tests' kernels.
    args: &'static str,
    /// The keys that lead to its view.
    pub(crate) opening: &'static [&'static str],
    /// The groups whose keys are pressed more often than others.
    groups: &'static [CommandGroup],
    /// Keys that are pressed as often as all of those together.
    pub(crate) often: &'static [&'static str],
}

/// The digits and the comma form a place; the others lead from one kernel or schedule to the next.
const FOLLOWED: &[&str] = &["v", "V", "o", "f", "0", "1", "7", ",", "Enter", "Tab"];
const STEPS: &[CommandGroup] = &[CommandGroup::Time, CommandGroup::Jump];

pub(crate) const SCENES: &[Scene] = &[
    Scene {
        name: "main",
        args: "--tile 16 --size 64",
        opening: &[],
        groups: &[
            CommandGroup::Time,
            CommandGroup::Jump,
            CommandGroup::Subject,
            CommandGroup::Panels,
        ],
        often: &["Right", "Left", "j", "k", "Enter", "v", "c", "o"],
    },
    Scene {
        name: "measure",
        args: "--tile 16 --size 64",
        opening: &["m"],
        groups: &[CommandGroup::Measure],
        often: &["Right", "Down", "c", "n", "Enter"],
    },
    Scene {
        name: "follow",
        args: "--tile 16 --size 64",
        opening: &["f"],
        groups: &[CommandGroup::Value],
        often: FOLLOWED,
    },
    Scene {
        name: "follow-copies",
        args: "double_buffered",
        opening: &["f"],
        groups: &[CommandGroup::Value, CommandGroup::Time],
        often: FOLLOWED,
    },
    Scene {
        name: "follow-columns",
        args: "blocked_1d",
        opening: &["f"],
        groups: &[CommandGroup::Value],
        often: FOLLOWED,
    },
    Scene {
        name: "lesson",
        args: "--tile 16 --size 64",
        opening: &["L", "Enter"],
        groups: &[
            CommandGroup::Lesson,
            CommandGroup::Question,
            CommandGroup::Course,
            CommandGroup::Panels,
        ],
        often: &["Enter", "1", "2", "b", "Esc", "H", "N", "L", "Enter", "Space", "Down"],
    },
    Scene {
        name: "race",
        args: "tiled_no_load_barrier --tile 16 --size 64 --order to-barrier",
        opening: &["d"],
        groups: STEPS,
        often: &["d", "D", "!", "o", "v", "f"],
    },
    Scene {
        name: "foreign",
        args: "{data}/triton_tiles.ptx --launch <<<3x3,128,8192>>>(A,B,C,M,N,K,0,0) --size 70x80x40",
        opening: &[],
        groups: &[
            CommandGroup::Time,
            CommandGroup::Jump,
            CommandGroup::Subject,
            CommandGroup::Panels,
        ],
        often: &["i", "f", "Right", "o", "B"],
    },
    Scene {
        name: "large",
        args: "sgemm --size 1024",
        opening: &["f"],
        groups: &[CommandGroup::Value, CommandGroup::Time, CommandGroup::Subject],
        often: FOLLOWED,
    },
    Scene {
        name: "halves",
        args: "half_wgmma",
        opening: &[],
        groups: &[CommandGroup::Time, CommandGroup::Jump, CommandGroup::Subject],
        often: &["f", "v", "V", "c", "G", "g"],
    },
];

impl Scene {
    /// The arguments that the program starts with.
    pub(crate) fn args(&self) -> Vec<String> {
        let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/kernel/foreign");
        let args = self.args.split_whitespace().chain(["--gpu", "none"]);
        args.map(|arg| arg.replace("{data}", data)).collect()
    }

    /// The keys of its view, except those that leave it.
    pub(crate) fn keys(&self) -> Vec<&'static str> {
        keys(|command| self.groups.contains(&command.group) && !leaves(command.action))
    }
}

/// Every key that does not end the program.
pub(crate) fn all_keys() -> Vec<&'static str> {
    keys(|_| true)
}

fn keys(wanted: impl Fn(&KeyCommand) -> bool) -> Vec<&'static str> {
    let ending: Vec<_> = keys_of(|command| ends(command.action)).collect();
    keys_of(wanted).filter(|key| !ending.contains(key)).collect()
}

fn keys_of(wanted: impl Fn(&KeyCommand) -> bool) -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().filter(move |command| wanted(command)).flat_map(|command| command.keys).copied()
}

fn ends(action: Action) -> bool {
    matches!(action, Action::Quit | Action::BackOrQuit | Action::Suspend)
}

fn leaves(action: Action) -> bool {
    matches!(action, Action::Value(ValueAction::Leave) | Action::Overlay(OverlayAction::Close))
}
