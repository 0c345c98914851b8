import { describe, expect, it } from 'vitest'
import type { FoundFile } from '../files/safe-walk'
import { chooseChanges, initialFiles, type KnownFile, markCopied, smallBytes } from './choose-changes'

const MiB = 1 << 20

function file(path: string, bytes: number, mtimeNs = 1n): FoundFile {
  return { path, bytes, dataBytes: bytes, mtimeNs, ctimeNs: mtimeNs, inode: 1n, executable: false }
}

function known(as: FoundFile | null, storedBytes: number | null = null): KnownFile {
  return { sha256: 'hash', executable: false, as, storedBytes }
}

function choose(files: FoundFile[], more: Partial<Parameters<typeof chooseChanges>[0]> = {}) {
  const { small, large, ...rest } = chooseChanges({
    files,
    known: new Map(),
    previous: new Map(),
    since: new Map(),
    now: 100_000,
    last: false,
    ...more,
  })
  const paths = (chosen: FoundFile[]) => chosen.map(({ path }) => path)
  return { ...rest, small: paths(small), large: paths(large) }
}

describe('the files of a scan', () => {
  it('are read if they are new or changed, small ones first', () => {
    const same = file('same', 5)
    const files = [file('b', 20), file('a', 10), same, file('changed', 1, 2n)]
    const before = new Map([
      ['same', known(same)],
      ['changed', known(file('changed', 1, 1n))],
    ])
    expect(choose(files, { known: before }).small).toEqual(['changed', 'a', 'b'])
  })

  it('are read at the first scan although they were uploaded, because their times say nothing', () => {
    const uploaded = initialFiles([{ path: 'train.py', bytes: 5, sha256: 'hash' }], [])
    expect(choose([file('train.py', 5)], { known: uploaded }).small).toEqual(['train.py'])
  })

  it('are read before uploaded files that nobody may have changed', () => {
    const uploaded = initialFiles([{ path: 'a', bytes: 1, sha256: 'hash' }], [])
    expect(choose([file('a', 1), file('log', 500)], { known: uploaded }).small).toEqual(['log', 'a'])
  })

  it('are not read if nothing has changed them since they were copied', () => {
    const paths = ['before', 'after']
    const uploaded = initialFiles(
      paths.map((path) => ({ path, bytes: 1, sha256: 'hash' })),
      [],
    )
    const files = [file('before', 1, 1_999_999_999n), file('after', 1, 2_000_000_000n), file('new', 1, 1n)]
    markCopied(uploaded, files, 2_000)
    expect(choose(files, { known: uploaded }).small).toEqual(['new', 'after'])
  })

  it('are stored at once while they grow, up to the size of a log', () => {
    expect(
      choose([file('log', smallBytes, 2n)], { previous: new Map([['log', file('log', 5)]]) }),
    ).toMatchObject({
      small: ['log'],
      large: [],
    })
  })

  it('wait if they are large and still being written, but not without end', () => {
    const growing = file('model', 80 * MiB, 2n)
    const previous = new Map([['model', file('model', 40 * MiB)]])
    expect(choose([growing], { previous })).toMatchObject({ large: [], waiting: ['model'] })
    const since = (ms: number) => new Map([['model', 100_000 - ms]])
    expect(choose([growing], { previous, since: since(9_000) }).large).toEqual([])
    expect(choose([growing], { previous, since: since(10_000) }).large).toEqual(['model'])
    expect(choose([growing], { previous: new Map([['model', growing]]) }).large).toEqual(['model'])
    expect(choose([growing], { previous, last: true })).toMatchObject({ large: ['model'], waiting: [] })
  })

  it('are forgotten if two scans do not find them, but uploaded files never', () => {
    const recorded = new Map([
      ['gone', known(null, 5)],
      ['train.py', known(null)],
    ])
    expect(choose([], { known: recorded }).deleted).toEqual(['gone'])
    const previous = new Map([['gone', file('gone', 5)]])
    expect(choose([], { known: recorded, previous }).deleted).toEqual([])
    expect(choose([], { known: recorded, previous, last: true }).deleted).toEqual(['gone'])
  })
})

it('a new worker knows what the earlier one has stored', () => {
  const uploaded = [
    { path: 'train.py', bytes: 1, sha256: 'uploaded', executable: true as const },
    { path: 'latest', target: 'train.py' },
  ]
  const recorded = [{ path: 'train.py', bytes: 7, sha256: 'changed', executable: false }]
  expect([...initialFiles(uploaded, recorded)]).toEqual([
    ['train.py', { sha256: 'changed', executable: false, as: null, storedBytes: 7 }],
  ])
})
