"""Expectations, and waiting for them: nothing in the suite sleeps for a fixed time instead."""

import time


class Failure(Exception):
    """An expectation that did not come true: what was expected, and what was seen instead."""

    def __init__(self, expected, seen):
        super().__init__(f"expected: {expected}\nseen:     {seen}")


class NotYet(Exception):
    """Raised by a condition that does not hold yet; says what it saw."""


def expect(holds, expected, seen=""):
    """Raises Failure unless `holds`."""
    if not holds:
        raise Failure(expected, seen)


def expect_equal(seen, expected, what):
    expect(seen == expected, f"{what}: {expected}", seen)


def until(what, condition, seconds=30.0, every=0.05):
    """Polls `condition` until it returns something true, and returns that.

    A condition that does not hold returns something false or raises NotYet. Raises Failure with what
    was seen last once `seconds` have passed.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            result = condition()
            if result:
                return result
            seen = result
        except NotYet as not_yet:
            seen = not_yet
        if time.monotonic() > deadline:
            raise Failure(f"{what}, within {seconds:g} s", seen)
        time.sleep(every)


def seconds_until(what, condition, at_most, every=0.02):
    """Like until(), but returns how long it took; Failure when longer than `at_most`."""
    started = time.monotonic()
    until(what, condition, at_most, every)
    return time.monotonic() - started
