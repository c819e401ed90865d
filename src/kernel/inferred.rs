//! Infers what the user did not specify of a launch: its grid and its arguments.

mod buffers;

pub use buffers::element_type;
pub(super) use buffers::{BufferArgs, grid_over};

use super::args::typed;
use super::args_error::ArgsError;
use super::call::Arg;
use super::called::Called;
use super::extent::SizeName;
use super::roles::Roles;
use super::signature::DeclaredElements;
use super::structure;
use crate::launch::{Dim3, Launch};
use crate::matrix::{ElementType, Operand, Size};
use ptx::{Param, Type};
use std::borrow::Cow;
use std::fmt;

/// The number of parameters of a Numba array, and the position of the pointer among them.
const NUMBA: (usize, usize) = (9, 4);

/// Types with which a list of words is tried; it is not about them.
const SINGLE: [ElementType; 3] = [ElementType::F32; 3];

/// The facts from which the launch of a kernel is inferred.
pub(super) struct Guess<'a> {
    /// The parameters; an array of Numba is the pointer to its elements.
    pub(super) params: Cow<'a, [Param]>,
    /// Their places in the PTX.
    pub(super) places: Vec<usize>,
    /// The parameters' names in the source, if known.
    pub(super) names: Vec<String>,
    /// The words for the parameters that are matrices as structures, if they are A, B and C: by
    /// their positions.
    pub(super) source: Option<(&'a str, Vec<String>)>,
    /// The use of the parameters, where the program can be followed.
    pub(super) roles: Roles,
    /// The types of the elements behind the parameters, where they are known.
    pub(super) types: Vec<Option<ElementType>>,
    /// What the source declares the elements behind the pointers to be, where that is known.
    pub(super) declared: Vec<Option<DeclaredElements>>,
    /// The grid, if it is given.
    pub(super) grid: Option<Dim3>,
    /// The threads of a block.
    pub(super) block: Dim3,
    pub(super) size: Size,
    /// The arguments with which the host's code launches it.
    pub(super) called: &'a Called,
    /// The values that the source gives to parameters which the host leaves out.
    pub(super) defaults: Vec<Option<String>>,
}

/// What arguments are inferred from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// The names of the parameters.
    Names,
    /// The members of the structures.
    Members,
    /// The types of the parameters.
    Types,
    /// The types, and the one pointer that is stored through.
    TypesAndStores,
    /// There are no parameters.
    Nothing,
}

impl Basis {
    /// Whether another order of parameters of the same types would have given the same.
    pub(super) const fn is_type_alone(self) -> bool {
        matches!(self, Self::Types | Self::TypesAndStores)
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Names => "by the names of the parameters",
            Self::Members => "by the members of the structures",
            Self::Types => "by the types of the parameters",
            Self::TypesAndStores => {
                "by the types of the parameters, and C is what is stored through"
            }
            Self::Nothing => "it takes none",
        })
    }
}

/// Inferred arguments, and what is in doubt about them.
struct Guessed {
    words: Vec<String>,
    doubt: Option<&'static str>,
    by_name: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ParameterKind {
    Pointer,
    TensorMap,
    Integer,
    Float,
    /// What the kernel never reads.
    Unread,
    Other,
}

impl Guess<'_> {
    /// Returns a grid with a thread for each element of C, and the reason for its shape.
    pub(super) fn grid(&self, block: Dim3) -> (Dim3, &'static str) {
        let grid = Launch::grid_over(self.size.n, self.size.m, block);
        let elements = u64::from(self.size.m) * u64::from(self.size.n);
        let blocks = match block.y {
            1 => elements.div_ceil(block.volume()),
            _ => grid.volume(),
        };
        match i32::try_from(blocks) {
            Ok(blocks) if self.roles.flat && grid.y > 1 => {
                (Dim3::flat(blocks.unsigned_abs(), 1), " (it never reads blockIdx.y)")
            }
            _ => (grid, ""),
        }
    }

