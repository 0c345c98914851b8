import type { Random } from './random'

/** JSON that is written as it is, also if it is no JSON. */
class RawJson {
  constructor(readonly text: string) {}
}

export const hugeText = 'a'.repeat(100_000)

export const texts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  hugeText,
  '🚀'.repeat(500),
  '\u202eabc\u2066',
  '\u2028\u2029\x85',
  'e\u0301'.repeat(2000),
  '../../etc/passwd',
  '..\\..\\x',
  '/etc/passwd',
  '%00%2e%2e%2f',
  "' OR 1=1--",
  '"; DROP TABLE jobs; --',
  '$' + '{7*7}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'NaN',
  'null',
  'undefined',
  'true',
  '-1',
  '1e999',
  '2030-13-45T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
  '\r\nSet-Cookie: evil=1',
  '\ufeffx',
  '\uffff\ufffe',
  '-rf',
  'javascript:alert(1)',
  'http://169.254.169.254/latest',
]

const numbers: readonly number[] = [
  -1,
  0,
  0.5,
  -0.5,
  1e-300,
  1e308,
  -1e308,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e20,
]

/** Numbers and texts that JSON has not, or that parsers read in different ways. */
const rawTexts: readonly string[] = [
  'NaN',
  'Infinity',
  '-Infinity',
  '1e999',
  '-1e999',
  '0x10',
  '01',
  '+1',
  '.5',
  '-',
  '1'.repeat(5000),
  `0.${'1'.repeat(5000)}`,
  'undefined',
  "'x'",
  '"\\ud800"',
  '"\\u0000"',
  '"\\x41"',
  '{"a":1,"a":2}',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{,}',
  '[1,]',
  '/* */ 1',
  `${'['.repeat(500)}${']'.repeat(500)}`,
  `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
]

/** A value that no field expects. */
export function hostileValue(random: Random): unknown {
  const kind = random.upTo(7)
  if (kind < 2) return random.pick(texts)
  if (kind === 2) return random.pick(numbers)
  if (kind === 3) return new RawJson(random.pick(rawTexts))
  const others = [null, true, false, [], {}, [[]], [null], { '': '' }, [random.pick(texts)]] as const
  if (kind < 6) return random.pick(others)
  return Array.from({ length: 20_000 }, (_, i) => i)
}

const mark = 'raw-json:'

/** `JSON.stringify`, with the raw texts in it. */
export function encodeJson(value: unknown): string {
  const text = JSON.stringify(value, (_, part) =>
    part instanceof RawJson ? `${mark}${encodeURIComponent(part.text)}:` : part,
  )
  return text.replaceAll(new RegExp(`"${mark}([^":]*):"`, 'g'), (_, raw) => decodeURIComponent(raw))
}

/** The value with one part replaced, removed, added or wrapped. */
export function changeValue(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || value instanceof RawJson || random.chance(0.1))
    return random.chance(0.2) ? [value] : hostileValue(random)
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.2)) return [...value, hostileValue(random)]
    const at = random.upTo(value.length)
    return value.map((item, i) => (i === at ? changeValue(item, random) : item))
  }
  const keys = Object.keys(value)
  const key = random.pickAny(keys)
  if (key === undefined || random.chance(0.15))
    return { ...value, [random.pick(texts).slice(0, 1000)]: hostileValue(random) }
  if (random.chance(0.25)) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
  const part = Object.entries(value).find(([name]) => name === key)?.[1]
  return { ...value, [key]: changeValue(part, random) }
}
