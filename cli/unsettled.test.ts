import { execFile } from 'node:child_process'
import { expect, it } from 'vitest'

/** Runs a program of its own, because the process of the tests does not end. */
const exitCodeOf = (work: string) =>
  new Promise<number | string | null | undefined>((resolve) => {
    const program = `import { failUnlessSettled } from './cli/unsettled.ts'; void failUnlessSettled(${work})`
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
    execFile(process.execPath, args, (error) => resolve(error === null ? 0 : error.code))
  })

it.each([
  ['that has settled', 'Promise.resolve()', 0],
  ['that sets an exit code', '(async () => { process.exitCode = 7 })()', 7],
  ['that ends the process', 'new Promise(() => process.exit(0))', 0],
  ['that nothing can settle any more', 'new Promise(() => {})', 1],
])('given work %s, the exit code is right', async (_, work, code) => {
  expect(await exitCodeOf(work)).toBe(code)
})
