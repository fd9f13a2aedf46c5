"""Times as platforms write them, made ISO 8601 in UTC, so that their order as text is their order in time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

_MTURK = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) ([A-Z]{2,5}) (\d{4})", re.ASCII)
_MONTHS = " JanFebMarAprMayJunJulAugSepOctNovDec"
_ZONES = {"PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "CST": -6, "CDT": -5, "EST": -5, "EDT": -4, "GMT": 0, "UTC": 0}


@lru_cache(maxsize=4096)
def iso(time: str) -> str:
    """Return the time in UTC to the second; if it cannot be read, as it stands. A time without a zone is UTC.

    >>> iso("Tue Nov 13 09:10:11 PST 2018")
    '2018-11-13T17:10:11Z'
    >>> iso("2024-05-01 12:00:00.250+02:00")
    '2024-05-01T10:00:00Z'
    """
    time = time.strip()
    try:
        mturk = _MTURK.fullmatch(time)
        if mturk:
            month, day, hour, minute, second, zone, year = mturk.groups()
            offset = timezone(timedelta(hours=_ZONES[zone]))
            # the months begin at places 1, 4, 7, ... of _MONTHS
            moment = datetime(
                int(year), _MONTHS.index(month) // 3 + 1, int(day), int(hour), int(minute), int(second), tzinfo=offset
            )
        else:
            moment = datetime.fromisoformat(time)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
    except (ValueError, KeyError, OverflowError):
        return time
