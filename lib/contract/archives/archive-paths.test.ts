import { posix } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refuseLink, refusePath } from './archive-paths'

/** Names that somebody would try: dots, slashes of both kinds, controls, halves of characters, very long ones. */
const names = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('a', 'b', '..', '.', '', '...', 'C:', '~', '\\', '\0', '\n', '-rf'),
  },
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.constant('x'.repeat(300)),
)
const paths = fc.array(names, { maxLength: 6 }).map((parts) => parts.join('/'))

describe('paths', () => {
  it('paths that are taken lie below the directory, whatever they are made of', () => {
    fc.assert(
      fc.property(paths, (path) => {
        if (refusePath(path) !== null) return
        const full = posix.resolve('/work', path)
        expect(full).toBe(`/work/${path}`)
        expect(Buffer.from(path).toString()).toBe(path)
        expect(path).not.toMatch(/[\0\\\r\n]/)
      }),
      { numRuns: 5_000 },
    )
  })

  it.each(['a', 'a/b.py', '.hidden', '...', '-rf', 'ünï/文', 'a b', `${'x'.repeat(255)}`])(
    'take %s',
    (path) => {
      expect(refusePath(path)).toBeNull()
    },
  )

  it.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    './a',
    'a/..',
    '../a',
    'a\\..\\b',
    'a\nb',
    'a\u0085b',
    '\ud800',
    'a\ufffd',
    'x'.repeat(256),
    `${'a/'.repeat(512)}b`,
  ])('refuse %j', (path) => {
    expect(refusePath(path)).not.toBeNull()
  })
})

describe('links', () => {
  it('links that are taken stay inside, even where they lead through each other', () => {
    const link = fc.tuple(
      fc
        .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
        .map((parts) => parts.join('/')),
      fc
        .array(fc.constantFrom('a', 'b', 'c', '..', '.'), { minLength: 1, maxLength: 5 })
        .map((parts) => parts.join('/')),
    )
    fc.assert(
      fc.property(fc.array(link, { maxLength: 6 }), (links) => {
        const taken = new Map(links.filter(([path, target]) => refuseLink(path, target) === null))
        // Nothing lies below a link: a manifest refuses that.
        const paths = [...taken.keys()].filter(
          (path) => ![...taken.keys()].some((other) => path.startsWith(`${other}/`)),
        )
        const own = new Map(paths.map((path) => [path, taken.get(path) ?? '']))
        for (const path of paths) expect(follow(own, path)).not.toBe('outside')
      }),
      { numRuns: 3_000 },
    )
  })

  it.each([
    ['a', 'b'],
    ['a', '.'],
    ['a', './b/'],
    ['a/b', '..'],
    ['a/b', '../c'],
    ['a/b/c', '../../x/y'],
    ['a', 'not/there'],
  ])('take %s → %s', (path, target) => {
    expect(refuseLink(path, target)).toBeNull()
  })

  it.each([
    ['a', '..'],
    ['a', '../x'],
    ['a/b', '../../x'],
    ['a', '/etc/passwd'],
    ['a/b', 'c/../../..'],
    ['a', ''],
    ['a', 'b\0c'],
    ['a', 'x'.repeat(5000)],
  ])('refuse %s → %j', (path, target) => {
    expect(refuseLink(path, target)).not.toBeNull()
  })
})

/** Where a link leads as a file system would follow it, each name of its target in turn. */
function follow(links: ReadonlyMap<string, string>, start: string): 'inside' | 'outside' | 'circle' {
  let place: string[] = []
  let left = start.split('/')
  for (let followed = 0; left.length > 0; ) {
    const [name = '', ...rest] = left
    left = rest
    if (name === '.' || name === '') continue
    if (name === '..') {
      if (place.length === 0) return 'outside'
      place = place.slice(0, -1)
      continue
    }
    const target = links.get([...place, name].join('/'))
    if (target === undefined) place = [...place, name]
    // As many as Linux follows.
    else if (++followed > 40) return 'circle'
    else left = [...target.split('/'), ...left]
  }
  return 'inside'
}
