#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Planted bugs: do the tests see them?

    mutants.py --check SOURCES          each row of the table can be planted
    mutants.py SOURCES [WORD...]        plants those with a WORD in their name or
                                        room, all without one; in a build tree
    mutants.py --changed=REV SOURCES    those in files changed since commit REV
                                        (1: the last commit), and new files
    mutants.py --lot=N --seed=S SOURCES [WORD...]
                                        N bugs at random places instead, in files
                                        with a WORD in their path

The distributed sources are copied to mutants.dir (or $ILEX_MUTANTS_DIR), once
for each of $ILEX_MUTANTS_JOBS workers (by default one a core), and built there;
the tests must pass on them. Then each row of tests/mutants.tsv, which says what
its columns are, is planted, what it changes built again, and its tests run until
one fails; then the file is put back. A bug is seen by a test that fails or
exceeds $ILEX_MUTANTS_LIMIT seconds (120); where the row names a pass, tests/tree
must name that pass. The exit status is 1 if a bug survived; of those at random
places, of which some change nothing, the survivors are printed as rows of the
table, for who writes the test that sees them.
"""
import collections
import concurrent.futures
import os
import pathlib
import queue
import random
import re
import shutil
import subprocess
import sys
import time

ROOMS = 'lib compiler runtime include doc bindings cmake'.split()
SUFFIXES = ('.c', '.h', '.def', '.inc', '.awk', '.sh', '.py', '.cmake', '.in')
UNSET = 'JIT THREADS DUMP STOP VERIFY FUSE QUOTA CC CFLAGS SEED'.split()

Row = collections.namedtuple('Row', 'name tests where file text planted wrong')

# Tests that are scripts, and what make builds for them.
AHEAD = ('blocks calls fortran freestanding grid json kit lines project python '
         'variants versions').split()
INTEGRATION = 'bench_code cmake cxx test_pipelines test_wavefronts'.split()
CUDA = ['tests/cuda/cuda', 'tests/cuda/fake/libcuda.so.1',
        'tests/cuda/fake/libnvrtc.so.13']
BUNDLED = ['bench/gpubench', 'ilexc', 'tests/differential/differential']


def read_table(sources):
    """The rows of the table; a row of another form is named."""
    rows, bad = [], []
    lines = (sources / 'tests/mutants.tsv').read_text().splitlines()
    for number, line in enumerate(lines, 1):
        cells = line.split('\t')
        if line.startswith('#'):
            continue
        if len(cells) != len(Row._fields):
            bad.append(f'line {number}: {len(cells)} columns instead of '
                       f'{len(Row._fields)}')
            continue
        rows.append(Row(*cells))
    return rows, bad


def read_sources(sources):
    """The text of each file in which a bug may be planted, by its path."""
    return {str(path.relative_to(sources)): path.read_text()
            for room in ROOMS for path in sorted((sources / room).rglob('*'))
            if path.suffix in SUFFIXES and path.is_file()}


def places(row, files):
    """Where the row's text stands: file, first and last character."""
    words = row.text.split()
    pattern = re.compile(r'\s+'.join(map(re.escape, words)))
    return [(name, found.start(), found.end())
            for name, text in files.items() if words[0] in text
            for found in pattern.finditer(text)]


def place(row, files):
    """The one place of a row's text, or a message."""
    found = places(row, files)
    if len(found) == 1:
        return found[0], None
    if not found:
        return None, f'{row.name}: gone from the sources ({row.file}): {row.text}'
    names = ', '.join(name for name, *_ in found)
    return None, f'{row.name}: stands {len(found)} times ({names}): {row.text}'


def plant(row, files):
    """The file to change, and its text with the bug."""
    (name, begin, end), _ = place(row, files)
    return name, files[name][:begin] + row.planted + files[name][end:]


# ---- the table against the sources -------------------------------------------


def script_of(test):
    """The file that is run for a test that is a script, or None."""
    if test == 'numpy':
        return 'tests/numpy/random_programs.sh'
    if test == 'check_fake':
        return 'tests/cuda/check_fake.sh'
    if test == 'stages':
        return 'tests/stages/stages.sh'
    if test == 'loop':
        return 'tests/loop/loop.sh'
    if test in ('layering', 'manpages'):
        return f'tests/{test}.sh'
    if test in AHEAD:
        return f'tests/ahead/{test}.sh'
    if test in INTEGRATION:
        return f'tests/integration/{test}.sh'
    if test == 'help' or test.startswith('ilexc'):
        return f'tests/integration/test_{test}.sh'
    return None


