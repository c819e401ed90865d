//! NVRTC's eight functions, bound at run time to the library that was found, of any version.

use super::library::{self, LoadedLibrary, NVRTC};
use crate::timing::GpuError;
use crate::timing::NvrtcStage;
use libloading::Symbol;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

type Program = *mut c_void;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type AddName = unsafe extern "C" fn(Program, *const c_char) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Length = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;

/// A text to compile.
#[derive(Clone, Copy, Debug, Default)]
pub struct TranslationUnit<'s> {
    /// CUDA C++.
    pub source: &'s str,
    /// The file name in `.file` and in messages.
    pub name: &'s str,
    /// Headers, by the names that include them.
    pub headers: &'s [(String, String)],
    /// Templates to instantiate: `mm<16, float>`.
    pub instances: &'s [String],
}

/// The compiler, loaded.
#[derive(Debug)]
pub struct Nvrtc {
    found: LoadedLibrary,
}

/// An NVRTC program, destroyed on drop.
struct Compilation<'a> {
    nvrtc: &'a Nvrtc,
    program: Program,
}

impl Nvrtc {
    /// Loads NVRTC (about 100 MB mapped, 65 ms); `None` if this machine does not have it.
    ///
    /// # Errors
    /// `MATVIZ_NVRTC` names a file that cannot be loaded.
    pub fn find() -> Result<Option<Self>, GpuError> {
        Ok(library::open(&NVRTC)?.map(|found| Self { found }))
    }

    /// The file from which it was loaded.
    pub fn path(&self) -> &Path {
        &self.found.path
    }

    /// Its version: (major, minor).
    ///
    /// # Errors
    /// The library is not NVRTC.
    pub fn version(&self) -> Result<(u32, u32), GpuError> {
        let function = self.function::<Version>(c"nvrtcVersion")?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: two valid places for two ints, as nvrtcVersion asks.
        check(unsafe { function(&raw mut major, &raw mut minor) }, NvrtcStage::Load)?;
        Ok((major as u32, minor as u32))
    }

    /// Compiles CUDA C++ to PTX.
    ///
    /// # Errors
    /// [`GpuError::Compile`] with NVRTC's log if the source does not compile.
    pub fn compile(&self, unit: TranslationUnit<'_>, flags: &[String]) -> Result<String, GpuError> {
        let TranslationUnit { source, name, headers, instances } = unit;
        let named = texts(headers.iter().map(|(name, _)| name))?;
        let included = texts(headers.iter().map(|(_, header)| header))?;
        let own = (&*text(source)?, &*text(name)?);
        let compilation = Compilation::new(self, own, &named, &included)?;
        for instance in instances {
            compilation.instantiate(&text(instance)?)?;
        }
        if compilation.compile(&texts(flags)?)? == 0 {
            compilation.text(c"nvrtcGetPTXSize", c"nvrtcGetPTX")
        } else {
            let log = compilation.text(c"nvrtcGetProgramLogSize", c"nvrtcGetProgramLog")?;
            Err(GpuError::Compile { file: name.to_owned(), log: log.trim().to_owned() })
        }
    }

    fn function<F>(&self, name: &CStr) -> Result<Symbol<'_, F>, GpuError> {
        // SAFETY: `F` is the type that nvrtc.h gives to `name`, unchanged since CUDA 11.
        unsafe { self.found.library.get(name.to_bytes_with_nul()) }
            .map_err(|error| GpuError::Nvrtc { stage: NvrtcStage::Load, reason: error.to_string() })
    }
}

impl<'a> Compilation<'a> {
    /// A program of this source and name, with as many headers as names.
    fn new(
        nvrtc: &'a Nvrtc,
        (source, name): (&CStr, &CStr),
        names: &[CString],
        headers: &[CString],
    ) -> Result<Self, GpuError> {
        let create = nvrtc.function::<Create>(c"nvrtcCreateProgram")?;
        let mut program: Program = std::ptr::null_mut();
        let place = &raw mut program;
        let (names, headers) = (pointers(names), pointers(headers));
        let count = names.len().min(headers.len()) as c_int;
        // SAFETY: strings that outlive the call, as many headers and names as are counted, a valid
        // place for the handle.
        let status = unsafe {
            create(place, source.as_ptr(), name.as_ptr(), count, headers.as_ptr(), names.as_ptr())
        };
        check(status, NvrtcStage::Create)?;
        Ok(Self { nvrtc, program })
    }

    /// Has a template compiled with these arguments.
    fn instantiate(&self, instance: &CStr) -> Result<(), GpuError> {
        let add = self.nvrtc.function::<AddName>(c"nvrtcAddNameExpression")?;
        // SAFETY: a live program that is not compiled yet, and a string that outlives the call.
        check(unsafe { add(self.program, instance.as_ptr()) }, NvrtcStage::Create)
    }

    /// The compiler's status: 0 if the source compiled.
    fn compile(&self, flags: &[CString]) -> Result<c_int, GpuError> {
        let compile = self.nvrtc.function::<Compile>(c"nvrtcCompileProgram")?;
        let flags = pointers(flags);
        // SAFETY: a live program and the counted number of strings, borrowed for the call.
        Ok(unsafe { compile(self.program, flags.len() as c_int, flags.as_ptr()) })
    }

    /// A text of the program: its PTX or its log.
    fn text(&self, length: &CStr, text: &CStr) -> Result<String, GpuError> {
        let length = self.nvrtc.function::<Length>(length)?;
        let text = self.nvrtc.function::<Text>(text)?;
        let mut bytes = 0;
        // SAFETY: a live program and a valid place for the size.
        check(unsafe { length(self.program, &raw mut bytes) }, NvrtcStage::Read)?;
        let mut buffer = vec![0_u8; bytes];
        // SAFETY: the buffer has the size that NVRTC has just reported, NUL included.
        check(unsafe { text(self.program, buffer.as_mut_ptr().cast()) }, NvrtcStage::Read)?;
        buffer.retain(|byte| *byte != 0);
        Ok(String::from_utf8_lossy(&buffer).into_owned())
    }
}

impl Drop for Compilation<'_> {
    fn drop(&mut self) {
        if let Ok(destroy) = self.nvrtc.function::<Destroy>(c"nvrtcDestroyProgram") {
            // SAFETY: the program is live and is not used again.
            unsafe { destroy(&raw mut self.program) };
        }
    }
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).collect()
}

fn texts<'t>(all: impl IntoIterator<Item = &'t String>) -> Result<Vec<CString>, GpuError> {
    all.into_iter().map(|one| text(one)).collect()
}

fn text(text: &str) -> Result<CString, GpuError> {
    CString::new(text).map_err(|error| GpuError::Nvrtc {
        stage: NvrtcStage::Create,
        reason: format!("the source holds a NUL byte at {}", error.nul_position()),
    })
}

fn check(status: c_int, stage: NvrtcStage) -> Result<(), GpuError> {
    if status == 0 {
        Ok(())
    } else {
        Err(GpuError::Nvrtc { stage, reason: format!("nvrtcResult {status}") })
    }
}
