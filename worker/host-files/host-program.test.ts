import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hostProgram } from './host-program'

it('runs a script with the Python of the image', () => {
  expect(hostProgram('/home/ada/a.py', undefined)).toEqual(['python', '-u', '/home/ada/a.py'])
})

it('activates a conda environment, also with scripts for bash, and keeps the arguments', async () => {
  const prefix = await mkdtemp(join(tmpdir(), 'gpuq-conda-'))
  try {
    await mkdir(join(prefix, 'bin'))
    await mkdir(join(prefix, 'conda-meta'))
    const state = { env_vars: { STORED: "it's $HOME", GONE: '***unset***' }, version: 1 }
    await writeFile(join(prefix, 'conda-meta/state'), JSON.stringify(state))
    await mkdir(join(prefix, 'etc/conda/activate.d'), { recursive: true })
    await writeFile(
      join(prefix, 'etc/conda/activate.d/own.sh'),
      `words=(x "a b")
export OWN="\${words[1]}"
`,
    )
    // Prints its variables and arguments instead of running a program.
    const program =
      '#!/bin/sh\n[ "$1" = -c ] && exec python3 "$@"\necho "$CONDA_PREFIX|$CONDA_DEFAULT_ENV|$OWN|$STORED|$GONE"\nprintf "<%s>" "$@"\n'
    await writeFile(join(prefix, 'bin/python'), program, { mode: 0o755 })
    const [file = '', ...args] = [...hostProgram('/home/ada/a b.py', prefix), '--x', "it's", '']
    const out = execFileSync(file, args, {
      env: { PATH: process.env.PATH, NODE_ENV: 'test', GONE: 'set' },
      encoding: 'utf8',
    })
    const name = prefix.split('/').at(-1)
    expect(out).toBe(`${prefix}|${name}|a b|it's $HOME|\n<-u></home/ada/a b.py><--x><it's><>`)
  } finally {
    await rm(prefix, { recursive: true })
  }
})