    /// Returns the arguments as words, and what they were inferred from.
    ///
    /// # Errors
    /// The arguments are in doubt; the error describes the doubt, with an example.
    pub(super) fn arguments(&self) -> Result<(String, Basis), ArgsError> {
        let stored = (0..self.params.len()).any(|place| self.roles.is_stored(place));
        let by_type = if stored { Basis::TypesAndStores } else { Basis::Types };
        if let Some(words) = self.numba() {
            return Ok((words, by_type));
        }
        if let Some(words) = self.structures() {
            return Ok((words, Basis::Members));
        }
        if self.params.is_empty() {
            return Ok((String::new(), Basis::Nothing));
        }
        let Guessed { words, doubt, by_name } = self.guessed();
        let (words, why) = (words.join(","), if by_name { Basis::Names } else { by_type });
        // With a K among its parameters it is meant as one, whatever it computes.
        let has_k = words.split(',').any(|word| word == "K");
        let nothing = "it multiplies no floats, so it computes no product A x B";
        let adds = self.roles.multiplies_none && !has_k;
        let too_little = "it has no loop and loads too little for a sum over k, so it computes no \
                          product A x B";
        // A and B give two elements for each k.
        let is_short = self.roles.most_loaded.is_some_and(|loaded| loaded < 2 * self.size.k.min(4));
        let nothing = if adds { nothing } else { too_little };
        let other = self.other(&words);
        let doubt = doubt.or(other).or((adds || is_short && !has_k).then_some(nothing));
        match doubt {
            None => Ok((words, why)),
            Some(doubt) => {
                let has_all = Operand::ALL.into_iter().all(|of| is_among(&words, of));
                // More pointers than matrices: which is none would be a guess.
                let wide = |place: &usize| {
                    self.params[*place].ty.bits() == 64 && self.roles.is_accessed(*place)
                };
                let pointers = (0..self.params.len()).filter(wide).count();
                let fits = has_all
                    && pointers <= 3
                    && doubt != nothing
                    && other.is_none()
                    && typed(&words, &self.params, self.size, SINGLE).is_ok();
                let example = fits.then_some(words);
                let parameters = self.params.to_vec();
                Err(ArgsError::Unclear {
                    parameters,
                    doubt,
                    example,
                    any: self.buffers().map(|buffers| buffers.words),
                })
            }
        }
    }

