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
    await mkdir(join(prefix, 'etc/conda/activate.d'), { recursive: true })
    await writeFile(
      join(prefix, 'etc/conda/activate.d/own.sh'),
      `words=(x "a b")
export OWN="\${words[1]}"
`,
    )
    const program = '#!/bin/sh\necho "$CONDA_PREFIX|$CONDA_DEFAULT_ENV|$OWN"\nprintf "<%s>" "$@"\n'
    await writeFile(join(prefix, 'bin/python'), program, { mode: 0o755 })
    const [file = '', ...args] = [...hostProgram('/home/ada/a b.py', prefix), '--x', "it's", '']
    const out = execFileSync(file, args, {
      env: { PATH: process.env.PATH, NODE_ENV: 'test' },
      encoding: 'utf8',
    })
    const name = prefix.split('/').at(-1)
    expect(out).toBe(`${prefix}|${name}|a b\n<-u></home/ada/a b.py><--x><it's><>`)
  } finally {
    await rm(prefix, { recursive: true })
  }
})
