import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { archiveHash } from '../../archives/archive-hash'
import { contentsOf, type Entry, parentsOf, toManifest, totalBytes } from './archive-manifest'
import { entriesSchema } from './manifest-schema'

const hashOf = (letter: string) => letter.repeat(64)
const file = (path: string, letter = 'a', bytes = 1): Entry => ({ path, bytes, sha256: hashOf(letter) })

const entries = fc.uniqueArray(
  fc.record({
    path: fc.stringMatching(/^[a-c]{1,3}(\/[a-c]{1,2}){0,2}$/),
    letter: fc.constantFrom('a', 'b', 'c'),
    executable: fc.boolean(),
  }),
  { selector: ({ path }) => path, minLength: 1, maxLength: 12 },
)

describe('a manifest', () => {
  it('has one hash for one content, in whatever order it is listed', () => {
    fc.assert(
      fc.property(entries, fc.infiniteStream(fc.nat()), (given, order) => {
        const list = given.map(
          ({ path, letter, executable }): Entry => ({
            ...file(path, letter),
            ...(executable && { executable: true as const }),
          }),
        )
        const shuffled = list
          .map((entry) => ({ entry, at: order.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ entry }) => Object.fromEntries(Object.entries(entry).toReversed()) as unknown as Entry)
        expect(archiveHash(toManifest(shuffled))).toBe(archiveHash(toManifest(list)))
      }),
    )
  })

  it('has another hash for every change', () => {
    const base = [file('a'), file('b', 'b')]
    const changes: Entry[][] = [
      [file('a')],
      [file('a'), file('c', 'b')],
      [file('a'), file('b', 'c')],
      [file('a'), { ...file('b', 'b'), executable: true } as Entry],
      [file('a'), { path: 'b', target: 'a' }],
      [...base, file('c')],
    ]
    const hashes = [base, ...changes].map((list) => archiveHash(toManifest(list)))
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  it('names each content once, and counts every file', () => {
    const list = [file('a', 'a', 10), file('b', 'a', 10), file('c', 'b', 5), { path: 'l', target: 'a' }]
    expect([...contentsOf(list)]).toEqual([
      [hashOf('a'), 10],
      [hashOf('b'), 5],
    ])
    expect(totalBytes(list)).toBe(25)
  })

  it('never has something below a file, or one path twice', () => {
    fc.assert(
      fc.property(entries, (given) => {
        const list = given.map(({ path }) => file(path))
        const paths = new Set(given.map(({ path }) => path))
        const clashes = given.some(({ path }) => parentsOf(path).some((parent) => paths.has(parent)))
        expect(entriesSchema.safeParse(list).success).toBe(!clashes)
        expect(entriesSchema.safeParse([...list, list[0]]).success).toBe(false)
      }),
    )
  })

  it('takes names that differ in case alone, as Linux does', () => {
    expect(entriesSchema.safeParse([file('Readme'), file('README')]).success).toBe(true)
  })

  it('answers a list of thousands of mistakes in a few', () => {
    const list = Array.from({ length: 50_000 }, (_, index) => file(`../${index}`))
    expect(entriesSchema.safeParse(list).error?.issues).toHaveLength(10)
  })
})
