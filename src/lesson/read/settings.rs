//! The keys of a scene, and the variants of its run.

use super::super::diagnostic::{Diagnostics, NOT_THERE, TOO_MUCH, WRONG_VALUE};
use super::super::setting::{BlockChoice, KernelFrom, Setting};
use super::folder::{FileError, Folder};
use super::keys::{Text, Texts, TomlBody, TomlValue};
use super::words::meant;
use crate::kernel::{self, Tile};
use crate::launch::{Dim3, shape};
use crate::matrix::{Size, SizeError};
use crate::sim::ParseOrderError;
use std::collections::BTreeMap;
use toml::Spanned;

/// The keys of a scene: those of its runs, and how they are shown.
#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SceneKeys {
    pub kernel: Option<Spanned<TomlValue>>,
    tile: Option<Spanned<TomlValue>>,
    size: Option<Spanned<TomlValue>>,
    grid: Option<Spanned<TomlValue>>,
    threads: Option<Spanned<TomlValue>>,
    args: Option<Spanned<TomlValue>>,
    order: Option<Spanned<TomlValue>>,
    unroll: Option<Spanned<TomlValue>>,
    define: Option<Spanned<TomlValue>>,
    change: Option<Spanned<TomlValue>>,
    block: Option<Spanned<TomlValue>>,
    warp: Option<Spanned<TomlValue>>,
    fill: Option<Spanned<TomlValue>>,
    pub at: Option<Text>,
    pub look: Option<Spanned<Texts>>,
    pub places: Option<Spanned<Texts>>,
    pub listing: Option<Listing>,
    pub beside: Option<Text>,
    /// The values of keys of its runs, in every combination.
    pub vary: Option<Spanned<BTreeMap<Text, Vec<Spanned<TomlValue>>>>>,
}

impl SceneKeys {
    /// The keys that decide the run; the kernel is the first, since it decides what the others may be.
    pub(super) fn settings(&self) -> [(&'static str, Option<&Spanned<TomlValue>>); 13] {
        [
            ("kernel", self.kernel.as_ref()),
            ("tile", self.tile.as_ref()),
            ("size", self.size.as_ref()),
            ("grid", self.grid.as_ref()),
            ("threads", self.threads.as_ref()),
            ("args", self.args.as_ref()),
            ("order", self.order.as_ref()),
            ("unroll", self.unroll.as_ref()),
            ("define", self.define.as_ref()),
            ("change", self.change.as_ref()),
            ("block", self.block.as_ref()),
            ("warp", self.warp.as_ref()),
            ("fill", self.fill.as_ref()),
        ]
    }
}

#[derive(Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Listing {
    Cuda,
    Ptx,
}

/// The most variants of a scene.
const MOST_VARIANTS: usize = 64;

/// What a key has that is to be as if it had never been given.
const DEFAULT: &str = "default";

/// The variants of a scene that stands after one with the variants `before`. What a scene does not
/// say is as before; with a `vary` of its own, as in the first of the variants before.
pub(super) fn variants(
    before: &[Setting],
    keys: &SceneKeys,
    body: &TomlBody<'_>,
    folder: &Folder,
    out: &mut Diagnostics<'_>,
) -> Vec<Setting> {
    let varied = varied(keys, body, out);
    let before = if varied.is_empty() { before } else { before.get(..1).unwrap_or(before) };
    let mut all = before.to_vec();
    for (key, value) in keys.settings() {
        let Some(value) = value else { continue };
        apply(&mut all, key, std::slice::from_ref(value), (body, folder), out);
    }
    for (key, values) in varied {
        if all.len().saturating_mul(values.len()) > MOST_VARIANTS {
            let told = format!("a scene has at most {MOST_VARIANTS} variants");
            out.add(TOO_MUCH, keys.vary.as_ref().map_or(0..0, |vary| body.place(vary)), told);
            break;
        }
        apply(&mut all, key, values, (body, folder), out);
    }
    distinct(all)
}

