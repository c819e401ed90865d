//! How a launch stands in host code: `kernel<<<grid, block>>>(args)`, or
//! `cudaLaunchKernelEx(&config, kernel, args)`.

use super::item::closed;
use super::value::split;

/// The call of a launch with a configuration.
pub(super) const WITH_CONFIG: &str = "cudaLaunchKernelEx";

pub(super) struct WrittenLaunch<'t> {
    /// The text up to the end of the kernel's name.
    pub(super) head: &'t str,
    /// The grid, the block, the bytes of shared memory.
    pub(super) shape: [Option<&'t str>; 3],
    /// The sides of a cluster; none if nobody gives one.
    pub(super) cluster: [Option<&'t str>; 3],
    pub(super) args: Vec<String>,
}

impl<'t> WrittenLaunch<'t> {
    /// The launch that begins at a place of a text: that of its `<<<`, or of its call's name.
    pub(super) fn at(text: &'t str, at: usize) -> Option<Self> {
        if text[at..].starts_with("<<<") {
            Self::with_brackets(text, at)
        } else {
            Self::with_config(text, at)
        }
    }

    fn with_brackets(text: &'t str, at: usize) -> Option<Self> {
        let end = at + text[at..].find(">>>")?;
        let mut config = split(&text[at + 3..end]);
        let args = list(&text[end + 3..])?.map(str::to_owned).collect();
        let shape = [config.next(), config.next(), config.next()];
        Some(Self { head: &text[..at], shape, cluster: [None; 3], args })
    }

    /// The configuration's members are what the text before has assigned to them last.
    fn with_config(text: &'t str, at: usize) -> Option<Self> {
        let mut all = list(&text[at + WITH_CONFIG.len()..])?;
        let (_, kernel) = (all.next()?, all.next()?);
        let end = kernel.as_ptr() as usize - text.as_ptr() as usize + kernel.len();
        let (before, args) = (&text[..at], all.map(str::to_owned).collect());
        let shape = ["gridDim", "blockDim", "dynamicSmemBytes"].map(|of| assigned(before, of));
        let cluster = ["clusterDim.x", "clusterDim.y", "clusterDim.z"];
        let cluster = cluster.map(|of| assigned(before, of));
        Some(Self { head: &text[..end], shape, cluster, args })
    }
}

/// The parts of a list in brackets with which a text begins.
fn list(text: &str) -> Option<impl Iterator<Item = &str>> {
    let text = text.trim_start();
    let end = closed(text, 0).filter(|_| text.starts_with('('))?;
    Some(split(&text[1..end - 1]))
}

/// What a text assigns last to a member, up to the end of the expression: `config.gridDim = 4;`.
fn assigned<'t>(before: &'t str, member: &str) -> Option<&'t str> {
    let of = |(at, _): (usize, &str)| {
        let is_member = before[..at].ends_with(['.', '>']);
        let value = before[at + member.len()..].trim_start().strip_prefix('=')?;
        let mut depth = 0_i32;
        let end = value.find(|letter| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            depth == 0 && matches!(letter, ';' | ',' | '}')
        })?;
        (is_member && !value.starts_with('=')).then(|| value[..end].trim())
    };
    before.match_indices(member).filter_map(of).last()
}
