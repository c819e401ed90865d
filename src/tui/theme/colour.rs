//! Arithmetic on 24-bit colours, and the nearest of 256.

use ratatui::style::Color;

/// The levels of a channel in xterm's 6 x 6 x 6 cube.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// Returns the channels of a colour that is not the user's own.
pub(super) const fn rgb_of(colour: Color) -> Option<u32> {
    let channels = match colour {
        Color::Rgb(r, g, b) => [r, g, b],
        Color::Indexed(grey @ 232..) => [8 + 10 * (grey - 232); 3],
        Color::Indexed(index @ 16..) => {
            let index = index as usize - 16;
            [LEVELS[index / 36], LEVELS[index / 6 % 6], LEVELS[index % 6]]
        }
        _ => return None,
    };
    let [r, g, b] = channels;
    Some(u32::from_be_bytes([0, r, g, b]))
}

/// Averages two colours.
pub(super) const fn mix(a: u32, b: u32) -> u32 {
    (a >> 1 & 0x7f_7f_7f) + (b >> 1 & 0x7f_7f_7f)
}

/// The colour that lies `part` of 255 parts on the way from `a` to `b`.
pub(super) fn blend(a: u32, b: u32, part: u8) -> u32 {
    let (a, b, part) = (a.to_be_bytes(), b.to_be_bytes(), u32::from(part));
    let channel = |i: usize| (u32::from(a[i]) * (255 - part) + u32::from(b[i]) * part) / 255;
    u32::from_be_bytes(std::array::from_fn(|i| channel(i) as u8))
}

/// Whether black text reads better on a colour than white.
pub(super) const fn is_bright(hex: u32) -> bool {
    let [_, r, g, b] = hex.to_be_bytes();
    2 * r as u32 + 5 * g as u32 + b as u32 > 8 * 0x68
}

/// Returns the nearest colour of xterm's 6 x 6 x 6 cube and its 24 greys. It runs for every cell of
/// a frame, so it rounds each channel and their sum instead of searching.
pub(super) fn cube(r: u8, g: u8, b: u8) -> u8 {
    let level = |x: u8| match x {
        0..=47 => 0,
        48..=115 => 1,
        116..=155 => 2,
        156..=195 => 3,
        196..=235 => 4,
        236.. => 5,
    };
    let [i, j, k] = [r, g, b].map(level);
    let sum = u32::from(r) + u32::from(g) + u32::from(b);
    let grey = (sum.saturating_sub(10) / 30).min(23) as u8;
    let apart = |x: u8, y: u8| u32::from(x.abs_diff(y)).pow(2);
    let distance = |[x, y, z]: [u8; 3]| apart(r, x) + apart(g, y) + apart(b, z);
    let of_cube = distance([LEVELS[i], LEVELS[j], LEVELS[k]]);
    if of_cube <= distance([8 + 10 * grey; 3]) {
        (16 + 36 * i + 6 * j + k) as u8
    } else {
        232 + grey
    }
}