/// The values of each key in `vary`.
fn varied<'k>(
    keys: &'k SceneKeys,
    body: &TomlBody<'_>,
    out: &mut Diagnostics<'_>,
) -> Vec<(&'static str, &'k [Spanned<TomlValue>])> {
    let Some(vary) = &keys.vary else { return Vec::new() };
    let known = keys.settings().map(|(key, _)| key);
    let mut lists = Vec::new();
    for (name, values) in vary.get_ref() {
        match known.iter().position(|known| known == name.get_ref()) {
            None => {
                let told = format!("`{}` is nothing that varies", name.get_ref());
                let hint = meant(name.get_ref(), known);
                out.advise(WRONG_VALUE, body.place(name), told, hint);
            }
            Some(_) if values.is_empty() => {
                let told = format!("`{}` must be a list of values", name.get_ref());
                out.add(WRONG_VALUE, body.place(name), told);
            }
            Some(place) => lists.push((place, &values[..])),
        }
    }
    lists.sort_by_key(|(place, _)| *place);
    lists.into_iter().map(|(place, values)| (known[place], values)).collect()
}

/// Replaces each setting by those with each of the values.
fn apply(
    all: &mut Vec<Setting>,
    key: &str,
    values: &[Spanned<TomlValue>],
    (body, folder): (&TomlBody<'_>, &Folder),
    out: &mut Diagnostics<'_>,
) {
    let mut told = Vec::new();
    *all = all.iter().fold(Vec::new(), |mut made, setting| {
        for (index, value) in values.iter().enumerate() {
            let mut setting = setting.clone();
            match set(&mut setting, key, value.get_ref(), folder) {
                Ok(()) => made.push(setting),
                Err(_) if told.contains(&index) => {}
                Err(wrong) => {
                    told.push(index);
                    out.advise(wrong.code(), body.place(value), wrong.to_string(), wrong.hint());
                }
            }
        }
        if made.is_empty() {
            made.push(setting.clone());
        }
        made
    });
}

fn distinct(all: Vec<Setting>) -> Vec<Setting> {
    let mut made: Vec<Setting> = Vec::new();
    for setting in all {
        if !made.contains(&setting) {
            made.push(setting);
        }
    }
    made
}

/// Why a value does not suit its key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum WrongValue {
    #[error("`{0}` must be a list of texts")]
    NoTexts(String),
    #[error("`{0}` must be a text or a number")]
    NoText(String),
    #[error("`{0}` defines nothing: give NAME=VALUE")]
    NoDefine(String),
    #[error("`{0}` {1}")]
    File(String, FileError),
    #[error("the catalogue has no kernel `{0}`, and this is no .cu or .ptx")]
    NoKernel(String),
    #[error("`{0}` is not a tile: give 1 to 32, or MxNxK, 128x128x16")]
    NoTile(String),
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error(transparent)]
    Order(#[from] ParseOrderError),
    #[error("`{text}` does not fit: {why}")]
    NoShape { text: String, why: String },
    #[error("`unroll` is 1, the loop as it is written, or \"default\"")]
    NoUnroll,
    #[error("`{text}` is no block: {named}, or {why}")]
    NoBlock { text: String, named: String, why: String },
    #[error("`{0}` is not a warp: give 0 to 31")]
    NoWarp(String),
    #[error("`fill` is \"random\" or \"small\", whole numbers from 0 to 9")]
    NoFill,
}

impl WrongValue {
    /// The rule that is broken.
    const fn code(&self) -> &'static str {
        match self {
            Self::File(..) | Self::NoKernel(_) => NOT_THERE,
            _ => WRONG_VALUE,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoKernel(name) => meant(name, kernel::all().map(|kernel| kernel.name)),
            _ => None,
        }
    }
}

/// Changes one key of a setting, as the command line reads it.
fn set(
    setting: &mut Setting,
    key: &str,
    value: &TomlValue,
    folder: &Folder,
) -> Result<(), WrongValue> {
    match value {
        TomlValue::Texts(texts) if matches!(key, "define" | "change") => {
            return set_list(setting, key, texts.clone());
        }
        TomlValue::Numbers(_) if matches!(key, "define" | "change") => {
            return Err(WrongValue::NoTexts(key.to_owned()));
        }
        _ => {}
    }
    let text = value.as_option().ok_or_else(|| WrongValue::NoText(key.to_owned()))?;
    if key == "kernel" {
        return set_kernel(setting, &text, folder);
    }
    let given = (text != DEFAULT).then_some(&*text);
    set_text(setting, key, given)
}

