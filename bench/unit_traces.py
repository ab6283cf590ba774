"""Traces with units, and traces full of reads, for bench/run: Tiddle text on standard output.

    bench/unit_traces.py units EVENTS       16 threads, 64 locks, 10,000 objects with 4 fields, a unit for each 10 events
    bench/unit_traces.py reads EVENTS       3 threads, 45 locations, few locks: many values that reads could see

Seeded: the same words give the same trace.
"""

import random
import sys

THREADS = 16
LOCKS = 64
OBJECTS = 10_000


def unit(thread):
    """A unit under one lock, and something of the thread's own behind it; locks as pairs."""
    label = random.randrange(100)
    lock = random.randrange(LOCKS)
    yield f"beg {thread} u{label}"
    yield ("acq", lock)
    for _ in range(5):
        number = lock + LOCKS * random.randrange(OBJECTS // LOCKS)
        operation = "rd" if random.random() < 0.7 else "wr"
        yield f"{operation} {thread} o{number}.f{random.randrange(4)}"
    yield ("rel", lock)
    yield f"end {thread} u{label}"
    yield f"wr {thread} own{thread}.f{random.randrange(100)}"


def units(events):
    waiting = {}  # by thread: what it does next, if that has to wait for a lock
    running = [unit(thread) for thread in range(THREADS)]
    held = set()
    count = 0
    while count < events:
        thread = random.randrange(THREADS)
        for _ in range(random.randrange(1, 8)):
            step = waiting.pop(thread, None) or next(running[thread], None)
            if step is None:
                running[thread] = unit(thread)
                step = next(running[thread])
            if isinstance(step, tuple):
                operation, lock = step
                if operation == "acq" and lock in held:
                    waiting[thread] = step
                    break
                (held.add if operation == "acq" else held.remove)(lock)
                step = f"{operation} {thread} l{lock}"
            yield step
            count += 1


def reads(events):
    locations = range(45)
    popularity = [1 / (i + 1) for i in locations]
    held = {}  # by thread
    thread = 0
    for _ in range(events):
        if random.random() < 0.1:
            thread = random.randrange(3)
        chance = random.random()
        if thread in held and chance < 0.25:
            yield f"rel {thread} l{held.pop(thread)}"
            continue
        lock = random.randrange(4)
        if thread not in held and chance < 0.1 and lock not in held.values():
            held[thread] = lock
            yield f"acq {thread} l{lock}"
            continue
        location = random.choices(locations, popularity)[0]
        yield f"{'wr' if random.random() < 0.3 else 'rd'} {thread} x{location}"


def main():
    shape, events = sys.argv[1], int(sys.argv[2])
    random.seed(1)
    lines = []
    for line in (units if shape == "units" else reads)(events):
        lines.append(line)
        if len(lines) == 100_000:
            print("\n".join(lines))
            lines.clear()
    print("\n".join(lines))


if __name__ == "__main__":
    main()
