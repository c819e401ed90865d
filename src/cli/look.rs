//! The arguments for the screen's appearance; its colours are among those of every command.

use super::BadUse;
use super::names::NameParser;
use super::output;
use crate::tui::config::Config;
use crate::tui::theme::{Glyphs, Look, Theme, UnknownTheme};

/// Theme and characters.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Theme: dark, light or stage (for projectors); `t` changes it while it runs
    #[arg(long, value_name = "THEME", value_parser = THEME, hide_possible_values = true,
          hide_short_help = true)]
    theme: Option<Theme>,
    /// Characters: basic or ascii [default: by the locale]
    #[arg(long, value_name = "SET", value_parser = GLYPHS, hide_possible_values = true,
          hide_short_help = true)]
    glyphs: Option<Glyphs>,
}

impl Args {
    /// Whether a theme is given, which text has none of.
    pub(super) const fn is_themed(self) -> bool {
        self.theme.is_some()
    }

    /// The appearance from these arguments, otherwise from the configuration, otherwise as
    /// detected.
    pub fn look(self, config: &Config, found: Look) -> Look {
        Look {
            theme: self.theme.or(config.theme).unwrap_or(found.theme),
            depth: output::depth(found.depth),
            glyphs: self.glyphs.or(config.glyphs).unwrap_or(found.glyphs),
        }
    }
}

/// The environment variable that asks for no motion, if it is set and not empty.
const REDUCED_MOTION: &str = "MATVIZ_REDUCED_MOTION";

/// Whether the way between two steps of a run that plays is shown, where `still` is `--still`.
pub(super) fn moves(still: bool, config: &Config) -> bool {
    let is_set = std::env::var_os(REDUCED_MOTION).is_some_and(|value| !value.is_empty());
    !(still || config.reduced_motion || is_set)
}

const THEME: NameParser<Theme> = NameParser {
    of: || vec![("dark", ""), ("light", ""), ("stage", "for projectors")],
    parse: |text| text.parse().map_err(|error: UnknownTheme| BadUse::of(error)),
};

const GLYPHS: NameParser<Glyphs> = NameParser {
    of: || vec![("basic", ""), ("ascii", "")],
    parse: |text| match text {
        "basic" => Ok(Glyphs::Basic),
        "ascii" => Ok(Glyphs::Ascii),
        _ => Err(BadUse("give basic or ascii".to_owned())),
    },
};