fn set_list(setting: &mut Setting, key: &str, texts: Vec<String>) -> Result<(), WrongValue> {
    if key == "change" {
        setting.changes = texts;
        return Ok(());
    }
    if let Some(text) = texts.iter().find(|text| !text.contains('=')) {
        return Err(WrongValue::NoDefine(text.clone()));
    }
    setting.defines = texts;
    Ok(())
}

/// What belongs to one kernel alone is not kept for another.
fn set_kernel(setting: &mut Setting, name: &str, folder: &Folder) -> Result<(), WrongValue> {
    let kernel = if is_file(name) {
        let text = folder.kernel(name);
        let text = text.map_err(|why| WrongValue::File(name.to_owned(), why))?;
        KernelFrom::File { name: name.to_owned(), text }
    } else {
        if kernel::find(name).is_none() {
            return Err(WrongValue::NoKernel(name.to_owned()));
        }
        KernelFrom::Catalogue(name.to_owned())
    };
    if setting.kernel != kernel {
        let (defines, changes) = Default::default();
        let kept = setting.clone();
        *setting =
            Setting { kernel, grid: None, threads: None, args: None, defines, changes, ..kept };
    }
    Ok(())
}

/// Whether a kernel's name is that of a file.
pub(super) fn is_file(name: &str) -> bool {
    [".cu", ".ptx"].iter().any(|end| name.ends_with(end))
}

/// Changes a key to what a text says, or back to the default.
fn set_text(setting: &mut Setting, key: &str, text: Option<&str>) -> Result<(), WrongValue> {
    match key {
        "tile" => setting.tile = text.map(tile).transpose()?,
        "size" => setting.size = text.map_or(Ok(Setting::default().size), size)?,
        "grid" => setting.grid = text.map(|text| fits(text, shape::grid)).transpose()?,
        "threads" => setting.threads = text.map(|text| fits(text, shape::block)).transpose()?,
        "args" => setting.args = text.map(str::to_owned),
        "order" => {
            setting.order = text.map(str::parse).transpose()?;
        }
        "unroll" => setting.rolled = text.map_or(Ok(false), rolled)?,
        "block" => setting.block = text.map_or(Ok(BlockChoice::default()), block)?,
        "warp" => setting.warp = text.map(warp).transpose()?,
        "fill" => setting.digits = text.map_or(Ok(false), digits)?,
        "define" | "change" => {
            set_list(setting, key, text.map(str::to_owned).into_iter().collect())?;
        }
        _ => {}
    }
    Ok(())
}

fn tile(text: &str) -> Result<Tile, WrongValue> {
    let fits = |tile: &Tile| tile.side().is_some() || text.contains('x');
    let given = text.parse().ok().filter(fits);
    given.ok_or_else(|| WrongValue::NoTile(text.to_owned()))
}

/// A size as the command line has it.
pub(super) fn size(text: &str) -> Result<Size, WrongValue> {
    Ok(text.parse()?)
}

/// A shape as the command line has it.
fn fits(text: &str, read: fn(&str) -> Result<Dim3, String>) -> Result<Dim3, WrongValue> {
    read(text).map_err(|why| WrongValue::NoShape { text: text.to_owned(), why })
}

fn rolled(text: &str) -> Result<bool, WrongValue> {
    match text {
        "1" => Ok(true),
        _ => Err(WrongValue::NoUnroll),
    }
}

fn block(text: &str) -> Result<BlockChoice, WrongValue> {
    if let Some((_, block)) = BlockChoice::NAMED.iter().find(|(name, _)| *name == text) {
        return Ok(*block);
    }
    shape::place(text).map(BlockChoice::At).map_err(|why| {
        let named = BlockChoice::NAMED.map(|(name, _)| format!("\"{name}\""));
        WrongValue::NoBlock { text: text.to_owned(), named: named.join(", "), why }
    })
}

fn digits(text: &str) -> Result<bool, WrongValue> {
    match text {
        "small" => Ok(true),
        "random" => Ok(false),
        _ => Err(WrongValue::NoFill),
    }
}

/// Warps of a block of 1,024 threads have the numbers 0 to 31.
fn warp(text: &str) -> Result<u32, WrongValue> {
    let warp = text.parse().ok().filter(|warp| *warp < 32);
    warp.ok_or_else(|| WrongValue::NoWarp(text.to_owned()))
}
