import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type JournalEntry, ReleaseJournal } from './release-journal'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gpuq-release-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const code = { commit: 'abc', changes: '', node: 'v24.0.0' }
const run = { code, machine: '2 cores', seed: 7, now: new Date(0), restart: false }
const open = (changed: Partial<typeof run> = {}) => ReleaseJournal.open(root, { ...run, ...changed })

function entry(name: string, failed = 0): JournalEntry {
  return { name, date: new Date(0).toISOString(), ms: 60_000, passed: 5, failed, problems: [], outcomes: [] }
}

describe('an interrupted run of the release suite', () => {
  beforeEach(() => {
    const journal = open()
    journal.record(entry('unit'))
    journal.record(entry('db', 1))
  })

  it('continues after the checks that passed, with the same seed', () => {
    const journal = open({ seed: 8 })
    expect(journal.seed).toBe(7)
    expect(journal.findPassed('unit')).toMatchObject({ passed: 5 })
    expect(journal.findPassed('db')).toBeUndefined()
    expect(journal.findPassed('docker')).toBeUndefined()
  })

  it('replaces the result of a check that is repeated', () => {
    const journal = open()
    journal.record(entry('db'))
    expect(open().entries.map(({ name, failed }) => [name, failed])).toEqual([
      ['unit', 0],
      ['db', 0],
    ])
  })

  it.each([
    ['another commit', { code: { ...code, commit: 'def' } }],
    ['other uncommitted changes', { code: { ...code, changes: '1' } }],
    ['another version of Node.js', { code: { ...code, node: 'v22.12.0' } }],
    ['the wish to begin again', { restart: true }],
  ])('begins again after %s', (_, changed) => {
    expect(open(changed).entries).toEqual([])
  })

  it('begins again outside of git, where nothing says whether the code is the same', () => {
    const unknown = { code: { ...code, commit: '' }, restart: true }
    open(unknown).record(entry('unit'))
    expect(open({ ...unknown, restart: false }).entries).toEqual([])
  })

  it('begins again if its file is damaged', () => {
    writeFileSync(join(root, 'test-results', 'release.json'), '{"code"')
    expect(open().entries).toEqual([])
  })
})

it('reports what passed, what failed and what has not run', () => {
  const journal = open()
  journal.record(entry('unit'))
  journal.record({ ...entry('db', 1), problems: ['x could not be run'] })
  const report = readFileSync(journal.writeReport(['unit', 'db', 'docker'], ['82 of 82 rows passed']), 'utf8')
  expect(report).toContain('**10 passed, 1 failed, in 2 min 0 s of checks.** Not run: docker.')
  expect(report).toContain('| unit | yes | 5 | 0 | 1 min 0 s | 1970-01-01 00:00 |')
  expect(report).toContain('- db: x could not be run\n- 82 of 82 rows passed')
})

it('writes nothing before a check has ended', () => {
  open()
  expect(existsSync(join(root, 'test-results', 'release.json'))).toBe(false)
})
