#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Words that are spelt wrong on the command line of ilexc: each row is an exit
# status, a command line, and what the message ends with.
# shellcheck source=tests/integration/expect.sh
. "${srcdir:-.}/tests/integration/expect.sh"

printf '%s\n' 'ilex 1' 'program p' 'size width' 'in first : f64[width]' \
    'out second : f64[width] = 2*first' >p.ilx

while IFS='|' read -r status line message
do
    [ -n "$line" ] || continue
    # shellcheck disable=SC2086
    expect "$status" "$message\$" $line
done <<'END'
2|rnu p.ilx|there is no verb rnu; did you mean 'run'?
2|chekc p.ilx|there is no verb chekc; did you mean 'check'?
2|hlep|there is no verb hlep; did you mean 'help'?
2|help prnt|there is no verb prnt, and nothing else of this name; did you mean 'print'?
2|frobnicate|there is no verb frobnicate
2|--verison|there is no option --verison; did you mean '--version'?
2|--pases|there is no option --pases; did you mean '--passes'?
2|run p.ilx --jti=tcc|there is no option --jti=tcc; did you mean --jit?
2|run p.ilx --thread 2|there is no option --thread; did you mean --threads?
2|run p.ilx --ot second=-|there is no option --ot; did you mean --out?
2|run p.ilx -jit=tcc|there is no option -jit=tcc; did you mean --jit?
2|run p.ilx -x|there is no option -x; with one dash there is -v
2|print p.ilx -x|there is no option -x; with one dash there is -o, -v
2|run p.ilx --frobnicate|there is no option --frobnicate
2|check p.ilx --jit=refrence|(back end that runs programs); did you mean 'reference'?
2|check p.ilx --cache=offf|or an error where it has nothing); did you mean 'off'?
2|check p.ilx --threads=atuo|at most one per processor); did you mean 'auto'?
2|print p.ilx --stage=peal|there is no pass peal; did you mean 'peel'?
2|print p.ilx --stage=count|there is no pass count; did you mean 'counts'?
2|print p.ilx --stage=frobnicate|there is no pass frobnicate; `ilexc --passes` lists them
1|print p.ilx --dump=peal --stage=peel|also parsed, steps, emit, all)
2|cache lss|there is no action lss; did you mean 'ls'?
2|cache claer|there is no action claer; did you mean 'clear'?
2|run p.ilx --in frist=zero|the program has no input frist; did you mean 'first'?
2|run p.ilx --in second=zero|the program has no input second
2|run p.ilx --out secnd=-|the program has no output secnd; did you mean 'second'?
2|run p.ilx --size widht=3|the program has no size widht; did you mean 'width'?
2|run p.ilx --steps 2 --swap frst=second|the program has no argument frst; did you mean 'first'?
2|run p.ilx --in first=zeros|or random:SEED; did you mean 'zero'?
2|run p.ilx --in first=ranodm:3|or random:SEED; did you mean 'random'?
END

# The message of the library comes first, the hint about help after it.
expect 2 '^`ilexc help run` tells how it is used.$' run p.ilx --jti=tcc

# Variables that are nearly options are told of, others are not.
ILEX_JTI=tcc
export ILEX_JTI
expect 0 'warning: the environment variable ILEX_JTI is no option; did you mean ILEX_JIT?' \
    check p.ilx
unset ILEX_JTI
ILEX_JIT=tic
export ILEX_JIT
expect 1 "environment variable ILEX_JIT, option jit: 'tic' is not one of" check p.ilx
unset ILEX_JIT
ILEX_FROBNICATE=1
export ILEX_FROBNICATE
expect 0 '' check p.ilx
finish
