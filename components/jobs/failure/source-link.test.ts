import { expect, it } from 'vitest'
import { findSourceFile } from '@/lib/contract/diagnosis/source-file'
import { sourceQuery } from './source-link'

const at = (file: string) => ({ file, line: 3, code: null })
const files = ['solution.py', 'src/train.py', 'train.py'].map((path) => ({ path, bytes: 1, target: null }))

it.each([
  ['/job/solution.py', [], 'solution.py'],
  ['/job/solution.py', files, 'solution.py'],
  ['/work/solution.py', [], 'solution.py'],
  ['/work/src/train.py', files, 'src/train.py'],
  ['/home/ada/project/train.py', files, 'train.py'],
  ['./train.py', files, 'train.py'],
  ['/work/downloaded.py', files, null],
  ['/work/train.py', [{ path: 'train.py', bytes: 0, target: 'other.py' }], null],
  ['/work/train.py', null, null],
])('finds %s among the files of a job', (path, directory, found) => {
  expect(findSourceFile(at(path), directory)).toBe(found)
})

it('links to a line of a file', () => {
  expect(String(sourceQuery('a b/c.py', 12))).toBe('tab=source&file=a+b%2Fc.py&line=12')
})
