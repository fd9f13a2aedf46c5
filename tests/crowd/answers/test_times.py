"""Times of platforms in one form."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.answers.times import iso


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Tue Nov 13 09:10:11 PST 2018", "2018-11-13T17:10:11Z"),
        ("Fri Jun  1 23:59:59 PDT 2018", "2018-06-02T06:59:59Z"),
        ("2024-05-01T10:02:00.500Z", "2024-05-01T10:02:00Z"),
        ("2024-05-01 10:02:00", "2024-05-01T10:02:00Z"),
        (" 2024-05-01T10:02:00+02:00 ", "2024-05-01T08:02:00Z"),
        ("yesterday", "yesterday"),
        ("Tue Nov 31 09:10:11 PST 2018", "Tue Nov 31 09:10:11 PST 2018"),
        ("Tue Nov 13 09:10:11 XYZ 2018", "Tue Nov 13 09:10:11 XYZ 2018"),
        ("0001-01-01T00:00:00+23:00", "0001-01-01T00:00:00+23:00"),
        ("", ""),
    ],
)
def test_times(written: str, read: str) -> None:
    assert iso(written) == read


@given(st.datetimes(timezones=st.timezones()), st.datetimes(timezones=st.timezones()))
def test_the_order_of_the_texts_is_the_order_in_time(one: datetime, other: datetime) -> None:
    texts = [iso(time.isoformat()) for time in (one, other)]
    if all(text.endswith("Z") for text in texts):
        first, second = (time.astimezone(UTC).replace(microsecond=0) for time in (one, other))
        assert (texts[0] < texts[1]) == (first < second)
