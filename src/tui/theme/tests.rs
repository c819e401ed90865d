//! What holds for every theme, depth and glyph set.

use super::*;

const ROLES: [Role; 8] =
    [Role::A, Role::B, Role::C, Role::Memory, Role::Shared, Role::Bad, Role::Here, Role::Wait];

fn looks() -> impl Iterator<Item = Look> {
    let depths = [Depth::Mono, Depth::Ansi, Depth::Indexed, Depth::True];
    let glyphs = [Glyphs::Ascii, Glyphs::Basic];
    Theme::ALL.into_iter().flat_map(move |theme| {
        depths.into_iter().flat_map(move |depth| {
            glyphs.into_iter().map(move |glyphs| Look { theme, depth, glyphs })
        })
    })
}

/// Relative luminance (WCAG 2.2, "relative luminance").
fn luminance(colour: Color) -> f64 {
    let channels = match colour {
        Color::Rgb(r, g, b) => [r, g, b],
        Color::Indexed(16) => [0; 3],
        Color::Indexed(231) => [255; 3],
        other => panic!("{other:?} is no true colour"),
    };
    let [r, g, b] = channels.map(|channel| {
        let part = f64::from(channel) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(a: Color, b: Color) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn text_reads_on_every_ground_and_fill() {
    for theme in Theme::ALL {
        let look = Look { theme, ..Look::default() };
        let ground = match theme {
            Theme::Dark => Color::Rgb(0x1e, 0x1e, 0x1e),
            Theme::Light | Theme::Stage => Color::Rgb(0xff, 0xff, 0xff),
        };
        let on_ground = [look.text(), look.dim()].into_iter().chain(ROLES.map(|r| look.ink(r)));
        let bar = look.bar().bg.expect("the bar has a ground");
        let on_bar = [look.text(), look.dim()].into_iter().chain(ROLES.map(|r| look.ink(r)));
        for (style, ground) in on_ground.map(|s| (s, ground)).chain(on_bar.map(|s| (s, bar))) {
            let ink = style.fg.expect("text has a colour");
            let ratio = contrast(ink, ground);
            assert!(ratio >= 4.5, "{theme:?}: {ink:?} on {ground:?} is {ratio:.2}:1");
        }
        for role in ROLES {
            let fill = look.fill(role);
            let ratio = contrast(fill.fg.expect("black"), fill.bg.expect("a fill"));
            assert!(ratio >= 4.5, "{theme:?}: text on {role:?} is {ratio:.2}:1");
        }
        for role in [Role::A, Role::B] {
            let past = look.past(role);
            let ratio = contrast(past.fg.expect("text"), past.bg.expect("a ground"));
            assert!(ratio >= 4.5, "{theme:?}: text on an old {role:?} is {ratio:.2}:1");
        }
    }
}

#[test]
fn every_tone_has_a_character_of_its_own() {
    for look in looks() {
        let mut marks = vec![look.mark(Tone::None), look.mark(Tone::Faint)];
        marks.extend([Tone::Ahead(Role::A), Tone::Half(Role::A)].map(|tone| look.mark(tone)));
        marks.extend(ROLES.map(|role| look.mark(Tone::Full(role))));
        marks.sort_unstable();
        marks.dedup();
        assert_eq!(marks.len(), 12, "{look:?}");
        assert!(look.glyphs == Glyphs::Basic || marks.concat().is_ascii(), "{look:?}");
    }
}

#[test]
fn without_colours_there_is_no_colour() {
    for look in looks().filter(|look| look.depth == Depth::Mono) {
        let styles = ROLES.into_iter().flat_map(|role| [look.fill(role), look.ink(role)]);
        for style in styles.chain([look.text(), look.dim(), look.bar(), look.ground()]) {
            assert_eq!((style.fg, style.bg), (None, None), "{look:?}");
        }
    }
}

#[test]
fn fewer_colours_stay_in_their_palette() {
    for look in looks().filter(|look| look.depth == Depth::Indexed) {
        for role in ROLES {
            assert!(matches!(look.pixel(role), Color::Indexed(16..)), "{look:?} {role:?}");
            assert!(matches!(look.half(role), Color::Indexed(16..)), "{look:?} {role:?}");
        }
    }
}

#[test]
fn no_other_of_the_256_colours_is_nearer() {
    let colour = |index: u8| match index {
        232.. => [8 + 10 * (index - 232); 3],
        _ => {
            [36, 6, 1].map(|step| [0, 95, 135, 175, 215, 255][usize::from((index - 16) / step % 6)])
        }
    };
    let far = |a: [u8; 3], b: [u8; 3]| -> u32 {
        a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    };
    for hex in (0..1 << 24).step_by(4099) {
        let [_, r, g, b] = u32::to_be_bytes(hex);
        let nearest = (16..=255).map(|index| far([r, g, b], colour(index))).min();
        assert_eq!(Some(far([r, g, b], colour(cube(r, g, b)))), nearest, "{hex:06x}");
    }
}

#[test]
fn the_themes_are_walked_through() {
    for theme in Theme::ALL {
        assert_eq!(theme.next().next().next(), theme);
    }
}
