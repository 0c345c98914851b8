import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readFolder } from './read-folder'

const examples = resolve('docs/examples/competitions')

it.each([
  ['codabench-style', 'scoring_program/scoring.py', 'scoring_program/ has no file scoring.py'],
  ['gradescope-style', 'autograder/run_autograder', 'autograder/ has no file run_autograder'],
])('the example %s is complete, and without %s it is refused', async (example, program, message) => {
  const directory = mkdtempSync(join(tmpdir(), 'gpuq-folder-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  cpSync(join(examples, example), directory, { recursive: true })
  const { directories } = await readFolder(directory)
  expect(Object.keys(directories)).toEqual(['sample', 'test', 'truth', 'scorer'])
  rmSync(join(directory, program))
  await expect(readFolder(directory)).rejects.toMatchObject({ errors: [{ path: 'scorer.command', message }] })
})
