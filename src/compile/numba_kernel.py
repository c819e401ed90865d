"""Runs a Python file up to its Numba kernels, and prints one of them as JSON: its PTX, its parameters,
its shared arrays, and the launches of the file, which are caught and not executed.

Reads from its standard input one JSON object: path, text, entry, sig (null if nobody gives them), and
the seconds that the file may run. It needs the user's numba, and no GPU.
"""

import ast
import inspect
import json
import os
import re
import sys
import threading
import types as python_types

CC = (8, 0)

# As matviz calls the types of elements, with Numba's names and those of C.
ELEMENTS = {
    "float32": "f32", "float64": "f64", "float16": "f16", "int8": "i8", "uint8": "u8",
    "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64",
    "uint64": "u64", "bool": "u8", "boolean": "u8",
}


class Failed(Exception):
    """Why there is no kernel: of which kind, what to say, and at which line of the file."""

    def __init__(self, kind, message, line=0):
        super().__init__(message)
        self.answer = {"failed": kind, "message": message, "line": line}


def element(name):
    return ELEMENTS.get(str(name), str(name))


def line_in(path, trace):
    """The last line of the file in a traceback."""
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def caller_line(path):
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == path:
            return frame.f_lineno
        frame = frame.f_back
    return 0


def load_numba():
    try:
        from numba import cuda
        from numba.cuda.dispatcher import CUDADispatcher

        return cuda, CUDADispatcher
    except ModuleNotFoundError as error:
        missing = error.name or ""
        kind = "numba" if missing.split(".")[0] in ("numba", "cuda") else "broken"
        raise Failed(kind, str(error)) from error
    except Exception as error:  # whatever an incomplete installation raises
        raise Failed("broken", str(error).strip().splitlines()[0]) from error


class Anything:
    """Stands for what only a GPU has: events, streams, contexts."""

    def __getattr__(self, name):
        return Anything()

    def __call__(self, *args, **named):
        return Anything()

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return False

    def __iter__(self):
        return iter(())

    def __float__(self):
        return 0.0

    def __int__(self):
        return 0

    __index__ = __int__


def without_gpu(cuda):
    """Lets what the host does with a GPU pass: arrays stay on the host."""
    import numpy

    class HostArray(numpy.ndarray):
        def copy_to_host(self, ary=None, stream=0):
            copy = numpy.array(self)
            if ary is None:
                return copy
            ary[...] = copy
            return ary

        def copy_to_device(self, ary, stream=0):
            self[...] = ary

    def array(shape, dtype=numpy.float64, *args, **named):
        return numpy.zeros(shape, dtype).view(HostArray)

    def like(other, *args, **named):
        return numpy.zeros_like(numpy.asarray(other)).view(HostArray)

    def to_device(values, *args, **named):
        return numpy.array(values).view(HostArray)

    for name in ("device_array", "pinned_array", "mapped_array", "managed_array"):
        setattr(cuda, name, array)
    for name in ("device_array_like", "pinned_array_like", "mapped_array_like"):
        setattr(cuda, name, like)
    cuda.to_device = to_device
    cuda.as_cuda_array = to_device
    cuda.is_available = lambda: True
    for name in ("synchronize", "current_context", "get_current_device", "select_device", "event",
                 "stream", "default_stream", "pinned", "defer_cleanup", "event_elapsed_time",
                 "profile_start", "profile_stop", "profiling", "close", "detect", "list_devices"):
        if hasattr(cuda, name):
            setattr(cuda, name, Anything())
    cuda.gpus = Anything()


