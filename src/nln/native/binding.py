"""Call C functions with NumPy arrays, and with tuples of arrays as C structures.

An array goes over as its pointer and three sizes (`arrays.h`), a named tuple as its fields one after the other. Types
and contiguity are checked here and nowhere else. What is passed often is bound once: `bound = RECORD.bind(value)`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from struct import Struct
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from nln.native.building import WIDE
from nln.native.loading import load_library, processor_level

T = TypeVar("T")
_DESCRIPTOR = Struct("4q")
_first_byte: Callable[[Any], ctypes.c_char] = ctypes.c_char.from_buffer


def _address(value: npt.NDArray[Any]) -> int:
    """Where the numbers of an array lie. `value.ctypes.data` says so too, but takes several times as long."""
    try:
        return ctypes.addressof(_first_byte(value))
    except (TypeError, ValueError):  # an array that is read only, or empty
        return int(value.ctypes.data)


class ArrayOf:
    """Arrays of one type, or of one of several; C gets the width of the numbers in the latter case."""

    format = "4q"

    def __init__(self, *types: npt.DTypeLike) -> None:
        self.types = tuple(np.dtype(t) for t in types)

    def __repr__(self) -> str:
        return " or ".join(t.name for t in self.types)

    def checked(self, value: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Refuse an array that C would read wrongly."""
        if value.dtype not in self.types or not value.flags.c_contiguous:
            got = f"got {value.dtype} of strides {value.strides}"
            raise TypeError(f"A kernel takes a contiguous array of {self!r}, {got}.")
        return value

    def numbers(self, value: npt.NDArray[Any]) -> tuple[int, ...]:
        """Pointer and shape, 1 beyond the dimensions."""
        value = self.checked(value)
        if len(self.types) > 1:
            return _address(value), value.shape[0], value.itemsize, 0
        return (_address(value), *value.shape, 1, 1)[:4]

    def __call__(self, value: npt.NDArray[Any]) -> bytes:
        """What is passed to C, which lives as long as the call."""
        return _DESCRIPTOR.pack(*self.numbers(value))


class Whole:
    """A whole number or a truth value."""

    format, type = "q", ctypes.c_int64
    numbers = staticmethod(lambda value: (int(value),))
    __call__ = staticmethod(int)


class Real:
    """A number in double precision."""

    format, type = "d", ctypes.c_double
    numbers = staticmethod(lambda value: (float(value),))
    __call__ = staticmethod(float)


class CodesOf(ArrayOf):
    """Slots of features, of one byte or of two: kernels that take them are compiled for both."""

    has_codes = True

    def numbers(self, value: npt.NDArray[Any]) -> tuple[int, ...]:
        """Pointer and shape, 1 beyond the dimensions."""
        return (_address(self.checked(value)), *value.shape, 1, 1)[:4]


SINGLES, DOUBLES, INTEGERS, SMALL = ArrayOf(np.float32), ArrayOf(np.float64), ArrayOf(np.int64), ArrayOf(np.int32)
CODES, BYTES, FLAGS = CodesOf(np.uint8, np.uint16), ArrayOf(np.uint8), ArrayOf(np.bool_)
COUNTS = ArrayOf(np.uint8, np.uint16, np.uint32)
WHOLE, REAL = Whole(), Real()


class Bound(Generic[T]):
    """A tuple of arrays as C takes it; the tuple is kept, and so are its arrays."""

    __slots__ = ("packed", "value")

    def __init__(self, value: T, packed: bytes) -> None:
        self.value, self.packed = value, packed


class Record:
    """A C structure made of a named tuple: its fields in their order, without those that are None."""

    def __init__(self, **fields: ArrayOf | Whole | Real | None) -> None:
        self.fields = tuple(fields)
        self._parts = [(i, part) for i, part in enumerate(fields.values()) if part is not None]
        self._packing = Struct("=" + "".join(part.format for _, part in self._parts))

    @property
    def has_codes(self) -> bool:
        """Whether the tuple holds codes, under this name."""
        return "codes" in self.fields

    @property
    def size(self) -> int:
        """Size in bytes, which must be that of the C structure."""
        return self._packing.size

    def bind(self, value: T) -> Bound[T]:
        """Turn a tuple of arrays into a structure; changes within its arrays are seen, other arrays are not."""
        if value._fields != self.fields:  # type: ignore[attr-defined]
            raise TypeError(f"A kernel takes a tuple of {self.fields}, got {type(value).__name__}.")
        numbers: list[float] = []
        for i, part in self._parts:
            numbers += part.numbers(value[i])  # type: ignore[index]
        return Bound(value, self._packing.pack(*numbers))

    def __call__(self, value: T | Bound[T]) -> bytes:
        """What is passed to C: of a tuple that is not bound yet, for the time of the call."""
        return value.packed if isinstance(value, Bound) else self.bind(value).packed


class Optional:
    """A record, or None, for which C gets a null pointer."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def __call__(self, value: Any) -> bytes | None:
        """What is passed to C."""
        return None if value is None else self.record(value)


Part = ArrayOf | Whole | Real | Record | Optional


def _are_wide(value: Any) -> bool:
    """Whether codes, or those of a tuple of arrays, have two bytes."""
    value = value.value if isinstance(value, Bound) else value
    return bool(getattr(value, "codes", value).itemsize == 2)


def kernel(name: str, *parts: Part, result: type[int] | type[float] | None = None) -> Callable[..., Any]:
    """Return the C function of this name, which takes the parts given; the library is loaded at the first call.

    Python's lock is free while it runs.
    """
    returned = {int: ctypes.c_int64, float: ctypes.c_double, None: None}[result]
    coded = next((i for i, part in enumerate(parts) if isinstance(part, Record | CodesOf) and part.has_codes), None)
    called: dict[bool, Any] = {}

    def prepare(wide: bool) -> Any:
        function = getattr(load_library(), f"{processor_level()}{WIDE if wide else ''}_{name}")
        function.restype = returned
        function.argtypes = [part.type if isinstance(part, Whole | Real) else ctypes.c_char_p for part in parts]
        called[wide] = function
        return function

    def call(*arguments: Any) -> Any:
        wide = coded is not None and _are_wide(arguments[coded])
        function = called.get(wide) or prepare(wide)
        return function(*[part(argument) for part, argument in zip(parts, arguments, strict=True)])

    call.__name__ = name
    return call
