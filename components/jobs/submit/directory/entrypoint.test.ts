import { expect, it } from 'vitest'
import { readConfigText } from '../../editor/config-text'
import { arrange, toLocalFile } from './directory'
import { findEntrypoint, listEntrypoints, withEntrypoint } from './entrypoint'

const directoryOf = (...paths: string[]) =>
  arrange(
    { name: null, configFile: null },
    paths.map((path) => toLocalFile(path, '')),
  )

it('is the file of the config, a default, or missing', () => {
  const directory = directoryOf('main.py', 'src/train.py')
  expect(findEntrypoint(directory, 'project_id: p\n')).toEqual({ kind: 'file', path: 'main.py' })
  expect(findEntrypoint(directory, 'entrypoint: src/train.py\n')).toEqual({
    kind: 'file',
    path: 'src/train.py',
  })
  expect(findEntrypoint(directory, 'command: ls\n')).toEqual({ kind: 'command', command: 'ls' })
  expect(findEntrypoint(directory, 'entrypoint: other.py\n')).toMatchObject({
    kind: 'missing',
    problem: expect.stringContaining('does not have other.py'),
  })
  expect(findEntrypoint(directoryOf('src/train.py'), '')).toMatchObject({
    kind: 'missing',
    problem: expect.stringContaining('It has src/train.py'),
  })
})

it('is written to the config only if it is not the default', () => {
  const directory = directoryOf('solution.py', 'main.py')
  const chosen = withEntrypoint('project_id: p\n', directory, 'main.py')
  expect(readConfigText(chosen)?.read('entrypoint')).toEqual({ kind: 'value', value: 'main.py' })
  expect(withEntrypoint(chosen, directory, 'solution.py')).toBe('project_id: p\n')
})

it('can be any program of the directory', () => {
  expect(listEntrypoints(directoryOf('z/b.py', 'data.csv', 'a/run.sh', 'top.py'))).toEqual([
    'top.py',
    'a/run.sh',
    'z/b.py',
  ])
})
