import { expect, it } from 'vitest'
import { describePrepareFailure } from './prepare-failure'

const end = { exitCode: 70, outOfMemory: false, printed: '', memoryMib: 512 }

it.each([
  [
    'its own reason',
    { printed: 'import a failed: ModuleNotFoundError\n' },
    'import a failed: ModuleNotFoundError',
  ],
  ['the memory', { exitCode: 137, outOfMemory: true }, 'the imports exceeded the memory of a job (512 MiB)'],
  ['the time', { exitCode: 142 }, 'the imports took longer than 60 s'],
  [
    'the last line',
    { exitCode: 127, printed: 'a\nenv: no python\n' },
    'Python ended with exit code 127: env: no python',
  ],
  ['the exit code', { exitCode: 139 }, 'Python ended with exit code 139'],
])('names %s', (_, changes, reason) => {
  expect(describePrepareFailure({ ...end, ...changes })).toBe(reason)
})
