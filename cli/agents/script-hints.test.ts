import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Client } from '@/lib/http/client/client'
import { hintScripts } from './script-hints'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-script-hints-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const environments = [
  { name: 'python', network: 'none', is_default: true, enabled: true },
  { name: 'online', network: 'internet', is_default: false, enabled: true },
]
const client = { environments: { list: async () => environments } } as unknown as Pick<Client, 'environments'>

async function hints(script: string, name = 'train.sh', environment?: string): Promise<string[]> {
  const path = join(directory, name)
  await writeFile(path, script)
  return hintScripts(client, {
    command: `bash ${path}`,
    environment,
    provided: [directory, '/data'],
    directory,
  })
}

it('a script that was sent gets the hints that its lines would get as a command', async () => {
  const script = `#!/bin/bash
# Don't read this: /elsewhere/comment
set -e
pip install \\
  einops
python ${'DIRECTORY'}/train.py --data /data/train --model /home/ada/model.pt
`
  const [paths, network, ...more] = await hints(script.replace('DIRECTORY', directory))
  expect(more).toEqual([])
  expect(paths).toContain('train.sh names /home/ada/model.pt, which the job will not have')
  expect(network).toContain(
    'train.sh runs pip, which needs the internet, but the environment "python" has no',
  )
  expect(network).toContain('Use an environment that has it: "online".')
})

it('an environment with the internet, a path that is sent and another kind of file get none', async () => {
  expect(await hints('pip install x\n', 'train.sh', 'online')).toEqual([])
  expect(await hints(`python ${directory}/a.py /data/x /usr/bin/y\n`)).toEqual([])
  expect(await hints('open("/home/ada/model.pt")\n', 'train.py')).toEqual([])
  expect(
    await hintScripts(client, { command: 'sh /other/a.sh', environment: undefined, provided: [], directory }),
  ).toEqual([])
})
