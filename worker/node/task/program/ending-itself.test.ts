import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { endingItself } from './ending-itself'

const run = promisify(execFile)

/** Runs a program with a `sleep` that ends at once, as if all times had passed; or one that cannot wait. */
async function runWith(
  sleep: string,
  program: string,
): Promise<{ code: string | number | null; stdout: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-ending-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  await writeFile(join(directory, 'sleep'), `#!/bin/sh\n${sleep}\n`, { mode: 0o755 })
  const [file = '', ...words] = endingItself(
    ['/bin/bash', '-c', program, join(directory, 'program'), 'a b', '"$c"'],
    60,
  )
  const env = { ...process.env, PATH: `${directory}:${process.env.PATH}` }
  const ended = await run(file, words, { env }).catch((error) => error)
  return { code: ended.signal ?? ended.code ?? 0, stdout: ended.stdout }
}

const here = '$(dirname "$0")/ready'
const ready = `touch "${here}"`
const untilReady = `until [ -e "${here}" ]; do :; done`
const endless = `${ready}; while :; do read -t 1 < <(:); done`

it('ends a program at its limit, also one that ignores SIGTERM', async () => {
  expect((await runWith(untilReady, endless)).code).toBe('SIGTERM')
  expect((await runWith(untilReady, `trap "" TERM; ${endless}`)).code).toBe('SIGKILL')
})

it('leaves its arguments, its exit code and its children alone', async () => {
  const children = 'read -r found < /proc/$$/task/$$/children; printf "%s" "$found"'
  const run = await runWith('/bin/sleep 1; exit 1', `printf "%s|" "$1" "$2"; ${children}; exit 7`)
  expect(run).toEqual({ code: 7, stdout: 'a b|"$c"|' })
})

it('ends nothing if it cannot wait', async () => {
  expect(await runWith('exit 1', 'echo done; exit 3')).toEqual({ code: 3, stdout: 'done\n' })
})
