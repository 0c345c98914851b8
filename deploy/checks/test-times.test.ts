import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeSlowest, describeSlowNewTest, findSlowNewTests, writeTimes } from './test-times'

const outcome = (file: string, title: string, ms: number) => ({
  file,
  title,
  fullTitle: `a group ${title}`,
  passed: true,
  ms,
  notes: {},
})

it('keeps the time of each check and each test, with the slowest first', () => {
  const root = mkdtempSync(join(tmpdir(), 'gpuq-times-'))
  try {
    const tests = [outcome('a.test.ts', 'is fast', 3), outcome('b.docker.test.ts', 'is slow', 900)]
    const path = writeTimes(root, [{ name: 'unit', ms: 5_000 }], tests, new Date(0))
    const written = JSON.parse(readFileSync(path, 'utf8'))
    expect(written).toMatchObject({ date: '1970-01-01T00:00:00.000Z', checks: [{ name: 'unit', ms: 5_000 }] })
    expect(written.tests).toEqual([
      { file: 'b.docker.test.ts', test: 'a group is slow', ms: 900 },
      { file: 'a.test.ts', test: 'a group is fast', ms: 3 },
    ])
  } finally {
    rmSync(root, { recursive: true })
  }
})

it('shows at most ten of the slowest tests', () => {
  const lines = describeSlowest(Array.from({ length: 12 }, (_, i) => outcome('a.test.ts', `${i}`, 1_000 * i)))
  expect(lines).toHaveLength(10)
  expect(lines[0]).toMatch(/11 s {2}a\.test\.ts: a group 11$/)
})

it('finds new container tests that take more than 20 s', () => {
  const tests = [
    outcome('a.docker.test.ts', 'is old', 30_000),
    outcome('a.docker.test.ts', 'is new', 30_000),
    outcome('a.docker.test.ts', 'is fast', 10_000),
    outcome('b.docker.test.ts', 'is in a new file', 30_000),
    outcome('b.release.test.ts', 'is in the release suite', 30_000),
    outcome('c.db.test.ts', 'has no container', 30_000),
  ]
  const earlier = (file: string) => (file === 'a.docker.test.ts' ? "it('is old', () => {})" : null)
  const found = findSlowNewTests(tests, earlier)
  expect(found.map(({ title }) => title)).toEqual(['is new', 'is in a new file'])
  expect(describeSlowNewTest(outcome('a.docker.test.ts', 'is new', 30_000))).toMatch(/is new.*30 s.*release/s)
})
