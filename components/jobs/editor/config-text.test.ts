import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FieldValue, readConfigText } from './config-text'

const sample = `# My experiment
competition_id: "my-competition"
expected_time: 300  # Expected runtime in seconds
env:
  SEED: "1"
  # the one from the paper
  LR: 0.10
args: ["--epochs", 10]

token: "secret"
`

function read(text: string, key: string): unknown {
  const reading = readConfigText(text)?.read(key)
  return reading?.kind === 'value' ? reading.value : reading?.kind
}

function write(text: string, key: string, value: FieldValue | undefined): string | undefined {
  return readConfigText(text)?.write(key, value)
}

describe('reading', () => {
  it('returns each value as it was written', () => {
    expect(read(sample, 'competition_id')).toBe('my-competition')
    expect(read(sample, 'expected_time')).toBe('300')
    expect(read(sample, 'env')).toEqual({ SEED: '1', LR: '0.10' })
    expect(read(sample, 'args')).toEqual(['--epochs', '10'])
    expect(read(sample, 'name')).toBe('absent')
    expect(read('name:\n', 'name')).toBe('absent')
    expect(read('env: {A: [1]}', 'env')).toBe('other')
    expect(read('args: [[1]]', 'args')).toBe('other')
  })

  it('reads a config that is empty, or the text of a Python dict', () => {
    expect(read('', 'name')).toBe('absent')
    expect(read('# nothing yet\n', 'name')).toBe('absent')
    expect(read("{'user_id': 'ada', 'expected_time': 60}", 'expected_time')).toBe('60')
  })

  it.each(['a: [', 'just a text', '- a\n- b', 'a: 1\n b: 2'])('cannot show %j in the form', (text) => {
    expect(readConfigText(text)).toBeNull()
  })
})

describe('writing', () => {
  it('changes only one value', () => {
    expect(write(sample, 'expected_time', 600)).toBe(sample.replace('300', '600'))
    expect(write(sample, 'competition_id', 'a "b"')).toBe(sample.replace('"my-competition"', '"a \\"b\\""'))
    expect(write(sample, 'args', ['x'])).toBe(sample.replace('["--epochs", 10]', '["x"]'))
  })

  it('writes a mapping over several lines', () => {
    const changed = write(sample, 'env', { SEED: '2' })
    expect(changed).toContain(
      '300  # Expected runtime in seconds\nenv:\n  SEED: "2"\nargs: ["--epochs", 10]\n',
    )
  })

  it('adds a key at the end, and removes whole lines', () => {
    expect(write('name: "a"', 'gpu_count', 2)).toBe('name: "a"\ngpu_count: 2\n')
    expect(write('', 'gpu_count', 2)).toBe('gpu_count: 2\n')
    expect(write(sample, 'expected_time', undefined)).toBe(sample.replace(/expected_time.*\n/, ''))
    expect(write(sample, 'env', undefined)).toBe(sample.replace(/env:\n( .*\n)+/, ''))
    expect(write('a: 1\nname: "x"', 'name', undefined)).toBe('a: 1\n')
    expect(write('a: 1\n', 'name', undefined)).toBe('a: 1\n')
  })

  it('adds a value to a key without one', () => {
    expect(write('name:\na: 1\n', 'name', 'x')).toBe('name: "x"\na: 1\n')
    expect(write('name: # later\na: 1\n', 'name', 'x')).toBe('name: "x" # later\na: 1\n')
  })

  it('keeps a flow mapping in braces', () => {
    const changed = write("{'user_id': 'ada', 'expected_time': 60}", 'expected_time', 90) ?? ''
    expect(changed.trim()).toMatch(/^\{.*\}$/)
    expect(read(changed, 'expected_time')).toBe('90')
    expect(read(changed, 'user_id')).toBe('ada')
  })
})

describe('writing and reading', () => {
  const texts = fc.string({ maxLength: 12 }).filter((text) => !/[\uD800-\uDFFF]/.test(text))
  const values = fc.oneof(
    texts,
    fc.integer(),
    fc.array(texts, { minLength: 1, maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[A-Z_]{1,5}$/), texts, { minKeys: 1, maxKeys: 3 }),
  )
  const keys = fc.constantFrom('name', 'competition_id', 'env', 'args', 'expected_time', 'tags')

  it('agree after many changes and keep the other keys', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, fc.option(values)), { maxLength: 8 }), (changes) => {
        let text = sample
        const expected = new Map<string, unknown>()
        for (const [key, value] of changes) {
          text = write(text, key, value ?? undefined) ?? 'broken: ['
          expected.set(key, value === null ? 'absent' : typeof value === 'number' ? String(value) : value)
        }
        for (const [key, value] of expected) expect(read(text, key)).toEqual(value)
        expect(read(text, 'token')).toBe('secret')
        expect(text).toContain('# My experiment\n')
      }),
    )
  })
})
