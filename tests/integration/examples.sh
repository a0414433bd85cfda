#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The main job: runs examples/terrain as `quickstart` does and looks at what
# it says and writes; and every .ilx example is in canonical layout.
set -u
top=$(cd "${srcdir:-.}" && pwd)
build=$PWD
dir=$(mktemp -d "${TMPDIR:-/tmp}/examples.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
cd "$dir" || exit 99
bad=0

complain() {
    echo "$*"
    bad=1
}

"$build/examples/terrain" "$top/examples" >table 2>&1 ||
    complain "terrain: exit status $?"
cat table
grep -q '^before  *130.1879 ' table || complain 'the mean before is wrong'
grep -q '^after  *130.2[0-9]* *9[34]\.[0-9]* *191\.' table ||
    complain 'the heights after are wrong'
grep -q '^tcc\|^cc\|^reference' table || complain 'no back end ran'
for picture in before after
do
    if [ -e $picture.png ]; then
        size=$(wc -c <$picture.png)
        [ "$size" -gt 20000 ] || complain "$picture.png has $size bytes"
    else
        grep -q 'libpng' table || complain "there is no $picture.png"
    fi
done

# Prices of calls with the strikes given, by the formula of Black and Scholes for
# a spot of 100, a rate of 0.05, a volatility of 0.2 and one year: the mean over
# random paths is as near as its own error says, the same on every back end.
for call in 90:16.69944840841599 100:10.450583572185565 110:6.040088129724225
do
    "$build/ilexc" run "$top/examples/black_scholes.ilx" \
        --size paths=50000,n=1 --in key=constant:42 --in spot=constant:100 \
        --in rate=constant:0.05 --in volatility=constant:0.2 \
        --in years=constant:1 --in strike=constant:"${call%:*}" \
        --out price=- --out error=- --check=reference >call 2>&1 ||
        complain "black_scholes: $(cat call)"
    awk -v want="${call#*:}" -F '[][]' '
        /^\[/ { value[++n] = $2 }
        END {
            off = value[1] - want
            off = off < 0 ? -off : off
            exit !(n == 2 && value[2] > 0 && value[2] < 0.1 &&
                   off < 4*value[2])
        }' call || complain "black_scholes: not ${call#*:}: $(cat call)"
done

# The pressure after 100 steps, by the same formulas in NumPy.
"$build/examples/shallow_water" 16 100 >water 2>&1 || complain "$(cat water)"
grep -q 'pressure 49990.055426 to 50009.649803, mean square 2.536276e+01,' \
    water || complain "shallow_water: $(cat water)"
# A square membrane under a load of 1 is 0.07367 high in the middle.
"$build/examples/conjugate_gradients" 80 >height 2>&1 ||
    complain "$(cat height)"
grep -q 'the middle is 0.0736[0-9]* high' height || complain "$(cat height)"

# A solver of one's own between the loops: heat in a rod becomes a straight line.
"$build/examples/solver" >rod 2>&1 || complain "solver: $(cat rod)"
grep -q '^200 implicit steps: [0-9.]*e-[01][0-9] from the straight line' rod ||
    complain "solver: $(cat rod)"

# A function of one's own in a recurrence: pressure and density of the ocean.
"$build/examples/seawater" >sea 2>&1 || complain "seawater: $(cat sea)"
grep -q '^  2400 m  24.32 MPa 1039.05 kg/m3' sea || complain "seawater: $(cat sea)"

# A language of one's own: squares have the second difference 2, and a shift
# that reads too far is an error of its own line.
"$build/examples/toy_dsl" >toy 2>&1 || complain "toy_dsl: $(cat toy)"
grep -q '^1.2 4.2 9.2 16.2 25.2 36.2 49.2 64.2 $' toy &&
    grep -q 'reads u at I=.* it is read at too_wide:1:7$' toy &&
    grep -q '^misspelt:2:9: nothing of this name' toy ||
    complain "toy_dsl: $(cat toy)"

# An unstructured mesh in no order gives the differences of a regular one, and a
# picture of them.
"$build/examples/nabla" 30 slope.png >mesh 2>&1 || complain "$(cat mesh)"
grep -q '^900 vertices, 1740 edges: central differences to [0-9.]*e-1[2-9]' \
    mesh || complain "nabla: $(cat mesh)"

# Blocks of a matrix go round a ring of ranks.
"$build/examples/ring" 5 20 >ring 2>&1 || complain "ring: $(cat ring)"
grep -q '^5 blocks of 20 rows; rank 0 sent 4 messages; right to 1e-10: yes$' \
    ring || complain "ring: $(cat ring)"

# Fluxes between the points are the same operations: bit for bit.
for program in hdiff staggered
do
    "$build/ilexc" run "$top/examples/$program.ilx" --size ni=24,nj=17,nk=8 \
        --in u=random:5 --in coeff=random:6 --out v=@$program.npy \
        >flux 2>&1 || complain "$program: $(cat flux)"
done
cmp hdiff.npy staggered.npy || complain 'staggered is not hdiff'
"$build/ilexc" run "$top/examples/rim.ilx" --out slope=@slope.npy \
    --in h=@"$top/examples/data/maunga_whau_10m.npy" --check=reference \
    >rim 2>&1 || complain "rim: $(cat rim)"

for program in "$top"/examples/*.ilx
do
    "$build/ilexc" fmt "$program" >neat.ilx
    cmp -s "$program" neat.ilx ||
        complain "$program: not laid out as \`ilexc fmt\` does"
done
exit $bad
