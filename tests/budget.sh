#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The suite stays short: of the programs of `make check` none but the four parts
# of the random programs takes more than 60 seconds of a core, or, on a slower
# machine, an eighteenth of all. What is longer belongs to `make long`. Logs say
# what each took (run.sh, timed.sh).
#
#     budget.sh --table    the rows of doc/test_times.md
set -eu
LC_ALL=C
export LC_ALL
[ -z "${SANITIZE_FLAGS:-}${ILEX_TEST_WRAPPER:-}" ] || {
    echo "skipped: sanitizers and wrappers have times of their own"
    exit 77
}
for log in ${TEST_LOGS:-$(find . -name '*.log' ! -path './mutants.dir/*')}
do
    echo "$log"
done | grep -v 'budget[.]log$' | sort |
    while read -r log
    do
        [ -e "$log" ] || continue
        sed -n "s|^# times: \([0-9]*\)m\([0-9.]*\)s \([0-9]*\)m\([0-9.]*\)s.*|\1 \2 \3 \4 ${log#./}|p" \
            "$log" | tail -n 1
    done | awk -v table="${1:-}" '
    {
        sub(/[.]log$/, "", $5)
        seconds[$5] = 60 * $1 + $2 + 60 * $3 + $4
        all += seconds[$5]
        count++
    }
    END {
        if (count < 100 && !table) {
            print "skipped: only " count " tests ran"
            exit 77
        }
        limit = all / 18 > 60 ? all / 18 : 60
        for (name in seconds) {
            if (table && seconds[name] >= 5)
                printf "| `%s` | %.0f |\n", name, seconds[name]
            else if (seconds[name] > limit && name !~ /differential.part_/ && !table) {
                printf "%s: %.0f s of a core, at most %.0f\n", name, \
                    seconds[name], limit
                bad = 1
            }
        }
        if (!table)
            printf "%d tests, %.0f s of a core\n", count, all
        exit bad
    }'
