//! The launch that a source names in a comment: `// launch: --block 16,16 --args A,B,C,M,N,K`.

use crate::launch::Dim3;

/// How the comment begins.
const LAUNCH: &str = "// launch:";

/// What the comment says; whatever else it says does not matter here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LaunchComment {
    pub(super) entry: Option<String>,
    pub(super) block: Option<Dim3>,
    pub(super) grid: Option<Dim3>,
    pub(super) args: Option<String>,
    pub(super) shared: Option<u32>,
}

impl LaunchComment {
    /// Reads the first such comment of a source.
    ///
    /// # Errors
    /// A shape that is not one, with the number of the line.
    pub(super) fn of(source: &str) -> Result<Self, String> {
        let lines = (1..).zip(source.lines().map(str::trim_start));
        let mut launches = lines.filter_map(|(at, line)| Some((at, line.strip_prefix(LAUNCH)?)));
        launches.next().map_or_else(
            || Ok(Self::default()),
            |(at, line)| {
                let told = |what| format!("line {at}: `{LAUNCH}` has a wrong {what}");
                Self::read(line).map_err(told)
            },
        )
    }

    fn read(line: &str) -> Result<Self, &'static str> {
        let mut found = Self::default();
        let words: Vec<_> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            let (option, value) = (pair[0], pair[1]);
            match option {
                "--block" => found.block = Some(shape(value).ok_or("--block")?),
                "--grid" => found.grid = Some(shape(value).ok_or("--grid")?),
                "--entry" => found.entry = Some(value.to_owned()),
                "--args" => found.args = Some(value.to_owned()),
                "--shared" => found.shared = Some(value.parse().ok().ok_or("--shared")?),
                _ => {}
            }
        }
        Ok(found)
    }
}

/// `16,16`, `16x16` or `256`.
fn shape(text: &str) -> Option<Dim3> {
    let sides = text.split([',', 'x']).map(|side| side.parse().ok().filter(|side| *side > 0));
    match sides.collect::<Option<Vec<u32>>>()?[..] {
        [x] => Some(Dim3::flat(x, 1)),
        [x, y] => Some(Dim3::flat(x, y)),
        [x, y, z] => Some(Dim3::new(x, y, z)),
        _ => None,
    }
}