def program_of(test):
    """The program of a test that is none."""
    if test.startswith('transform'):
        return program_of('tree')
    if test.startswith('test_'):
        return f'tests/unit/{test}'
    folder = {'limits': 'property', 'complex': 'math'}.get(test, test)
    return f'tests/{folder}/{test}'


def source_of(test):
    """A file that is there if the test is."""
    program = program_of(test)
    return script_of(test) or program + (
        '.c' if test.startswith('test_') or test in ('math', 'complex')
        else '_main.c')


def split(test):
    name, _, count = test.partition('=')
    return name, count


def check_row(row, sources, files, passes):
    _, message = place(row, files)
    if message:
        yield message
    if row.text == row.planted:
        yield f'{row.name}: nothing is planted'
    if not row.wrong:
        yield f'{row.name}: does not say what is wrong'
    for test in row.tests.split(','):
        if not (sources / source_of(split(test)[0])).exists():
            yield f'{row.name}: there is no test {test}'
    if '/' in row.where or row.where in ROOMS:
        if not (sources / row.where).is_dir():
            yield f'{row.name}: there is no room {row.where}'
    elif row.where not in passes:
        yield f'{row.name}: there is no pass {row.where}'


def check(sources):
    rows, bad = read_table(sources)
    files = read_sources(sources)
    passes = re.findall(r'^IX_(?:PASS|TRANSFORMATION)\((\w+),',
                        files['compiler/passes.def'], re.M)
    for row in rows:
        bad.extend(check_row(row, sources, files, passes))
    names = collections.Counter(row.name for row in rows)
    bad.extend(f'{name}: {n} rows' for name, n in names.items() if n > 1)
    print(*bad, f'{len(rows)} planted bugs', sep='\n')
    return 1 if bad or not rows else 0


# ---- bugs at random places ---------------------------------------------------

# What is replaced by what; a comparison, a sign, a number, a condition.
CHANGES = [(re.compile(pattern), new) for pattern, new in (
    (r' < ', ' <= '), (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '),
    (r' == ', ' != '), (r' != ', ' == '), (r' && ', ' || '), (r' \|\| ', ' && '),
    (r'(?<=[\w)\]]) \+ (?=[\w(])', ' - '), (r'(?<=[\w)\]]) - (?=[\w(])', ' + '),
    (r'(?<=[ (\[])0(?=[;,)\]])', '1'), (r'(?<=[ (\[])1(?=[;,)\]])', '2'),
    (r'\btrue\b', 'false'), (r'\bfalse\b', 'true'), (r'(?<=[ (])!(?=[\w(])', ''),
    (r'(?<= )\|= ', '= '), (r'\bcontinue;', ';'))]

# What sees most, the fastest first, by the first folder of a file.
LOT_TESTS = {
    'lib': 'error,test_print,property=30,tree=100,differential=120,numpy=500',
    'compiler': 'stages,tree=100,differential=120,numpy=500',
    'runtime': 'error,test_program,test_storage,ilexc,differential=120',
}

# What is no code: comments, texts, characters, lines of the preprocessor.
NO_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''
                     r'|^#(?:\\\n|[^\n])*', re.S | re.M)


def changes_of(name, text):
    """Where something can be changed: file, first and last character, new."""
    code = NO_CODE.sub(lambda m: re.sub(r'[^\n]', '\0', m[0]), text)
    return [(name, found.start(), found.end(), new)
            for pattern, new in CHANGES for found in pattern.finditer(code)]


def random_row(name, change, sources, files):
    """A row for a change: its line, with those before that make it the only one."""
    file, begin, end, new = change
    text = files[file]
    first, last = text.rfind('\n', 0, begin) + 1, text.find('\n', end)
    stem = f'test_{pathlib.Path(file).stem}'
    own = f'{stem},' if (sources / f'tests/unit/{stem}.c').exists() else ''
    wrong = f'{file}:{text.count(chr(10), 0, begin) + 1}: ' \
            f'{text[begin:end].strip()} becomes {new.strip() or "nothing"}'
    while True:
        row = Row(name, own + LOT_TESTS[file.split('/')[0]], os.path.dirname(file),
                  file, ' '.join(text[first:last].split()),
                  ' '.join((text[first:begin] + new + text[end:last]).split()),
                  wrong)
        if first == 0 or len(places(row, files)) == 1:
            return row
        first = text.rfind('\n', 0, first - 1) + 1


def random_rows(sources, files, count, seed, words):
    """Different changes, the same for a seed while the sources are the same."""
    changes = [change for name in sorted(files)
               if name.endswith('.c') and name.split('/')[0] in LOT_TESTS
               and (not words or any(w in name for w in words))
               for change in changes_of(name, files[name])]
    chosen = random.Random(seed).sample(changes, min(count, len(changes)))
    return [random_row(f'random-{seed}-{k}', change, sources, files)
            for k, change in enumerate(chosen)]


