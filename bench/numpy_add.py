# SPDX-License-Identifier: MIT
#
# np.add for bench/storage: for each line "COUNT OUT" on standard input the
# seconds of one np.add on COUNT elements, into a new array or, if OUT is 1,
# into a given one.
import sys
import time

import numpy as np

print(np.__version__, flush=True)
for line in sys.stdin:
    count, given = (int(word) for word in line.split())
    x = np.full(count, 2.0)
    y = np.full(count, 3.0)
    out = np.empty(count) if given else None
    repeats = range(20000 if count < 1000 else 200)
    add = np.add
    start = time.perf_counter()
    if given:
        for _ in repeats:
            add(x, y, out)
    else:
        for _ in repeats:
            add(x, y)
    print((time.perf_counter() - start) / len(repeats), flush=True)