    /// Why a kernel with parameters like these computes something else than A x B: the host allocates
    /// less for a matrix than it has elements.
    fn other(&self, words: &str) -> Option<&'static str> {
        let is_less = |(place, word): (usize, &str)| {
            let operand = Operand::ALL.into_iter().find(|of| of.name() == word)?;
            let of = self.types.get(place).copied().flatten()?;
            let (rows, columns) = self.size.shape(operand);
            let elements = u64::from(rows) * u64::from(columns);
            Some(self.called.bytes(place)? < elements * of.bytes() as u64)
        };
        let vector = "the host allocates less for one of its pointers than a matrix of this size has, \
                      so it computes no product A x B";
        words.split(',').enumerate().filter_map(is_less).any(|less| less).then_some(vector)
    }

    /// Numba's arrays; C is the one that the kernel stores through.
    fn numba(&self) -> Option<String> {
        let (each, pointer) = NUMBA;
        typed("numba", &self.params, Size::square(1), SINGLE).ok()?;
        let pointers = [0, 1, 2].map(|array| array * each + pointer);
        let order = self.operands(pointers).unwrap_or(Operand::ALL);
        let named = order.map(|operand| format!("numba:{}", operand.name()));
        Some(if order == Operand::ALL { "numba".to_owned() } else { named.join(",") })
    }

    /// Three matrices as structures, whose members have usual names.
    fn structures(&self) -> Option<String> {
        let (text, types) = self.source.as_ref()?;
        let (places, [a, b, c]) = ([0, 1, 2], &types[..]) else { return None };
        let order = self.named_operands(&places).or_else(|| self.operands(places))?;
        let word = |(name, operand): (&String, Operand)| structure::word(text, name, operand);
        let words: Option<Vec<_>> = [a, b, c].into_iter().zip(order).map(word).collect();
        let words = words?.join(",");
        typed(&words, &self.params, self.size, SINGLE).is_ok().then_some(words)
    }

    /// The matrices by the source's names, `d_A` and `matA` as well.
    fn named_operands(&self, places: &[usize; 3]) -> Option<[Operand; 3]> {
        if !self.has_names() {
            return None;
        }
        let of = |place: usize| operand_of(&self.names[place]);
        let [Some(a), Some(b), Some(c)] = places.map(of) else { return None };
        (a != b && b != c && a != c).then_some([a, b, c])
    }

    fn guessed(&self) -> Guessed {
        let (kinds, which) = self.kinds();
        let of = |kind| -> Vec<usize> {
            (0..kinds.len()).filter(|place| kinds[*place] == kind).collect()
        };
        let (pointers, integers, floats) =
            (of(ParameterKind::Pointer), of(ParameterKind::Integer), of(ParameterKind::Float));
        let mut words = vec!["N".to_owned(); self.params.len()];
        let (by_name, mut doubt) = self.name_pointers(&pointers, &mut words);
        let (named, unclear) = self.name_integers(&integers, &mut words);
        let called = self.take_called(&integers, &mut words, unclear.is_some());
        doubt = which.or(doubt).or(unclear.filter(|_| !called));
        doubt = self.name_maps(&of(ParameterKind::TensorMap), &mut words).or(doubt);
        for place in of(ParameterKind::Unread) {
            "0".clone_into(&mut words[place]);
        }
        // BLAS order: alpha A B + beta C.
        for (place, word) in floats.iter().zip(["1.0", "0.0"].into_iter().cycle()) {
            let suffix = if self.params[*place].ty == Type::F32 { "f" } else { "" };
            words[*place] = format!("{word}{suffix}");
        }
        let single = floats.iter().all(|place| self.params[*place].ty == Type::F32);
        if !self.take_called(&floats, &mut words, true)
            && (!matches!(floats.len(), 0 | 2) || !single)
        {
            doubt = doubt.or(Some("what the floats are for does not follow from their types"));
        }
        if !of(ParameterKind::Other).is_empty() {
            doubt = Some("some are neither pointers nor numbers of 32 or 64 bits");
        }
        Guessed { words, doubt, by_name: by_name || named }
    }

    /// Returns the kind of each parameter, and whether the pointers are in doubt. A pointer is a
    /// value that addresses are computed from; if there are only three values of 64 bits, they are
    /// the pointers.
    fn kinds(&self) -> (Vec<ParameterKind>, Option<&'static str>) {
        let wide = |place: &usize| {
            let Param { ty, bytes, .. } = self.params[*place];
            bytes == 8 && ty.bits() == 64 && !is_float(ty)
        };
        let wide: Vec<_> = (0..self.params.len()).filter(wide).collect();
        let maps = (0..self.params.len()).filter(|place| self.roles.is_map(*place)).count();
        let wide: Vec<_> = wide.into_iter().filter(|place| !self.roles.is_map(*place)).collect();
        let accessed = wide.iter().copied().filter(|place| self.roles.is_accessed(*place));
        let accessed: Vec<_> = accessed.collect();
        // Of what is loaded by tensor maps there are no pointers.
        let most = 3_usize.saturating_sub(maps);
        let (pointers, doubt) = match (wide.len(), accessed.len()) {
            (count, _) if count == most => (&wide[..], None),
            (_, count) if count == most => (&accessed[..], None),
            _ => (
                &wide[..wide.len().min(most)],
                Some("which of them are the pointers to A, B and C does not follow from the PTX"),
            ),
        };
        let kind = |(place, param): (usize, &Param)| match param {
            _ if self.roles.is_map(place) => ParameterKind::TensorMap,
            _ if pointers.contains(&place) => ParameterKind::Pointer,
            // Beside tensor maps there are pointers for other uses of the same source.
            _ if maps > 0 && wide.contains(&place) && self.roles.is_unread(place) => {
                ParameterKind::Unread
            }
            _ if param.bytes != param.ty.bytes() || param.ty.bits() < 32 => ParameterKind::Other,
            _ if is_float(param.ty) => ParameterKind::Float,
            _ => ParameterKind::Integer,
        };
        (self.params.iter().enumerate().map(kind).collect(), doubt)
    }

    /// Names the pointers in `words`. Returns whether the source's names were used, and what is in
    /// doubt.
    fn name_pointers(
        &self,
        places: &[usize],
        words: &mut [String],
    ) -> (bool, Option<&'static str>) {
        if let ([only], true) = (places, (0..self.params.len()).any(|at| self.roles.is_map(at))) {
            Operand::C.name().clone_into(&mut words[*only]);
            return (false, None);
        }
        let Ok(three) = <[usize; 3]>::try_from(places) else {
            for (place, of) in places.iter().zip(Operand::ALL) {
                of.name().clone_into(&mut words[*place]);
            }
            return (false, None);
        };
        let stored = three.iter().filter(|place| self.roles.is_stored(**place)).count();
        let named = self.named_operands(&three);
        let named = named.map(|three| three.map(|of| of.name().to_owned()).to_vec());
        let by_role = self.operands(three).unwrap_or(Operand::ALL).map(|of| of.name().to_owned());
        let by_name = named.is_some();
        for (place, name) in places.iter().zip(named.unwrap_or_else(|| by_role.to_vec())) {
            words[*place] = name;
        }
        let several = "it stores through several of its pointers";
        (by_name, (stored > 1 && !by_name).then_some(several))
    }

    /// Names the tensor maps in `words`, as the host's code encodes them, and returns what is in
    /// doubt: what is proposed then is a guess.
    fn name_maps(&self, places: &[usize], words: &mut [String]) -> Option<&'static str> {
        let mut doubt = None;
        for (place, usual) in places.iter().zip(Operand::ALL) {
            let called = self.called.word(*place).map(String::as_str);
            let called = called.filter(|word| word.starts_with("tensormap:"));
            let named = self.names.get(*place).and_then(|name| operand_of(name));
            let guess = || {
                let operand = named.unwrap_or(usual).name();
                format!("tensormap:{operand}:64x64:swizzle128:f16")
            };
            if called.is_none() {
                doubt =
                    Some("what box, swizzle and type a tensor map has is said by the host alone");
            }
            let by_address = if self.params[*place].bytes == 8 { "*" } else { "" };
            let word = called.map_or_else(guess, str::to_owned);
            words[*place] = format!("{by_address}{word}");
        }
        doubt
    }

    /// Returns the matrices that three pointers stand for: C is the only one that the kernel stores
    /// through.
    fn operands(&self, pointers: [usize; 3]) -> Option<[Operand; 3]> {
        use Operand::{A, B, C};
        match pointers.map(|place| self.roles.is_stored(place)) {
            [true, false, false] => Some([C, A, B]),
            [false, true, false] => Some([A, C, B]),
            [false, false, true] => Some([A, B, C]),
            _ => None,
        }
    }

    fn name_integers(
        &self,
        places: &[usize],
        words: &mut [String],
    ) -> (bool, Option<&'static str>) {
        let square = self.size == Size::square(self.size.n);
        let named = self.extents(places);
        // In BLAS the row lengths follow after M, N and K.
        let in_order = match places.len() {
            1 => vec!["N"],
            _ => vec!["M", "N", "K", "K", "N", "N"],
        };
        let by_name = named.is_some();
        let usual = in_order.into_iter().chain(std::iter::repeat("N")).map(str::to_owned);
        for (place, name) in places.iter().zip(named.into_iter().flatten().chain(usual)) {
            words[*place] = name;
        }
        for place in places {
            let name = self.names.get(*place).map(|name| name.to_lowercase()).unwrap_or_default();
            if self.has_names() && ["tile", "block"].iter().any(|part| name.contains(part)) {
                words[*place] = self.word(*place).cloned().unwrap_or(self.block.x.to_string());
            }
        }
        let doubt = match places.len() {
            1 if !square => Some("it takes one number, and these matrices have three sizes"),
            3 if !square && !by_name => {
                Some("which of them are M, N and K does not follow from their types")
            }
            2 | 4.. if !by_name && (!square || self.has_names()) => {
                Some("what the integers are for does not follow from their types")
            }
            _ => None,
        };
        (by_name && places.len() > 1, doubt)
    }

    /// Takes the words of the host's launch for these parameters, if it gives all of them and is
    /// needed. Returns whether it was taken.
    fn take_called(&self, places: &[usize], words: &mut [String], is_needed: bool) -> bool {
        let called = |place: &usize| self.word(*place);
        let all: Option<Vec<_>> = places.iter().map(called).collect();
        let Some(all) = all.filter(|all| is_needed && !all.is_empty()) else { return false };
        for (place, word) in places.iter().zip(all) {
            words[*place].clone_from(word);
        }
        true
    }

    /// Returns M, N and K for these parameters if the source's names say so; of square matrices any
    /// name of a side will do.
    fn extents(&self, places: &[usize]) -> Option<Vec<String>> {
        if !self.has_names() {
            return None;
        }
        let is_square = self.size == Size::square(self.size.n);
        let missing = self.missing_extent(places);
        let extent = |place: &usize| {
            if let Some(lead) = lead(&self.names[*place]) {
                return Some(lead.to_owned());
            }
            if let Some(elements) = self.length(&self.names[*place]) {
                return Some(elements.to_owned());
            }
            let extent = match SizeName::of(&self.names[*place]) {
                None | Some(SizeName::Side) if missing.is_some() => missing,
                known => known,
            }?;
            (is_square || extent != SizeName::Side).then(|| extent.word().to_owned())
        };
        // `n` alone is a side.
        let is_alone = places.len() == 1 && !is_square;
        let names: Vec<_> = places.iter().map(|place| &self.names[*place]).collect();
        let is_twice = names.iter().enumerate().any(|(at, name)| names[..at].contains(name));
        if is_alone || is_twice {
            return None;
        }
        places.iter().map(extent).collect()
    }

    /// Of three sizes the one that no name says, where two names say the others: `p` of `m, p, n`.
    fn missing_extent(&self, places: &[usize]) -> Option<SizeName> {
        let known = |place: &usize| SizeName::of(&self.names[*place]);
        let said: Vec<_> = places.iter().filter_map(known).collect();
        let all = [SizeName::M, SizeName::N, SizeName::K];
        let mut missing = all.into_iter().filter(|one| !said.contains(one));
        let one = missing.next().filter(|_| places.len() == 3 && missing.next().is_none())?;
        Some(one)
    }

    /// The elements of a matrix, for a parameter `sarek_a_length`: what Sarek passes for a vector `a` of
    /// OCaml beside the pointer.
    fn length(&self, name: &str) -> Option<&'static str> {
        let vector = name.strip_prefix("sarek_")?.strip_suffix("_length")?;
        self.names.iter().any(|other| other == vector).then_some(())?;
        Some(match operand_of(vector)? {
            Operand::A => "M*K",
            Operand::B => "K*N",
            Operand::C => "M*N",
        })
    }

    /// Whether the parameter that stands for each matrix in these words has that matrix's name.
    pub(super) fn is_named(&self, words: &str) -> bool {
        let of = |word: &str| Operand::ALL.into_iter().find(|operand| operand.name() == word);
        let mut all = words.split(',').zip(&self.names);
        all.all(|(word, name)| of(word).is_none_or(|of| operand_of(name) == Some(of)))
    }

    /// What the source declares the elements of a matrix to be, among these arguments.
    pub(super) fn declared_as(&self, args: &[Arg], operand: Operand) -> Option<ElementType> {
        let is_it = |arg: &Arg| arg.pointers().iter().any(|(_, of)| *of == operand);
        let in_ptx = args.iter().position(is_it)?;
        let place = self.places.iter().position(|place| *place == in_ptx)?;
        self.declared.get(place).copied().flatten().map(|declared| declared.of)
    }

    /// The number that the host's code gives for a parameter, or else its default.
    fn word(&self, place: usize) -> Option<&String> {
        self.called.word(place).or_else(|| self.defaults.get(place)?.as_ref())
    }

    /// Whether the parameters' names are known.
    fn has_names(&self) -> bool {
        self.names.len() == self.params.len()
    }
}