# ---- building and running ----------------------------------------------------


def targets_of(tests):
    """What make builds for these tests."""
    targets = set()
    for name, _ in map(split, tests):
        if name == 'cuda':
            targets.update(CUDA)
        elif name == 'check_fake':
            targets.update(CUDA, BUNDLED)
        elif name == 'bench_code':
            targets.update(['bench/gpubench', 'ilexc'])
        elif name == 'numpy':
            targets.add('libilex.la')
        else:
            targets.add('ilexc' if script_of(name) else program_of(name))
    return sorted(targets)


def command_of(test):
    """How a test is run in a build tree beside the sources."""
    name, count = split(test)
    script = script_of(name)
    if script:
        return ['sh', f'../source/{script}'] + ['--most', '1'] * (
            name == 'numpy')
    command = [program_of(name)]
    if name in ('tree', 'differential', 'property'):
        command.append(f'--count={count or 300}')
    if name == 'transform':
        command += ['--transform=12', f'--count={count or 300}']
    if name == 'transform_cuda':
        command += ['--transform=12', f'--count={count or 60}', '--jit=cuda']
    if name == 'ahead':
        command.append(f'--count={count or 30}')
    if name == 'cuda':
        command.append('--memory')
    if name in ('math', 'complex') and count:
        command.append(count)
    return command


def environment_of(test, build):
    name, count = split(test)
    env = {k: v for k, v in os.environ.items()
           if k not in {f'ILEX_{x}' for x in UNSET}}
    env.update(srcdir='../source', CK_VERBOSITY='minimal', ILEX_CACHE='off',
               LC_ALL='C')
    if name == 'numpy':
        env['ILEX_NUMPY_COUNT'] = count or '1000'
    if name == 'cuda':
        env['LD_LIBRARY_PATH'] = f'{build}/tests/cuda/fake'
    return env


def die(message):
    print(f'mutants: {message}', flush=True)
    os._exit(99)


