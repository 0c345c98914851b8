import { describe, expect, it } from 'vitest'
import { parseTraceback, parseTracebacks, searchedCharacters, type Traceback } from './parse-traceback'

const own = (line: number, code: string | null) => ({ file: '/job/solution.py', line, code })

interface Found extends Pick<Traceback, 'exception' | 'group'> {
  location: Omit<NonNullable<Traceback['location']>, 'function'> | null
}

const cases: { name: string; output: string; found: Found | null }[] = [
  {
    name: 'an uncaught exception with its line of code',
    output: `epoch 1
Traceback (most recent call last):
  File "/job/solution.py", line 9, in <module>
    main()
    ~~~~^^
  File "/job/solution.py", line 4, in main
    raise ValueError("too large")
ValueError: too large`,
    found: {
      exception: 'ValueError: too large',
      group: null,
      location: own(4, 'raise ValueError("too large")'),
    },
  },
  {
    name: 'the last own line of an exception in a library',
    output: `Traceback (most recent call last):
  File "/job/solution.py", line 2, in <module>
    json.loads("{")
  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
  File "/usr/local/lib/python3.12/site-packages/x/y.py", line 3, in f
    g()
  File "<frozen importlib._bootstrap>", line 241, in _call
json.decoder.JSONDecodeError: Expecting property name: line 1 column 2 (char 1)`,
    found: {
      exception: 'json.decoder.JSONDecodeError: Expecting property name: line 1 column 2 (char 1)',
      group: null,
      location: own(2, 'json.loads("{")'),
    },
  },
  {
    name: 'the last of two chained exceptions',
    output: `Traceback (most recent call last):
  File "/job/solution.py", line 2, in <module>
    {}["a"]
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/job/solution.py", line 4, in <module>
    raise RuntimeError("no key")
RuntimeError: no key`,
    found: {
      exception: 'RuntimeError: no key',
      group: null,
      location: own(4, 'raise RuntimeError("no key")'),
    },
  },
  {
    name: 'an exception with a direct cause',
    output: `Traceback (most recent call last):
  File "/job/solution.py", line 2, in <module>
    1 / 0
ZeroDivisionError: division by zero

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/job/solution.py", line 4, in <module>
    raise AssertionError from error
AssertionError`,
    found: { exception: 'AssertionError', group: null, location: own(4, 'raise AssertionError from error') },
  },
  {
    name: 'a syntax error, which has no header',
    output: `  File "/job/solution.py", line 3
    def f(
         ^
SyntaxError: '(' was never closed`,
    found: { exception: "SyntaxError: '(' was never closed", group: null, location: own(3, 'def f(') },
  },
  {
    name: 'a syntax error in an imported file',
    output: `Traceback (most recent call last):
  File "/work/train.py", line 1, in <module>
    import model
  File "/work/model.py", line 2
    x = = 1
        ^
SyntaxError: invalid syntax`,
    found: {
      exception: 'SyntaxError: invalid syntax',
      group: null,
      location: { file: '/work/model.py', line: 2, code: 'x = = 1' },
    },
  },
  {
    name: 'the first exception of an exception group',
    output: `  + Exception Group Traceback (most recent call last):
  |   File "/job/solution.py", line 9, in <module>
  |     asyncio.run(main())
  |   File "/usr/lib/python3.11/asyncio/runners.py", line 190, in run
  |     return runner.run(main)
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/job/solution.py", line 4, in one
    |     {}["a"]
    | KeyError: 'a'
    |
    | During handling of the above exception, another exception occurred:
    |
    | Traceback (most recent call last):
    |   File "/job/solution.py", line 5, in one
    |     1 / 0
    | ZeroDivisionError: division by zero
    +---------------- 2 ----------------
    | TypeError: no frames
    +------------------------------------`,
    found: {
      exception: 'ZeroDivisionError: division by zero',
      group: 'ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)',
      location: own(5, '1 / 0'),
    },
  },
  {
    name: 'an exception without frames in an exception group, at the line of the group',
    output: `  + Exception Group Traceback (most recent call last):
  |   File "/job/solution.py", line 1, in <module>
  |     raise ExceptionGroup("outer", [ExceptionGroup("inner", [ValueError(1)])])
  | ExceptionGroup: outer (1 sub-exception)
  +-+---------------- 1 ----------------
    | ExceptionGroup: inner (1 sub-exception)
    +-+---------------- 1 ----------------
      | ValueError: 1
      +------------------------------------
done`,
    found: {
      exception: 'ValueError: 1',
      group: 'ExceptionGroup: outer (1 sub-exception)',
      location: own(1, 'raise ExceptionGroup("outer", [ExceptionGroup("inner", [ValueError(1)])])'),
    },
  },
  {
    name: 'lines that torchrun marks with their rank',
    output: `[rank0]: Traceback (most recent call last):
[rank0]:   File "/job/solution.py", line 7, in <module>
[rank0]:     step()
[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.`,
    found: {
      exception: 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.',
      group: null,
      location: own(7, 'step()'),
    },
  },
  {
    name: 'a recursion that Python shortens, and a message of several lines',
    output: `Traceback (most recent call last):
  File "/job/solution.py", line 2, in f
  [Previous line repeated 996 more times]
RecursionError: maximum recursion depth exceeded
a second line of the message`,
    found: {
      exception: 'RecursionError: maximum recursion depth exceeded',
      group: null,
      location: own(2, null),
    },
  },
  {
    name: 'output of another thread between the lines',
    output: `Traceback (most recent call last):
  File "/job/solution.py", line 2, in <module>
    1 / 0
Epoch 3 of 10, please wait

ZeroDivisionError: division by zero`,
    found: { exception: 'ZeroDivisionError: division by zero', group: null, location: own(2, '1 / 0') },
  },
  {
    name: 'an exception of library code alone',
    output: `Traceback (most recent call last):
  File "<frozen runpy>", line 198, in _run_module_as_main
ImportError: no`,
    found: { exception: 'ImportError: no', group: null, location: null },
  },
  { name: 'no traceback', output: 'warning: slow\nerror: bad flag', found: null },
  {
    name: 'a traceback without an end',
    output: 'Traceback (most recent call last):\n  File "a.py", line 1',
    found: null,
  },
  { name: 'nothing', output: '', found: null },
]

