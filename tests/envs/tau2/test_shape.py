"""Numbers are read as pydantic reads them, and refused in its words."""

from __future__ import annotations

import math

import pytest

from gem_ma.envs.tau2.shape import Shape, Wrong, number, whole

READ = [True, 2.0, -0.0, 2**70, "3", " 4\n", "+5", "007", "1_000", "5.00", "9" * 30 + ".0"]
REFUSED = [
    *(None, [], {}, 2.5, 1e19, -1e300, math.inf, math.nan),
    *("", "x", "5.", ".0", "5.5", "1e3", "_1", "1__0", "- 1", "٣", "nan", "9" * 5000),
]
PARSED = [False, 3, 2**1000, "1e3", ".5", "5.", " -2.5\t", "inf", "-Infinity", "NaN", "1e999"]
REJECTED = [None, [], {}, 10**400, "", "x", "1e", "1,5", "٣", "0x10", "--1"]


@pytest.mark.parametrize(
    ("kind", "reader", "values"),
    [(int, whole, READ + REFUSED), (float, number, PARSED + REJECTED)],
)
def test_numbers_are_pydantics(kind, reader, values):
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Model", field=kind)
    for value in values:
        try:
            expected = repr(model(field=value).field)
        except pydantic.ValidationError as error:
            (fault,) = error.errors()
            expected = f"{fault['type']}: {fault['msg']}"
        assert _read(reader, value) == expected


def _read(reader, value):
    try:
        return repr(reader(value))
    except Wrong as error:
        return f"{error.faults[0].kind}: {error}"


@pytest.mark.parametrize(
    ("reader", "read", "refused"), [(whole, READ, REFUSED), (number, PARSED, REJECTED)]
)
def test_numbers_are_read_or_refused(reader, read, refused):
    for value in read:
        reader(value)
    for value in refused:
        with pytest.raises(Wrong):
            reader(value)


def test_a_record_may_have_any_field_that_a_model_writes():
    assert Shape("One", a=whole).make(a=1, self=2) == {"a": 1}
