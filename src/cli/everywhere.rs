//! The options that every command takes: where its result goes, what it says meanwhile, colours.

use super::BadUse;
use super::names::NameParser;
use crate::tui::theme::Depth;
use std::path::PathBuf;

/// The heading of these options in `--help`.
const HEADING: &str = "Everywhere";

/// Where the result goes, and what is said meanwhile.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// Write the result to FILE instead of stdout
    ///
    /// The file is written whole or not at all: if the command fails, what was there stays. After
    /// Ctrl-C it has what was done until then.
    #[arg(short, long, value_name = "FILE", global = true, help_heading = HEADING,
          value_hint = clap::ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Say nothing on stderr but errors: no progress, no notes
    #[arg(short, long, global = true, help_heading = HEADING)]
    pub quiet: bool,
    /// Colours: auto, always or never [default: auto]
    ///
    /// With auto, NO_COLOR and TERM=dumb turn them off and CLICOLOR_FORCE turns them on; otherwise a
    /// terminal gets them, and a file or a pipe does not. The screen also takes true (24 bits), 256 and
    /// 16.
    #[arg(long, value_name = "WHEN", value_parser = COLOURS, hide_possible_values = true,
          global = true, help_heading = HEADING)]
    pub color: Option<Colour>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Colour {
    /// As the environment and the terminal say.
    #[default]
    Auto,
    /// Also in a file or a pipe.
    Always,
    /// Nowhere.
    Never,
    /// Always, and on the screen so many.
    Depth(Depth),
}

const COLOURS: NameParser<Colour> = NameParser {
    of: || {
        vec![
            ("auto", "as NO_COLOR, CLICOLOR_FORCE, TERM and the terminal say"),
            ("always", "also into a file or a pipe"),
            ("never", "none"),
            ("true", "always; on the screen 24 bits"),
            ("256", "always; on the screen 256"),
            ("16", "always; on the screen 16"),
        ]
    },
    parse: |text| match text {
        "auto" => Ok(Colour::Auto),
        "always" => Ok(Colour::Always),
        "never" => Ok(Colour::Never),
        "true" => Ok(Colour::Depth(Depth::True)),
        "256" => Ok(Colour::Depth(Depth::Indexed)),
        "16" => Ok(Colour::Depth(Depth::Ansi)),
        _ => {
            let told = "give auto, always or never (on the screen also true, 256 or 16)";
            Err(BadUse(told.to_owned()))
        }
    },
};

impl Colour {
    /// Whether text has colours, in this environment, where `terminal` says whether stdout is one.
    pub(super) fn in_text(self, env: impl Fn(&str) -> Option<String>, terminal: bool) -> bool {
        match self {
            Self::Never => false,
            Self::Always | Self::Depth(_) => true,
            Self::Auto if env("NO_COLOR").is_some() => false,
            Self::Auto if env("CLICOLOR_FORCE").is_some_and(|force| force != "0") => true,
            Self::Auto => terminal && env("TERM").is_some_and(|term| term != "dumb"),
        }
    }

    /// The colours of a screen on which `found` would be used.
    pub(super) fn on_screen(self, found: Depth) -> Depth {
        match self {
            Self::Never => Depth::Mono,
            Self::Always if found == Depth::Mono => Depth::Ansi,
            Self::Auto | Self::Always => found,
            Self::Depth(depth) => depth,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coloured(colour: Colour, env: &[(&str, &str)], terminal: bool) -> bool {
        let value = |name: &str| env.iter().find(|(other, _)| *other == name);
        colour.in_text(|name| value(name).map(|(_, value)| (*value).to_owned()), terminal)
    }

    #[test]
    fn the_option_wins_over_no_color_which_wins_over_being_forced() {
        let xterm = ("TERM", "xterm");
        assert!(coloured(Colour::Auto, &[xterm], true));
        assert!(!coloured(Colour::Auto, &[xterm], false));
        assert!(!coloured(Colour::Auto, &[("TERM", "dumb")], true));
        assert!(!coloured(Colour::Auto, &[], true));
        assert!(coloured(Colour::Auto, &[("CLICOLOR_FORCE", "1")], false));
        assert!(!coloured(Colour::Auto, &[("CLICOLOR_FORCE", "0")], false));
        assert!(!coloured(Colour::Auto, &[xterm, ("NO_COLOR", "1")], true));
        assert!(!coloured(Colour::Auto, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true));
        assert!(coloured(Colour::Always, &[xterm, ("NO_COLOR", "1")], false));
        assert!(!coloured(Colour::Never, &[xterm, ("CLICOLOR_FORCE", "1")], true));
    }

    #[test]
    fn a_screen_without_colours_gets_sixteen_if_they_are_wanted() {
        assert_eq!(Colour::Always.on_screen(Depth::Mono), Depth::Ansi);
        assert_eq!(Colour::Always.on_screen(Depth::True), Depth::True);
        assert_eq!(Colour::Auto.on_screen(Depth::Indexed), Depth::Indexed);
        assert_eq!(Colour::Never.on_screen(Depth::True), Depth::Mono);
        assert_eq!(Colour::Depth(Depth::Ansi).on_screen(Depth::True), Depth::Ansi);
    }
}
