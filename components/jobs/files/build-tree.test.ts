import { expect, it } from 'vitest'
import { buildTree } from './build-tree'

const file = (path: string, bytes: number) => ({ path, bytes, target: null })

it('arranges files by their directories, with sizes and counts', () => {
  const tree = buildTree([file('src/net/a.py', 3), file('main.py', 1), file('src/b.py', 5)])
  expect(tree).toMatchObject({ bytes: 9, count: 3, files: [{ name: 'main.py', path: 'main.py' }] })
  expect(tree.directories).toMatchObject([
    {
      name: 'src',
      bytes: 8,
      count: 2,
      files: [{ name: 'b.py', path: 'src/b.py' }],
      directories: [{ name: 'net', path: 'src/net', bytes: 3, files: [{ name: 'a.py' }] }],
    },
  ])
})

it('keeps names that objects have', () => {
  expect(buildTree([file('__proto__/constructor', 1)]).directories).toMatchObject([{ name: '__proto__' }])
})