class Worker:
    """A copy of the sources and a build of it."""

    def __init__(self, directory):
        self.source = directory / 'source'
        self.build = directory / 'build'
        self.limit = int(os.environ.get('ILEX_MUTANTS_LIMIT', 120))
        self.make = os.environ.get('MAKE', 'make')

    def run_make(self, tests, jobs):
        """Whether the targets of the tests were built, and what make said."""
        done = subprocess.run(
            [self.make, f'-j{jobs}', *targets_of(tests)], cwd=self.build,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode == 0, done.stdout

    def run(self, test):
        """Exit status (124 beyond the limit) and output of a test."""
        try:
            done = subprocess.run(
                ['timeout', str(self.limit), *command_of(test)],
                cwd=self.build, env=environment_of(test, self.build.absolute()),
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except OSError as error:
            die(f'{test}: {error}')
        return done.returncode, done.stdout.decode(errors='replace')

    def seen_by(self, row):
        """The test that sees what is planted, or None."""
        for test in row.tests.split(','):
            status, output = self.run(test)
            if status in (0, 77):
                continue
            name = split(test)[0] + (' (time limit)' if status == 124 else '')
            if '/' in row.where or row.where in ROOMS:
                return name
            if re.search(f'^FAILED.* after pass {row.where}[ :]', output, re.M):
                return f'{name}, after pass {row.where}'
        return None

    def try_row(self, row, files):
        """What the row's tests say of it: caught, SURVIVED or broken."""
        begin = time.monotonic()
        name, text = plant(row, files)
        path = self.source / name
        path.write_text(text)
        built, output = self.run_make(row.tests.split(','), 1)
        seen = self.seen_by(row) if built else None
        path.write_text(files[name])
        took = f'({time.monotonic() - begin:.0f} s)'
        if not built:
            return 'broken', f'{row.name:28} does not build {took}\n{output[-800:]}'
        if seen:
            return 'caught', f'{row.name:28} caught by {seen} {took}'
        return 'SURVIVED', f'{row.name:28} SURVIVED {row.tests} {took}'


def compiler():
    cc = os.environ.get('CC', 'cc')
    if shutil.which('ccache') and not cc.startswith('ccache'):
        return f'ccache {cc}'
    return cc


def copy_sources(worker):
    """The sources; of a directory that is there already only what changed."""
    new = worker.source.parent / 'new'
    shutil.rmtree(new, ignore_errors=True)
    new.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([worker.make, '-s', 'distdir', f'distdir={new}'],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        die(f'make distdir fails\n{done.stdout[-2000:]}')
    for path in new.rglob('*'):
        old = worker.source / path.relative_to(new)
        if path.is_file() and not (
                old.exists() and old.read_bytes() == path.read_bytes()):
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, old)
    shutil.rmtree(new)


def prepare(directory, tests, jobs):
    """A worker whose tests pass. PIC objects alone serve library and tests."""
    worker = Worker(directory)
    copy_sources(worker)
    if not (worker.build / 'config.status').exists():
        worker.build.mkdir(exist_ok=True)
        flags = '-O1 ' + os.environ.get('ILEX_MUTANTS_CFLAGS', '')
        done = subprocess.run(
            ['../source/configure', '--disable-static', f'CC={compiler()}',
             f'CFLAGS={flags}'], cwd=worker.build, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            die(f'configure fails\n{done.stdout[-2000:]}')
    built, output = worker.run_make(tests, jobs)
    if not built:
        die(f'the sources do not build\n{output[-2000:]}')
    return worker


def run_unchanged(worker, tests, pool):
    for test, (status, output) in zip(tests, pool.map(worker.run, tests)):
        if status == 77:
            print(f'mutants: {test} is skipped here')
        elif status:
            die(f'{test} fails without a planted bug\n{output[-2000:]}')


def changed_files(sources, revision):
    """Files of the sources that differ from a commit, and new ones."""
    revision = 'HEAD' if revision == '1' else revision
    names = []
    for command in (['diff', '--name-only', '--relative', revision],
                    ['ls-files', '--others', '--exclude-standard']):
        done = subprocess.run(['git', *command], cwd=sources, text=True,
                              stdout=subprocess.PIPE)
        if done.returncode:
            die(f'CHANGED={revision}: git {command[0]} fails in {sources}')
        names += done.stdout.split('\n')
    return set(names)


def wanted(rows, files, words, changed):
    """The rows that are asked for, by name or room, by file."""
    for row in rows:
        found, message = place(row, files)
        if message:
            die(message)
        room = os.path.dirname(found[0])
        if words and not any(w in row.name or w in room for w in words):
            continue
        if changed is None or found[0] in changed:
            yield row


def chosen_rows(sources, files, words, options):
    """The rows to be planted."""
    rows, bad = read_table(sources)
    if bad:
        die('\n'.join(bad))
    if options['lot']:
        return random_rows(sources, files, int(options['lot']),
                           int(options['seed'] or 1), words)
    revision = options['changed']
    changed = changed_files(sources, revision) if revision else None
    return list(wanted(rows, files, words, changed))


def mutate(sources, words, options):
    files = read_sources(sources)
    rows = chosen_rows(sources, files, words, options)
    if not rows:
        print('no planted bug is asked for')
        return 0 if options['changed'] else 1
    tests = sorted({test for row in rows for test in row.tests.split(',')})
    jobs = int(os.environ.get('ILEX_MUTANTS_JOBS', os.cpu_count() or 1))
    kept = os.environ.get('ILEX_MUTANTS_DIR')
    home = pathlib.Path(kept or 'mutants.dir')
    workers = queue.Queue()
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    for number in range(min(jobs, len(rows))):
        worker = prepare(home / str(number), tests, os.cpu_count() or 1)
        if number == 0:
            run_unchanged(worker, tests, pool)
        workers.put(worker)

    def one(row):
        worker = workers.get()
        try:
            return worker.try_row(row, files)
        finally:
            workers.put(worker)

    results, survivors = collections.Counter(), []
    planted = {pool.submit(one, row): row for row in rows}
    for job in concurrent.futures.as_completed(planted):
        result, line = job.result()
        results[result] += 1
        print(line, flush=True)
        survivors += [planted[job]] if result == 'SURVIVED' else []
    if not kept:
        shutil.rmtree(home)
    print(f'{results["caught"]} of {len(rows)} caught')
    if options['lot']:
        print(*('\t'.join(row) for row in survivors), sep='\n')
        return 0
    return 0 if results['caught'] == len(rows) else 1


def main(arguments):
    words = [a for a in arguments if not a.startswith('--')]
    options = dict.fromkeys('--check --changed --lot --seed'.split())
    for option in arguments:
        name, _, value = option.partition('=')
        if name in options:
            options[name] = value
        elif option not in words:
            sys.exit(__doc__)
    if not words:
        sys.exit(__doc__)
    sources = pathlib.Path(words[0])
    if options['--check'] is not None:
        return check(sources)
    return mutate(sources, words[1:],
                  {name[2:]: value for name, value in options.items()})


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
