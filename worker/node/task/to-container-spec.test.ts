import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { readSpec } from '@/lib/contract/config/stored-spec'
import { readJobNetworks } from '@/lib/contract/job-network'
import type { NodeContext } from '../node-context'
import { scriptProgram } from './program/script-program'
import { writeTaskDirectory } from './task-directory'
import { claimedTask as task } from './testing/claimed-task'
import { toContainerSpec } from './to-container-spec'

const lease = { nodeId: 'node', leaseId: 'lease', engineId: 'engine' }
const range = readJobNetworks('10.213.0.0/16')
const containerFor = (of: ClaimedTask, jobNetworks = range) =>
  toContainerSpec(of, { lease, tasksDirectory: '/tasks', jobNetworks } as NodeContext)

async function filesOf(of: ClaimedTask): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-task-'))
  await writeTaskDirectory(directory, of)
  const names = await readdir(directory)
  const texts = await Promise.all(
    names.toSorted().map(async (name) => `${name}: ${await readFile(join(directory, name), 'utf8')}`),
  )
  await rm(directory, { recursive: true })
  return texts
}

it('runs solution.py with its arguments', async () => {
  expect(containerFor(task).command).toEqual(['python', '-u', '/job/solution.py', '--epochs', '10'])
  expect(await filesOf(task)).toEqual([expect.stringMatching(/^config.yaml: /), 'solution.py: print(1)'])
})

it('passes its GPUs as numbered in the container, if the job requests it', () => {
  const gpu = (index: number) => ({ uuid: `GPU-${index}`, index, simulated: false, milli: 1000 })
  const spec = readSpec({ args: ['--cuda', '7', '--epochs', '10'], cuda_argument: true })
  const asked = containerFor({ ...task, spec, gpus: [gpu(2), gpu(5)] })
  expect(asked.command.slice(3)).toEqual(['--cuda', '0,1', '--epochs', '10'])
  expect(asked.gpuUuids).toEqual(['GPU-2', 'GPU-5'])
  const unasked = containerFor({ ...task, spec: readSpec({ args: spec.args }), gpus: [gpu(2), gpu(5)] })
  expect(unasked.command.slice(3)).toEqual(spec.args)
  expect(containerFor({ ...task, spec: { ...spec, args: ['a'] } }).command.slice(3)).toEqual(['a'])
})

it('passes a command unchanged to a shell, in an otherwise equal container', async () => {
  const command = 'echo "$HOME" \'$5\' && python train.py; exit 3'
  const commanded = { ...task, code: Buffer.alloc(0), command }
  expect(containerFor(commanded)).toEqual({
    ...containerFor(task),
    command: ['/bin/sh', '-c', command],
  })
  expect(await filesOf(commanded)).toEqual([expect.stringMatching(/^config.yaml: /)])
})

it('runs a command whose first line names a program with it, and lets lines end with CR LF', async () => {
  const windows = { ...task, code: Buffer.alloc(0), command: 'mkdir out\r\necho hi > out/a.txt' }
  expect(containerFor(windows).command).toEqual(['/bin/sh', '-c', 'mkdir out\necho hi > out/a.txt'])
  const named = { ...windows, command: '#!/usr/bin/env bash\r\nset -o pipefail' }
  expect(containerFor(named).command).toEqual(scriptProgram('/job/command'))
  expect(await filesOf(named)).toContain('command: #!/usr/bin/env bash\nset -o pipefail')
})

it('has no solution.py if the job runs a file of its uploaded directory', async () => {
  const spec = readSpec({ archive: 'a'.repeat(64), entrypoint: 'run.sh', run_name: 'base' })
  const withEntrypoint = { ...task, archiveId: 'archive', code: Buffer.alloc(0), spec }
  expect(await filesOf(withEntrypoint)).toEqual([expect.stringMatching(/^config.yaml: /)])
  expect(containerFor(withEntrypoint).runName).toBe('base')
})

it('receives the nodes of all tasks, and the number of processes of each', async () => {
  const peers = [2, 2].map((gpuCount, rank) => ({
    rank,
    nodeId: `node-${rank}`,
    nodeName: `n${rank}`,
    engineId: `engine/${rank}`,
    machineId: 'engine',
    address: '192.0.2.7',
    gpuCount,
  }))
  const one = { ...task, rank: 1, instances: 2, networkIndex: 1, peers }
  expect(containerFor(one).network).toEqual({
    subnet: '10.213.0.16/28',
    vni: 0xad5001,
    internet: false,
    peers: [
      { address: '10.213.0.18', processes: 2, machine: null },
      { address: '10.213.0.19', processes: 2, machine: null },
    ],
  })
  expect(await filesOf(one)).toContain('hostfile: rank-0 slots=2\nrank-1 slots=2\n')
  expect(await filesOf(task)).not.toContainEqual(expect.stringContaining('hostfile'))
  const without = { ...one, peers: peers.map((peer) => ({ ...peer, gpuCount: 0 })) }
  expect(containerFor(without).network).toMatchObject({ peers: [{ processes: 1 }, { processes: 1 }] })
  const apart = { ...one, peers: peers.map((peer) => ({ ...peer, machineId: peer.nodeId })) }
  expect(containerFor(apart).network).toMatchObject({
    peers: [{ machine: { node: 'n0', address: '192.0.2.7' } }, { machine: null }],
  })
  // A leader with a larger range has assigned an index that this node does not have.
  expect(() => containerFor({ ...one, networkIndex: 16 }, readJobNetworks('192.168.7.0/24'))).toThrow(
    /GPUQ_JOB_NETWORKS/,
  )
})
