//! The arguments for the screen's appearance.

use crate::tui::config::Config;
use crate::tui::theme::{Depth, Glyphs, Look, Theme};

/// Theme, colours, characters.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Theme: dark, light or stage (for projectors); `t` changes it while it runs
    #[arg(long, value_name = "THEME")]
    theme: Option<Theme>,
    /// Colours: true (24 bits), 256, 16 or never [default: as the terminal reports]
    #[arg(long, value_name = "DEPTH", value_parser = depth)]
    color: Option<Depth>,
    /// Characters: basic or ascii [default: by the locale]
    #[arg(long, value_name = "SET", value_parser = glyphs)]
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
            depth: self.color.unwrap_or(found.depth),
            glyphs: self.glyphs.or(config.glyphs).unwrap_or(found.glyphs),
        }
    }
}

fn depth(text: &str) -> Result<Depth, String> {
    match text {
        "true" => Ok(Depth::True),
        "256" => Ok(Depth::Indexed),
        "16" => Ok(Depth::Ansi),
        "never" => Ok(Depth::Mono),
        _ => Err("give true, 256, 16 or never".to_owned()),
    }
}

fn glyphs(text: &str) -> Result<Glyphs, String> {
    match text {
        "basic" => Ok(Glyphs::Basic),
        "ascii" => Ok(Glyphs::Ascii),
        _ => Err("give basic or ascii".to_owned()),
    }
}
