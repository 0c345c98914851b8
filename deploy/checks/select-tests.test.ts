import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isReleaseOnly, kindOf, selectTests } from './select-tests'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gpuq-select-'))
  const paths = [
    'lib/a.test.ts',
    'components/a.test.tsx',
    'lib/a.db.test.ts',
    'worker/b.docker.test.ts',
    'worker/b.faults.test.ts',
    'worker/b.release.test.ts',
    'worker/b.ts',
    'e2e/a.server.test.ts',
    'e2e/b.release.test.ts',
    'e2e/a.release.spec.ts',
    'e2e/a.spec.ts',
    'node_modules/x/a.test.ts',
  ]
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
})
afterEach(() => rmSync(root, { recursive: true }))

const selected = (...patterns: string[]) => Object.fromEntries(selectTests(root, patterns))

it('tells the kind of a test by its name', () => {
  expect(kindOf('lib/a.test.ts')).toBe('unit')
  expect(kindOf('lib/a.ts')).toBeUndefined()
  expect(kindOf('e2e/system/a.ts')).toBeUndefined()
})

it('selects all tests of gpuq without a pattern', () => {
  expect(selected()).toEqual({
    unit: ['components/a.test.tsx', 'lib/a.test.ts'],
    db: ['lib/a.db.test.ts'],
    docker: ['worker/b.docker.test.ts', 'worker/b.release.test.ts'],
    faults: ['worker/b.faults.test.ts'],
    server: ['e2e/a.server.test.ts', 'e2e/b.release.test.ts'],
    e2e: ['e2e/a.release.spec.ts', 'e2e/a.spec.ts'],
  })
})

it('knows the files that only the release suite runs', () => {
  const all = [...selectTests(root, []).values()].flat()
  expect(all.filter(isReleaseOnly).sort()).toEqual([
    'e2e/a.release.spec.ts',
    'e2e/b.release.test.ts',
    'worker/b.faults.test.ts',
    'worker/b.release.test.ts',
  ])
})

it('selects the files whose path contains a pattern', () => {
  expect(selected('lib/a')).toEqual({ unit: ['lib/a.test.ts'], db: ['lib/a.db.test.ts'] })
  expect(selected('e2e/a.spec', 'b.docker')).toEqual({
    docker: ['worker/b.docker.test.ts'],
    e2e: ['e2e/a.spec.ts'],
  })
  expect(selected('nothing')).toEqual({})
})
