import { execFileSync } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

const notCopied = new Set(['__pycache__', 'dist-packages', 'site-packages', 'test'])

/**
 * Makes a stand-in for a conda environment, because tests have no conda: the files by which conda recognizes one, an
 * activation script that sets STAND_IN, and a copy of this machine's Python with its library.
 */
export async function makeCondaStandIn(prefix: string): Promise<void> {
  const code = 'import sys, sysconfig; print(sys.executable); print(sysconfig.get_paths()["stdlib"])'
  const [python = '', library = ''] = execFileSync('/usr/bin/python3', ['-c', code], {
    encoding: 'utf8',
  }).split('\n')
  for (const path of ['bin', 'lib', 'conda-meta', 'etc/conda/activate.d'])
    await mkdir(join(prefix, path), { recursive: true })
  await cp(python, join(prefix, 'bin/python'), { dereference: true })
  await cp(library, join(prefix, 'lib', basename(library)), {
    recursive: true,
    filter: (path) => !notCopied.has(basename(path)),
  })
  await writeFile(join(prefix, 'conda-meta/history'), '')
  await writeFile(join(prefix, 'etc/conda/activate.d/stand-in.sh'), 'export STAND_IN=active\n')
}