/// Whether a list of words has a matrix, or a tensor map of it.
fn is_among(words: &str, operand: Operand) -> bool {
    let is_it = |word: &str| {
        let map = word.trim_start_matches('*').strip_prefix("tensormap:");
        word == operand.name() || map.is_some_and(|map| map.starts_with(operand.name()))
    };
    words.split(',').any(is_it)
}

/// The matrix that a name stands for: `A`, `d_A`, `matA`, `tensorMapA`.
pub fn operand_of(name: &str) -> Option<Operand> {
    let name = name.replace('_', "").to_lowercase();
    let prefixes = [
        "matrix",
        "mat",
        "device",
        "dev",
        "gpu",
        "d",
        "g",
        "tensormap",
        "tmamap",
        "tma",
        "map",
        "desc",
        "tmadesc",
        "descriptor",
    ];
    let stripped = prefixes
        .into_iter()
        .find_map(|prefix| name.strip_prefix(prefix).filter(|rest| rest.len() == 1));
    let plain = stripped.unwrap_or(&name);
    Operand::ALL.into_iter().find(|operand| operand.name().to_lowercase() == plain)
}

/// Parts of the names of kernels that multiply a matrix by a vector.
const VECTORS: [&str; 3] = ["gemv", "matvec", "vecmul"];

/// Parts of the names of those that multiply matrices, whatever else they do.
const PRODUCTS: [&str; 6] = ["gemm", "matmul", "mmul", "matrixmul", "mul", "mm"];

/// Whether the name of a kernel says that it computes a product of matrices.
pub fn names_product(kernel: &str) -> bool {
    let plain = kernel.replace('_', "").to_lowercase();
    let has_part = |parts: &[&str]| parts.iter().any(|part| plain.contains(part));
    has_part(&PRODUCTS) && !has_part(&VECTORS)
}

/// The word for a parameter that is called like a leading dimension.
fn lead(name: &str) -> Option<&'static str> {
    match &*name.replace('_', "").to_lowercase() {
        "lda" | "stridea" | "pitcha" | "astride" => Some("lda"),
        "ldb" | "strideb" | "pitchb" | "bstride" => Some("ldb"),
        "ldc" | "stridec" | "pitchc" | "cstride" => Some("ldc"),
        _ => None,
    }
}

/// Whether the type takes a float and not an integer.
fn is_float(ty: Type) -> bool {
    matches!(ty, Type::F32 | Type::F64)
}

#[cfg(test)]
mod tests;
