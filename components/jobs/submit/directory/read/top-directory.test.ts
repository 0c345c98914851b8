import { expect, it } from 'vitest'
import { toLocalFile } from '../directory'
import { isArchiveName, withoutTopDirectory } from './top-directory'

const strip = (name: string, paths: string[]) =>
  withoutTopDirectory(
    name,
    paths.map((path) => toLocalFile(path, '')),
  ).map(({ path }) => path)

it('takes the content of a folder that was packed as a whole', () => {
  expect(strip('project.zip', ['project/lib/a.py', 'project/b.csv'])).toEqual(['lib/a.py', 'b.csv'])
  expect(strip('download (1).tar.gz', ['repo-main/main.py', 'repo-main/x'])).toEqual(['main.py', 'x'])
})

it('keeps the only directory of a project', () => {
  expect(strip('project.zip', ['src/train.py'])).toEqual(['src/train.py'])
  expect(strip('project.zip', ['project/main.py', 'other'])).toEqual(['project/main.py', 'other'])
  expect(strip('project.zip', ['main.py'])).toEqual(['main.py'])
  expect(strip('project.zip', [])).toEqual([])
})

it('knows archives by their names', () => {
  expect(['a.zip', 'A.ZIP', 'a.tar', 'a.tar.gz', 'a.tgz'].every(isArchiveName)).toBe(true)
  expect(['a.gz', 'zip', 'a.py'].some(isArchiveName)).toBe(false)
})
