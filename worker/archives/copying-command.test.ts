import { expect, it } from 'vitest'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { readSpec } from '@/lib/contract/config/stored-spec'
import { scriptProgram } from '../node/task/program/script-program'
import { claimedTask as task } from '../node/task/testing/claimed-task'
import { commandOf } from '../node/task/to-container-spec'
import { copiesFiles, copyingCommand } from './copying-command'

const commandFor = (of: ClaimedTask) => copyingCommand(of, commandOf(of, '/job'))

it('copies the uploaded directory, then executes the program', () => {
  const withDirectory = {
    ...task,
    archiveId: 'archive',
    spec: readSpec({ archive: 'a'.repeat(64) }),
  }
  const uploaded = commandFor(withDirectory)
  expect(uploaded.slice(0, 2)).toEqual(['/bin/sh', '-c'])
  expect(uploaded[2]).toMatch(/^cp -R .* && exec "\$@"$/)
  expect(uploaded.slice(4)).toEqual(['/work', 'python', '-u', '/work/solution.py'])
  const commanded = commandFor({ ...withDirectory, code: Buffer.alloc(0), command: 'sh run.sh' })
  expect(commanded.slice(4)).toEqual(['/work', '/bin/sh', '-c', 'sh run.sh'])
  expect(commanded[2]).not.toContain('solution.py')
})

it('copies the uploaded directory to the place that a feature gives it, unless the job has chosen one', () => {
  const uploaded = { ...task, archiveId: 'archive', code: Buffer.alloc(0), command: 'sh run.sh' }
  const at = (keys: object) =>
    copyingCommand({ ...uploaded, spec: readSpec({ archive: 'a'.repeat(64), ...keys }) }, [], '/app/program')
  expect(at({}).slice(4)).toEqual(['/app/program', '/bin/sh', '-c', 'sh run.sh'])
  expect(at({ working_directory: '/own' })[4]).toBe('/own')
})

it('copies the uploaded directory to the working directory of the job', () => {
  const spec = readSpec({ archive: 'a'.repeat(64), working_directory: '/workspace/it is "mine"' })
  const command = commandFor({
    ...task,
    archiveId: 'archive',
    code: Buffer.alloc(0),
    spec,
    command: 'sh run.sh',
  })
  expect(command.slice(4)).toEqual(['/workspace/it is "mine"', '/bin/sh', '-c', 'sh run.sh'])
})

it('runs the entrypoint of the uploaded directory by its extension, without a solution.py', () => {
  const withEntrypoint = (entrypoint: string) => ({
    ...task,
    archiveId: 'archive',
    code: Buffer.alloc(0),
    spec: readSpec({ archive: 'a'.repeat(64), entrypoint, args: ['--epochs', '1'] }),
  })
  const program = commandFor(withEntrypoint('src/train.py'))
  expect(program.slice(5)).toEqual(['python', '-u', '/work/src/train.py', '--epochs', '1'])
  expect(program[2]).not.toContain('solution.py')
  expect(commandFor(withEntrypoint('run.sh')).slice(5)).toEqual([
    ...scriptProgram('/work/run.sh'),
    '--epochs',
    '1',
  ])
})

it('copies the files of earlier attempts to a working directory without an uploaded one', () => {
  const working = { ...task, spec: readSpec({ working_directory: '/workspace' }) }
  const command = commandFor(working)
  expect(command[2]).not.toContain('solution.py')
  expect(command.slice(4)).toEqual(['/workspace', 'python', '-u', '/job/solution.py'])
  expect(copiesFiles(working)).toBe(true)
  expect(copiesFiles(task)).toBe(false)
})