describe('parseTraceback', () => {
  it('says where the last traceback of a chain begins', () => {
    const first = ['Traceback (most recent call last):', '  File "a.py", line 1, in <module>', 'KeyError: 1']
    const between = ['', 'During handling of the above exception, another exception occurred:', '']
    const lines = ['epoch 1', ...first, ...between, ...first]
    expect(parseTraceback(lines)?.start).toBe(7)
    expect(parseTraceback(first)?.start).toBe(0)
  })

  it.each(cases)('finds $name', ({ output, found }) => {
    const traceback = parseTraceback(output.split('\n'))
    if (found === null) expect(traceback).toBeNull()
    else expect(traceback).toMatchObject(found)
  })

  it('names the function of the line, and the exceptions from which another one was raised', () => {
    const lines = [
      'Traceback (most recent call last):',
      '  File "/job/solution.py", line 2, in read',
      "KeyError: 'a'",
      '',
      'The above exception was the direct cause of the following exception:',
      '',
      'Traceback (most recent call last):',
      '  File "/job/solution.py", line 9, in load',
      'RuntimeError: no config',
    ]
    expect(parseTraceback(lines)).toMatchObject({
      origins: [{ exception: "KeyError: 'a'", location: { function: 'read', line: 2 } }],
      location: { function: 'load', line: 9 },
      start: 6,
      end: 8,
    })
  })

  it('takes the exception of a thread if the main one only waited for it in vain', () => {
    const thread = [
      'Exception in thread Thread-1 (produce):',
      'Traceback (most recent call last):',
      '  File "/job/solution.py", line 7, in produce',
      "FileNotFoundError: [Errno 2] No such file or directory: 'train.bin'",
    ]
    const main = (exception: string) => [
      'Traceback (most recent call last):',
      '  File "/job/solution.py", line 11, in <module>',
      exception,
    ]
    expect(parseTraceback([...thread, ...main('_queue.Empty')])?.location).toMatchObject({ line: 7 })
    expect(parseTraceback([...thread, ...main('ValueError: odd')])?.location).toMatchObject({ line: 11 })
  })

  it('passes over an exception that Python ignores while it deletes an object', () => {
    const lines = [
      'Traceback (most recent call last):',
      '  File "/job/solution.py", line 9, in <module>',
      "KeyError: 'accuracy'",
      'Exception ignored in: <function Writer.__del__ at 0x7f>',
      'Traceback (most recent call last):',
      '  File "/job/solution.py", line 7, in __del__',
      "AttributeError: 'Writer' object has no attribute 'file'",
    ]
    expect(parseTraceback(lines)).toMatchObject({ exception: "KeyError: 'accuracy'", location: { line: 9 } })
  })

  it('takes the exception that the message of another one quotes, but the place of the other one', () => {
    const lines = [
      'Traceback (most recent call last):',
      '  File "/job/solution.py", line 8, in <module>',
      'ValueError: ',
      'All the 5 fits failed.',
      'Traceback (most recent call last):',
      '  File "/usr/lib/python3/dist-packages/sklearn/base.py", line 186, in fit',
      'ValueError: Input X contains NaN.',
    ]
    expect(parseTraceback(lines)).toMatchObject({
      exception: 'ValueError: Input X contains NaN.',
      location: { line: 8 },
    })
  })

  it('reads the box that Rich draws, up to the exception below it', () => {
    const lines = [
      '╭──────── Traceback (most recent call last) ────────╮',
      '│ /work/train.py:9 in <module>                      │',
      '│                                                   │',
      '│ ❱  9 │   main()                                   │',
      '│                                                   │',
      '│ /work/train.py:4 in main                          │',
      '│   3 │   rows = read()                             │',
      '│ ❱ 4 │   fit(rows)                                 │',
      '│                                                   │',
      '│ /usr/lib/python3/dist-packages/lab/fit.py:3 in fit │',
      '╰───────────────────────────────────────────────────╯',
      'ValueError: no rows',
      'epoch 1: not a frame',
    ]
    expect(parseTraceback(lines)).toMatchObject({
      exception: 'ValueError: no rows',
      location: { file: '/work/train.py', line: 4, function: 'main', code: 'fit(rows)' },
      start: 0,
      end: 11,
    })
  })

  it('does not take a directory in which pip builds for code of the user', () => {
    const lines = [
      'Traceback (most recent call last):',
      '  File "/tmp/pip-install-k1/lab_d4/setup.py", line 9, in <module>',
      'OSError: CUDA_HOME environment variable is not set.',
    ]
    expect(parseTraceback(lines)?.location).toBeNull()
  })

  it('keeps the lines of several processes apart, and takes the one that failed first, not one that lost it', () => {
    const of = (rank: number, line: number, exception: string) =>
      ['Traceback (most recent call last):', `  File "/job/a.py", line ${line}, in main`, exception].map(
        (text) => `[rank${rank}]: ${text}`,
      )
    const [lost, first] = [
      of(0, 3, 'RuntimeError: Connection closed by peer'),
      of(1, 7, 'ValueError: no rows'),
    ]
    const mixed = lost.flatMap((line, index) => [line, first[index] ?? ''])
    expect(parseTracebacks(mixed)).toHaveLength(2)
    expect(parseTraceback(mixed)).toMatchObject({ exception: 'ValueError: no rows', location: { line: 7 } })
    const told = [...mixed, 'Root Cause (first observed failure):', '[0]:', '  rank      : 0 (local_rank: 0)']
    expect(parseTraceback(told)?.exception).toBe('ValueError: no rows')
  })

  it('reads only the end of a million lines', () => {
    let read = 0
    const lines = new Proxy(
      Array.from({ length: 1_000_000 }, () => '  File "x", line 1'),
      {
        get(target, name) {
          if (typeof name === 'string' && /^\d+$/.test(name)) read++
          return Reflect.get(target, name)
        },
      },
    )
    lines.push('ValueError: the end')
    read = 0
    expect(parseTraceback(lines)?.exception).toBe('ValueError: the end')
    expect(read).toBeLessThan(10_000)
  })

  it('reads only the start of huge lines', () => {
    const huge = 'x'.repeat(2_000_000)
    const found = parseTraceback([
      'Traceback (most recent call last):',
      `  File "/job/solution.py", line 1, in ${huge}`,
      `    ${huge}`,
      `ValueError: ${huge}`,
    ])
    expect(found?.exception).toHaveLength(searchedCharacters)
    expect(found?.location?.code?.length).toBeLessThan(searchedCharacters)
  })

  it('does not fail on hostile lines', () => {
    const parts = [
      '| ',
      '  | ',
      '  + ',
      '+-',
      '  File "',
      '", line ',
      '9'.repeat(30),
      ': ',
      '\0',
      '^',
      'Traceback (most recent call last):',
      '  + Exception Group Traceback (most recent call last):',
    ]
    const lines = Array.from({ length: 3_000 }, (_, at) =>
      Array.from({ length: 40 }, (_, part) => parts[(at * 7 + part * (at % 11)) % parts.length]).join(''),
    )
    expect(() => parseTraceback([...parts, ...lines])).not.toThrow()
  })
})