class Caught:
    """The kernels of a file, and its launches."""

    def __init__(self, path, cuda, dispatcher):
        self.path, self.cuda, self.dispatcher = path, cuda, dispatcher
        self.launches, self.signatures, self.made = [], {}, []

    def launch(self, kernel, grid, block, shared, args):
        three = lambda shape: [int(side) for side in (tuple(shape) + (1, 1))[:3]]
        as_tuple = lambda shape: shape if isinstance(shape, (tuple, list)) else (shape,)
        self.launches.append({
            "kernel": kernel, "line": caller_line(self.path), "grid": three(as_tuple(grid)),
            "block": three(as_tuple(block)), "shared": int(shared), "args": args,
        })

    def patch(self):
        caught = self

        class Configured:
            def __init__(self, kernel, grid, block, stream=0, shared=0):
                self.all = kernel, grid, block, shared

            def __call__(self, *args):
                caught.launch(*self.all, args)

        def for_all(kernel, tasks, tpb=0, stream=0, sharedmem=0):
            block = tpb or 256
            return Configured(kernel, (int(tasks) + block - 1) // block, block, 0, sharedmem)

        made = self.dispatcher.__init__

        def init(kernel, *args, **named):
            made(kernel, *args, **named)
            caught.made.append(kernel)

        self.dispatcher.__init__ = init
        self.dispatcher.__getitem__ = lambda kernel, how: Configured(kernel, *how)
        self.dispatcher.configure = lambda kernel, *how: Configured(kernel, *how)
        self.dispatcher.forall = for_all
        jit = self.cuda.jit

        def lazy(function=None, *args, **named):
            """cuda.jit, which with a signature would compile at once, for the GPU that is there."""
            if inspect.isfunction(function) or function is None:
                return jit(function, *args, **named)
            first = function[0] if isinstance(function, list) else function

            def decorate(function):
                kernel = jit(*args, **named)(function)
                caught.signatures[kernel] = first
                return kernel

            return decorate

        self.cuda.jit = lazy

    def run(self, text, seconds):
        """Runs the file as `python3 FILE` does; returns why it ended early, or None."""
        module = python_types.ModuleType("__main__")
        module.__file__ = self.path
        sys.modules["__main__"] = module
        sys.argv = [self.path]
        sys.path.insert(0, os.path.dirname(os.path.abspath(self.path)))
        import _thread
        import linecache

        linecache.cache[self.path] = (len(text), None, text.splitlines(True), self.path)
        try:
            code = compile(text, self.path, "exec")
        except SyntaxError as error:
            raise Failed("syntax", error.msg, error.lineno or 0) from error
        limit = threading.Timer(seconds, _thread.interrupt_main)
        limit.daemon = True
        limit.start()
        try:
            exec(code, module.__dict__)
        except KeyboardInterrupt:
            return {"message": f"it ran for {seconds} s", "line": 0}
        except SystemExit:
            return None
        except BaseException as error:
            said = f"{type(error).__name__}: {error}".strip().splitlines()[0]
            return {"message": said, "line": line_in(self.path, error.__traceback__)}
        finally:
            limit.cancel()
        return None


def kernel_of(caught, entry):
    """The kernel that is meant: by its name, or the only one, or the first that is launched."""
    def is_kernel(one):
        return not one.targetoptions.get("device") and (
            one.py_func.__code__.co_filename == caught.path
            or any(launch["kernel"] is one for launch in caught.launches)
        )

    kernels, names = [one for one in caught.made if is_kernel(one)], []
    for one in kernels:
        names += [one.py_func.__name__] if one.py_func.__name__ not in names else []
    if not kernels:
        return None, []
    if entry is not None:
        named = [one for one in kernels if one.py_func.__name__ == entry]
        if not named:
            raise Failed("entry", f"there is no kernel `{entry}`; the file has {', '.join(names)}")
        return named[-1], [name for name in names if name != entry]
    launched = [launch["kernel"] for launch in caught.launches if launch["kernel"] in kernels]
    if len(names) > 1 and not launched:
        raise Failed("entry", f"name a kernel by --launch: the file has the kernels {', '.join(names)}")
    chosen = launched[0] if launched else kernels[-1]
    return chosen, [name for name in names if name != chosen.py_func.__name__]


def named_types():
    """The types by Numba's names and by matviz's: float32, f4, f32."""
    import numba

    names = {name: getattr(numba, name) for name in dir(numba.types) if hasattr(numba, name)}
    names.update({name: getattr(numba.types, name) for name in dir(numba.types)})
    for name, short in ELEMENTS.items():
        if short not in ("u8",) and name in names:
            names[short] = names[name]
    names["u8"] = names["uint8"]
    return names


def signature(caught, kernel, sig):
    """The types of the parameters, and who says them."""
    from numba.core import sigutils

    names = list(inspect.signature(kernel.py_func).parameters)
    if sig is not None:
        try:
            types = eval(f"({sig},)", named_types())
        except Exception as error:
            example = ", ".join(example_of(name) for name in names)
            raise Failed("sig", f"--sig '{sig}' cannot be read ({error}): give a type for each "
                         f"parameter, for example '{example}'") from error
        types, who = tuple(types), "stated"
    elif kernel in caught.signatures:
        types, who = tuple(sigutils.normalize_signature(caught.signatures[kernel])[0]), "decorator"
    else:
        launch = next((one for one in caught.launches if one["kernel"] is kernel), None)
        if launch is not None:
            types, who = tuple(type_of(kernel, value) for value in launch["args"]), "launch"
        elif len(names) == 3 and all(map(is_matrix, names, "abc")):
            types, who = (named_types()["float32"][:, ::1],) * 3, "assumed"
        else:
            example = ", ".join(example_of(name) for name in names)
            raise Failed("sig", f"nothing says the types of {kernel.py_func.__name__}"
                         f"({', '.join(names)}): the file does not launch it here. Give them, for "
                         f"example --sig '{example}'", kernel.py_func.__code__.co_firstlineno)
    if len(types) != len(names):
        raise Failed("sig", f"{kernel.py_func.__name__} has {len(names)} parameters "
                     f"({', '.join(names)}), and {who_says(who)} gives {len(types)}")
    return types, who


def who_says(who):
    return {"stated": "--sig", "decorator": "its decorator", "launch": "its launch"}.get(who, who)


def is_matrix(name, letter):
    return re.fullmatch(rf"(d_?|dev_?|gpu_?|mat_?|matrix_?)?{letter}(_?d|_?gpu|_?dev)?", name.lower())


def example_of(name):
    if any(is_matrix(name, letter) for letter in "abc"):
        return "f32[:,::1]"
    return "i64" if re.fullmatch(r"[mnk]|.*(size|width|len|count|rows|cols|num).*", name.lower()) \
        else "f32[::1]"


def type_of(kernel, value):
    import numpy

    if isinstance(value, numpy.ndarray):
        value = value.view(numpy.ndarray)
    try:
        return kernel.typeof_pyval(value)
    except Exception:
        import numba

        return numba.typeof(value)


def parameter(name, of):
    """A parameter by its Numba type."""
    if hasattr(of, "ndim") and hasattr(of, "layout"):
        return {"name": name, "of": element(of.dtype), "dims": of.ndim, "order": of.layout}
    return {"name": name, "of": element(of), "dims": None, "order": ""}


def arrays(kernel, text):
    """The shared arrays of a kernel in order of appearance, as far as their shapes can be evaluated."""
    function, found = kernel.py_func, []
    first = function.__code__.co_firstlineno
    scope = dict(function.__globals__)
    scope.update(inspect.getclosurevars(function).nonlocals)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            begins = min([node.lineno] + [one.lineno for one in node.decorator_list])
            if begins <= first <= node.end_lineno:
                found = [declared(one, scope) for one in ast.walk(node) if isinstance(one, ast.Assign)]
    found = sorted((one for one in found if one), key=lambda one: one.pop("at"))
    return found


def declared(assign, scope):
    """The array of `sA = cuda.shared.array((16, 16), float32)`."""
    call, target = assign.value, assign.targets[0]
    if not (isinstance(call, ast.Call) and isinstance(target, ast.Name)):
        return None
    path = ast.unparse(call.func)
    if not (path.endswith("shared.array") or path.endswith("local.array")):
        return None
    value = lambda node: eval(compile(ast.Expression(node), "<shape>", "eval"), scope)
    named = {one.arg: one.value for one in call.keywords}
    shape = named.get("shape", call.args[0] if call.args else None)
    of = named.get("dtype", call.args[1] if len(call.args) > 1 else None)
    one = {"name": target.id, "at": (call.lineno, call.col_offset), "line": call.lineno,
           "space": "shared" if path.endswith("shared.array") else "local", "of": "", "shape": []}
    try:
        sides = value(shape)
        one["shape"] = [int(side) for side in (sides if isinstance(sides, tuple) else (sides,))]
        import numpy

        kind = value(of)
        try:
            one["of"] = element(numpy.dtype(kind).name)
        except TypeError:
            one["of"] = element(kind)
    except Exception:
        pass  # without a shape it keeps its name
    return one


def with_names(ptx, shared):
    """Calls the shared arrays in the PTX as the Python does: `sA` for `_cudapy_smem_1`."""
    all_names = [one["name"] for one in shared]
    for number, one in enumerate(shared, 1):
        own, name = f"_cudapy_smem_{number}", one["name"]
        free = name.isascii() and all_names.count(name) == 1 and not re.search(rf"\b{name}\b", ptx)
        if free and re.search(rf"\b{own}\b", ptx):
            ptx = re.sub(rf"\b{own}\b", name, ptx)
    return ptx


def short(error, path):
    """A message of Numba's without its explanations, and the line of the file: what it worked on."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    skipped = ("Failed in", "File \"", "<source", "During:", "The above", "This error", "To see")
    said = [line.strip() for line in text.splitlines()]
    said = [line for line in said if line and not line.startswith(skipped)]
    inner = re.search(r"Numba\w*Error: (.+)", text)
    message = inner.group(1) if inner else " ".join(said[:2]) or type(error).__name__
    line, trace = 0, error.__traceback__
    while trace is not None:
        values = trace.tb_frame.f_locals
        for one in (values.get("self"), values.get("inst"), values.get("stmt"), values.get("expr")):
            place = getattr(one, "loc", None)
            if getattr(place, "filename", None) == path and place.line:
                line = place.line
        trace = trace.tb_next
    return message, line or getattr(getattr(error, "loc", None), "line", 0)


def compiled(cuda, kernel, types, path):
    options = kernel.targetoptions
    if options.get("link"):
        raise Failed("link", "it is linked with other files (link=), of which matviz has no PTX")
    named = {"fastmath": True} if options.get("fastmath") else {}
    try:
        made = cuda.compile_ptx(kernel.py_func, types, cc=CC, lineinfo=True, **named)
    except Exception as error:
        kind = "compile" if type(error).__module__.startswith("numba") else "broken"
        message, line = short(error, path)
        raise Failed(kind, message, line) from error
    # The files by their names: their folders are this machine's.
    return re.sub(r'(\.file\s+\d+\s+")[^"]*?([^"/\\]+")', r"\1\2", made[0])


def argument(value):
    if hasattr(value, "shape") and hasattr(value, "dtype") and value.shape != ():
        return {"shape": [int(side) for side in value.shape], "number": None}
    try:
        number = float(value)
    except Exception:
        number = None
    return {"shape": None, "number": number}


def answer(wanted):
    path, text = wanted["path"], wanted["text"]
    os.environ["NUMBA_ENABLE_CUDASIM"] = "0"
    try:
        ast.parse(text, path)
    except SyntaxError as error:
        raise Failed("syntax", error.msg, error.lineno or 0) from error
    cuda, dispatcher = load_numba()
    import warnings

    warnings.simplefilter("ignore")
    without_gpu(cuda)
    caught = Caught(path, cuda, dispatcher)
    caught.patch()
    stopped = caught.run(text, wanted["seconds"])
    kernel, others = kernel_of(caught, wanted["entry"])
    if kernel is None:
        if stopped:
            raise Failed("run", stopped["message"], stopped["line"])
        raise Failed("none", "no function of it is a kernel: nothing is decorated with @cuda.jit")
    types, who = signature(caught, kernel, wanted["sig"])
    ptx = compiled(cuda, kernel, types, path)
    found = arrays(kernel, text)
    shared = [one for one in found if one["space"] == "shared"]
    names = list(inspect.signature(kernel.py_func).parameters)
    launches = [one for one in caught.launches if one["kernel"] is kernel]
    for one in launches:
        one["args"] = [argument(value) for value in one["args"]]
        del one["kernel"]
    import numba

    try:
        import numba_cuda

        version = f"numba-cuda {numba_cuda.__version__}"
    except Exception:
        version = f"numba {numba.__version__}"
    return {
        "name": kernel.py_func.__name__, "ptx": with_names(ptx, shared), "compiler": version,
        "parameters": [parameter(*one) for one in zip(names, types)], "types": who,
        "arrays": found, "launches": launches[:1], "others": others, "stopped": stopped,
    }


def main():
    wanted = json.loads(sys.stdin.buffer.read())
    # Whoever asked is gone by then, or waits no longer.
    end = threading.Timer(wanted["most"], lambda: os._exit(1))
    end.daemon = True
    end.start()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What the file prints is none of the answer.
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    try:
        said = answer(wanted)
    except Failed as failed:
        said = failed.answer
    except Exception as error:
        said = Failed("broken", f"{type(error).__name__}: {error}").answer
    json.dump(said, out)
    out.flush()
    os._exit(0)


main()
