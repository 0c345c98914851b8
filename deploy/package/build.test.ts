import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashSources, isSource } from './build.mjs'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpuq-build-test-'))
  write('app/page.tsx', 'one')
  write('lib/jobs/submit.ts', 'two')
})
afterEach(() => rmSync(directory, { recursive: true }))

function write(path: string, content: string) {
  mkdirSync(join(directory, path, '..'), { recursive: true })
  writeFileSync(join(directory, path), content)
}

describe('whether a build is needed', () => {
  it('depends on the names and contents of the sources', () => {
    const before = hashSources(directory)
    expect(hashSources(directory)).toBe(before)
    write('lib/jobs/submit.ts', 'three')
    const changed = hashSources(directory)
    expect(changed).not.toBe(before)
    write('lib/jobs/submit.ts', 'two')
    expect(hashSources(directory)).toBe(before)
    write('public/icon.svg', '<svg/>')
    expect(hashSources(directory)).not.toBe(before)
  })

  it('does not depend on tests, documents and generated code', () => {
    const before = hashSources(directory)
    write('lib/jobs/submit.test.ts', 'x')
    write('lib/database/generated/client.ts', 'x')
    write('deploy/README.md', 'x')
    write('docs/user.md', 'x')
    expect(hashSources(directory)).toBe(before)
  })

  it.each([
    ['worker/index.ts', true],
    ['prisma/migrations/1/migration.sql', true],
    ['lib/jobs/status.test.ts', false],
    ['lib/jobs/claim.db.test.ts', false],
    ['deploy/sample/solution.py', false],
  ])('%s: %s', (path, expected) => expect(isSource(path)).toBe(expected))
})
