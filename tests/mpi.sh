#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Ranks that are processes of MPI, where mpirun is: random programs, and ilexc
# under mpirun, whose output is that of one process.
set -eu
build=$(pwd)
srcdir=$(cd "${srcdir:-.}" && pwd)
: "${MPIRUN:=mpirun}"
command -v "$MPIRUN" >/dev/null 2>&1 || { echo "no $MPIRUN"; exit 77; }
[ -e ilex-mpi.so ] || { echo "ilex-mpi.so was not built"; exit 77; }
ILEX_MPI=$build/ilex-mpi.so
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1
CK_FORK=no
export ILEX_MPI OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM \
    OMPI_MCA_rmaps_base_oversubscribe CK_FORK
work=$(mktemp -d "${TMPDIR:-/tmp}/ilex-mpi.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
bad=0

ranks() {
    n=$1
    shift
    timeout 200 "$MPIRUN" -n "$n" "$@" </dev/null
}

for n in 3 4
do
    for programs in ranks_random ranks_mesh_random messages_random
    do
        ranks $n ./tests/unit/test_$programs 150 $((n * 1000)) $n \
            >"$work/random" 2>&1 || {
            echo "random programs ($programs) on $n ranks:"
            tail -n 20 "$work/random"
            bad=1
        }
    done
done

cat >"$work/smooth.ilx" <<'END'
ilex 1
program smooth
size n, m
in u : f64[I:n, J:m] halo(I:1:1, J:1:1)
out v = u + 0.1*(u[I-1] + u[I+1] + u[J-1] + u[J+1] - 4.0*u)
END
run="./ilexc run $work/smooth.ilx --size n=40,m=33 --in u=random:1 --steps 6 --swap u=v"
$run --out v=@"$work/one.npy"
ranks 4 $run --grid I:2,J:2 --out v=@"$work/four.npy"
cmp "$work/one.npy" "$work/four.npy" || bad=1

# A rank that is killed, at some time of the run or before it: the job ends, soon,
# and no process is left. ILEX_KILLS says how often.
cat >"$work/rank" <<END
#!/bin/sh
echo \$\$ >>$work/pids
exec $run --grid I:3 --steps 1000000 --out v=@$work/never.npy
END
chmod +x "$work/rank"
alive() {
    left=0
    while read -r pid
    do kill -0 "$pid" 2>/dev/null && left=$((left + 1))
    done <"$work/pids"
    [ $left -gt 0 ]
}
kills=0
while [ $kills -lt "${ILEX_KILLS:-3}" ]
do
    kills=$((kills + 1))
    : >"$work/pids"
    ranks 3 "$work/rank" >"$work/killed" 2>&1 &
    job=$!
    while [ "$(wc -l <"$work/pids")" -lt 3 ]
    do sleep 0.02
    done
    sleep "0.$(awk -v s=$kills 'BEGIN { srand(s); printf "%03d", 700*rand() }')"
    kill -9 "$(sed -n "$((kills % 3 + 1))p" "$work/pids")" 2>/dev/null || :
    wait $job && { echo "kill $kills: the job says that all is well"; bad=1; }
    tries=0
    while alive && [ $tries -lt 50 ]
    do
        tries=$((tries + 1))
        sleep 0.1
    done
    if alive || [ -e "$work/never.npy" ]
    then
        echo "kill $kills: $left processes are left"
        bad=1
    fi
done

# The first program of doc/ranks.md, as somebody types it.
if command -v "${MPICC:=mpicc}" >/dev/null 2>&1 && [ -e .libs/libilex.so ]
then
    sed -n '/^```c$/,/^```$/p; /^```c$/,/^```$/{ /^```$/q; }' \
        "$srcdir/doc/ranks.md" | sed '/^```/d' >"$work/smooth.c"
    "$MPICC" -Wall -Wextra -Werror "$work/smooth.c" -I"$srcdir/include" \
        -L.libs -lilex -Wl,-rpath,"$build/.libs" -o "$work/smooth"
    ranks 2 "$work/smooth" | sort >"$work/said"
    printf 'rank %s: done, 10 messages\n' 0 1 | cmp - "$work/said" || bad=1
fi

# One that goes away before the others are done is an error for these.
if ranks 3 $run --grid I:2,J:2 >"$work/said" 2>&1
then
    echo "a grid of four ranks on three processes was taken"
    bad=1
fi
grep -q "are 4 in all; the group has 3" "$work/said" || {
    cat "$work/said"
    bad=1
}
exit $bad
