//! Detects what the terminal can show from the environment alone: querying the terminal takes time.

use super::theme::{Depth, Glyphs, Look, Theme};

/// Looks up an environment variable; returns `None` if it is unset or empty.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Returns the look for the terminal of which these variables speak.
pub fn look(env: Env<'_>) -> Look {
    Look { theme: theme(env), depth: depth(env), glyphs: glyphs(env) }
}

/// rxvt, Konsole and others report their colours as `15;0` (text; background). 7 and 9 to 15 are
/// light.
fn theme(env: Env<'_>) -> Theme {
    let ground = env("COLORFGBG").and_then(|colours| colours.rsplit(';').next()?.parse().ok());
    match ground {
        Some(7 | 9..=15) => Theme::Light,
        Some(0_u8..) | None => Theme::Dark,
    }
}

fn depth(env: Env<'_>) -> Depth {
    let term = env("TERM").unwrap_or_default();
    if env("NO_COLOR").is_some() {
        return Depth::Mono;
    }
    // Before macOS 26, Terminal.app renders 24-bit colours as garbage.
    if env("TERM_PROGRAM").is_some_and(|program| program == "Apple_Terminal") {
        return Depth::Indexed;
    }
    let says_true = env("COLORTERM").is_some_and(|value| matches!(&*value, "truecolor" | "24bit"));
    let known = env("WT_SESSION").is_some() || term.contains("kitty") || term.contains("direct");
    if says_true || known {
        Depth::True
    } else if term.contains("256color") || term.starts_with("tmux") {
        Depth::Indexed
    } else {
        Depth::Ansi
    }
}

/// The first of the three variables that is set determines the character set (POSIX, "Locale").
fn glyphs(env: Env<'_>) -> Glyphs {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(env);
    let utf8 = locale.is_some_and(|locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    });
    if utf8 || cfg!(windows) || cfg!(target_os = "macos") { Glyphs::Basic } else { Glyphs::Ascii }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Look {
        look(&|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn colours_are_as_deep_as_the_terminal_says() {
        assert_eq!(of(&[("TERM", "xterm-256color")]).depth, Depth::Indexed);
        assert_eq!(of(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]).depth, Depth::True);
        assert_eq!(of(&[("TERM", "vt100")]).depth, Depth::Ansi);
        assert_eq!(of(&[("COLORTERM", "24bit"), ("NO_COLOR", "1")]).depth, Depth::Mono);
        let apple = [("COLORTERM", "truecolor"), ("TERM_PROGRAM", "Apple_Terminal")];
        assert_eq!(of(&apple).depth, Depth::Indexed);
    }

    #[test]
    fn a_light_ground_and_a_plain_locale_are_seen() {
        assert_eq!(of(&[("COLORFGBG", "0;15")]).theme, Theme::Light);
        assert_eq!(of(&[("COLORFGBG", "15;default;0")]).theme, Theme::Dark);
        assert_eq!(of(&[("COLORFGBG", "nonsense")]).theme, Theme::Dark);
        assert_eq!(of(&[("LANG", "en_US.UTF-8")]).glyphs, Glyphs::Basic);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn without_utf8_there_is_ascii() {
        assert_eq!(of(&[("LANG", "en_US.UTF-8"), ("LC_ALL", "C")]).glyphs, Glyphs::Ascii);
        assert_eq!(of(&[]).glyphs, Glyphs::Ascii);
    }
}
