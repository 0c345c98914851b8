import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rewrittenScript, scriptProgram } from './script-program'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-script-'))
})
afterAll(() => rm(directory, { recursive: true }))

/** Runs a script as a job does. */
async function run(script: string, args: string[] = [], env: Record<string, string> = {}) {
  const path = join(directory, 'run.sh')
  await writeFile(path, script)
  const [program = '', ...words] = [...scriptProgram(path), ...args]
  const { status, stdout, stderr } = spawnSync(program, words, {
    encoding: 'utf8',
    cwd: directory,
    env: { ...process.env, ...env },
  })
  return { status, stdout, stderr, script: await readFile(path, 'utf8') }
}

const hasBash = () => execFileSync('sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim()
/** Only bash has arrays and this option. */
const bashBody = 'set -euo pipefail\nARGS=(--lr 1e-3)\necho $ARGS "$@"\n'

describe('a script', () => {
  it.each([
    '#!/usr/bin/env bash',
    '#!/bin/bash',
    '#! /bin/bash -e',
    '#!/no/such/directory/bash',
    '#!/no/such/env bash',
    '#!/usr/bin/env -S bash -e',
    '#!/usr/bin/env A=1 bash',
  ])('is run by the bash of its first line: %s', async (line) => {
    expect(hasBash()).not.toBe('')
    expect(await run(`${line}\n${bashBody}`, ['a b', '*'])).toMatchObject({
      status: 0,
      stdout: '--lr a b *\n',
      stderr: '',
    })
  })

  it('may be in another language', async () => {
    const node = `#!/usr/bin/env node\nconsole.log(process.argv.slice(2).join('-'))\n`
    expect(await run(node, ['a', 'b c'])).toMatchObject({ status: 0, stdout: 'a-b c\n' })
  })

  it.each(['', '#!\n', '# a comment\n', '#!/bin/sh\n'])(
    'a script without another program is run by sh: %j',
    async (head) => {
      expect(await run(`${head}echo "$0" "$1"\n`, ['x'])).toMatchObject({
        status: 0,
        stdout: `${join(directory, 'run.sh')} x\n`,
      })
    },
  )

  it('ends with a sentence about a program that the image does not have', async () => {
    const { status, stdout, stderr } = await run('#!/usr/bin/env fish\necho hi\n')
    expect([status, stdout]).toEqual([127, ''])
    expect(stderr).toBe(
      'gpuq: the first line of run.sh asks for fish, which the image of this job does not have. Change this line, or use an environment that has fish.\n',
    )
  })

  it('keeps the variables of the job and its exit code', async () => {
    const env = { gpuq: '1', line: 'kept', IFS: 'o' }
    expect(await run('#!/bin/bash\necho $line\nexit 3\n', [], env)).toMatchObject({
      status: 3,
      stdout: 'kept\n',
    })
  })

  it('a script of Windows runs as with the line ends of Unix, and says so', async () => {
    const windows = '#!/bin/sh\r\necho start\r\nmkdir -p out\r\nls -d out\r\n'
    const { status, stdout, stderr, script } = await run(windows)
    expect([status, stdout]).toEqual([0, 'start\nout\n'])
    expect(stderr).toContain('run.sh end with CR LF')
    expect(script).toBe(windows.replaceAll('\r\n', '\n'))
  })

  it.each(['echo é\r\necho b\r\n', 'echo a\r\n\n\r\n\r\n', 'echo a\r\necho b', 'echo a\n\n', 'echo a\r'])(
    '%j is rewritten as gpuq expects, which does not count it as changed',
    async (text) => {
      expect((await run(text)).script).toBe(rewrittenScript(Buffer.from(text)).toString())
    },
  )

  it('a script with a carriage return within a line is not changed', async () => {
    const progress = "printf '10%%\r20%%\\n'\n"
    expect(await run(progress)).toMatchObject({
      status: 0,
      stdout: '10%\r20%\n',
      stderr: '',
      script: progress,
    })
  })
})
