//! Settings for one run: `--set theme=stage`, as in the settings file; the screen's appearance.

use super::BadUse;
use super::names::{NameParser, meant};
use super::output;
use crate::tui::config::{self, Config};
use crate::tui::lesson::Lessons;
use crate::tui::theme::Look;
use crate::tui::{FirstRun, StartOptions};

/// Settings that hold for this run.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// A setting for this run: theme, glyphs, mouse, pace, view or reduced_motion
    ///
    /// theme=dark, light or stage (for projectors), which `t` changes as well; glyphs=basic or ascii;
    /// mouse=false leaves the mouse to the terminal; pace=meaning (what is new is slow, what repeats
    /// is fast) or even; view=stage (what happens now, large) or workbench (all panels);
    /// reduced_motion=true shows no way between two steps. The settings file has the same names.
    #[arg(long, value_name = "NAME=VALUE", value_parser = SETTING, hide_possible_values = true,
          hide_short_help = true)]
    set: Vec<String>,
}

impl Args {
    /// Whether something is set.
    pub(super) const fn is_given(&self) -> bool {
        !self.set.is_empty()
    }

    /// Whether one of these is set.
    pub(super) fn sets(&self, names: &[&str]) -> bool {
        self.names().any(|name| names.contains(&name))
    }

    /// Whether any but these is set.
    pub(super) fn sets_other_than(&self, names: &[&str]) -> bool {
        self.names().any(|name| !names.contains(&name))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.set.iter().map(|setting| setting.split('=').next().unwrap_or_default())
    }

    /// The settings of this run over those of the user; what is wrong with the user's file is told as
    /// text.
    pub(super) fn config(&self) -> (Config, Option<String>) {
        let (config, wrong) = match config::load() {
            Ok(config) => (config, None),
            Err(error) => (Config::default(), Some(error.to_string())),
        };
        (self.over(config), wrong)
    }

    /// The settings of this run over others.
    pub(super) fn over(&self, config: Config) -> Config {
        // They were read before.
        self.set.iter().fold(config, |config, setting| match config::setting(setting) {
            Ok(own) => own.or(config),
            Err(_) => config,
        })
    }
}

/// What a screen starts with, as the settings and the environment have it; `found` is the appearance of
/// the terminal.
pub(super) fn start(run: FirstRun, config: &Config, found: Look, lessons: Lessons) -> StartOptions {
    let options = StartOptions::new(run, config, look(config, found), lessons);
    StartOptions { motion: moves(config), ..options }
}

/// The appearance by the settings, otherwise as detected.
pub(super) fn look(config: &Config, found: Look) -> Look {
    Look {
        theme: config.theme.unwrap_or(found.theme),
        depth: output::depth(found.depth),
        glyphs: config.glyphs.unwrap_or(found.glyphs),
    }
}

/// The environment variable that asks for no motion, if it is set and not empty.
const REDUCED_MOTION: &str = "MATVIZ_REDUCED_MOTION";

/// Whether the way between two steps of a run that plays is shown.
fn moves(config: &Config) -> bool {
    let is_set = std::env::var_os(REDUCED_MOTION).is_some_and(|value| !value.is_empty());
    !(config.reduced_motion.unwrap_or(false) || is_set)
}

const SETTING: NameParser<String> = NameParser {
    of: || config::SETTINGS.iter().map(|(setting, what)| (*setting, *what)).collect(),
    parse: |text| {
        config::setting(text).map_err(|told| {
            let known = config::SETTINGS.iter().map(|(setting, _)| *setting);
            let names = known.clone().filter_map(|known| known.split('=').next());
            let (name, _) = text.split_once('=').unwrap_or((text, ""));
            let is_name = names.clone().any(|known| known == name);
            let near = if is_name { String::new() } else { meant(name, names) };
            BadUse(format!("{told}{near}"))
        })?;
        Ok(text.to_owned())
    },
};
