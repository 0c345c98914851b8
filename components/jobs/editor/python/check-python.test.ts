import { describe, expect, it } from 'vitest'
import { checkPython } from './check-python'

const valid = {
  'a match statement': `match x:
    case ast.BinOp() | int():
        pass
    case {"a": 1, **rest}:
        pass
    case [1, *_] | (2, 3) if x > 1:
        pass
    case Point(x=0, y=-1) as p:
        pass
    case -1 | "a" | None | Color.RED:
        pass
    case {} | []:
        pass
    case _:
        pass
`,
  'soft keywords as names':
    'match = re.match(a)\nmatch(x)\ntype(x)\ncase = 1\nmatch.x\ntype.y = 1\ncase: int = 3\n',
  'f-strings with nested quotes': `x = f"{a["b"]}"\ny = f'{a['b']:>{w}.{p}f} {c!r} {d=} {{}}'\nz = f"{f"{1}"}"\n`,
  'f-strings over several lines': 'x = f"""{\n  a\n}"""\nprint(f"{x:%Y-%m-%d} {x:=10}")\n',
  'type hints': 'def f(a, /, b: int = 1, *args: *Ts, c: "list[int] | None", **kw) -> dict[str, int]: ...\n',
  'type parameters':
    'type X[T] = list[T]\ndef f[T](x: T) -> T:\n    return x\nclass A[T: int, *Ts, **P](B):\n    pass\n',
  'the walrus operator': 'if (n := len(a)) > 1:\n    pass\n[y := 1, y**2]\nf(x := 1)\n',
  'with statements': `with (a as b, c as d):
    pass
with (
    open("a:(") as b,  # as
    open(c) as d,
):
    pass
with a(b) as (c, d), e as f.g, h as i[0]: pass
async def f():
    async with a as (b, c):
        pass
`,
  'starred expressions': `a[*b], a[b, *c]
x = [f(*p) for c, *p in y]
z = list(f(*p) for *c, p in y)
for x in *a, b:
    pass
def g():
    return *a, b
print(*a, **b, sep="")
`,
  'yield without a value': 'def f():\n    yield\n    x = yield\n    y = (yield)\n',
  numbers:
    'x = 24.*3. + 1.e5 + 1.j + 1_000 + 0xFF + .5 + 1e-5\ny = [1., 2.]\nz = 1. if a > 0. else 2.  # one\n',
  strings: `a = rb'a' Rb'\\'' u'' b'\\x00' "\\\\"\nb = """\n"quoted"\n"""\nc = "a" \\\n  "b"\nd = t"{x}"\n`,
  'raw f-strings': `x = fr'\\{{\\}}' + rf"(\\{{{a})"\n`,
  lambdas: 'a = lambda a, /, b: a\nb = lambda a,: (yield)\nc = lambda *a, **k: (a, k)\n',
  'exception groups': 'try:\n    pass\nexcept* ValueError as e:\n    pass\nfinally:\n    pass\n',
  decorators: '@table[0](x)\n@a.b[c].d\nclass A: x: int = 1; y = 2\n',
  'async code': 'async def f():\n    return [x async for x in y if await x]\n',
  'names and comments':
    'é = 1\n变量 = 2  # "quote (\n\f\nif x:\n\tpass\n\n  # odd\nprint\nprint(x)\nprint (x), y\n',
  'an empty program': '',
}

describe('valid Python', () => {
  it.each(Object.entries(valid))('has no problem: %s', (_, code) => {
    expect(checkPython(code)).toEqual([])
    expect(checkPython(code.trimEnd())).toEqual([])
    // A byte order mark, as some editors on Windows write it.
    expect(checkPython(`\ufeff${code}`)).toEqual([])
    expect(checkPython(code.replaceAll('\n', '\r\n'))).toEqual([])
  })
})

describe('an error', () => {
  it.each([
    ['print("a"\nx = 1\n', 1, 'bracket is never closed'],
    ['import os\n\nx = [1, 2\ny = 3\nz = 4\n', 3, 'bracket is never closed'],
    ['x = 1\ny = "abc\nz = 1\n', 2, 'quote is never closed'],
    ["x = '''abc\n\n", 1, 'quote is never closed'],
    ['x = "abc\\"\ny = 1\n', 1, 'quote is never closed'],
    ['import os\ndef f()\n    pass\n', 2, 'colon'],
    ['for x in y\n    pass\n', 1, 'colon'],
    ['with open(a) as f\n    pass\n', 1, 'colon'],
    ['if x = 1:\n    pass\n', 1, 'operator'],
    ['def f():\npass\n', 1, 'indentation'],
    ['x = 1\nprint "x"\n', 2, 'Python 2'],
    ['a b\n', 1, 'comma'],
    ['x = 1 +\n', 1, 'operator'],
    ['!pip install torch\n', 1, 'cannot read'],
  ])('an error in %j is a warning at line %i', (code, line, message) => {
    const problems = checkPython(code)
    expect(problems).toMatchObject([{ line, severity: 'warning' }])
    expect(problems[0]?.message).toContain(message)
  })

  it('has a column', () => {
    expect(checkPython('x = 1\nprint(f(1)\n')).toMatchObject([{ line: 2, column: 6 }])
  })
})
