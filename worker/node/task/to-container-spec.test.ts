import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { readSpec } from '@/lib/contract/config/stored-spec'
import { readJobNetworks } from '@/lib/contract/job-network'
import { scriptProgram } from './program/script-program'
import { writeTaskDirectory } from './task-directory'
import { toContainerSpec } from './to-container-spec'

const task: ClaimedTask = {
  id: 'task',
  jobId: 'job',
  attempt: 1,
  rank: 0,
  status: 'starting',
  cpuMilli: 1000,
  memoryMib: 1024,
  image: 'gpuq/python:2',
  network: 'none',
  prepare: [],
  spec: readSpec({ args: ['--epochs', '10'], env: { SEED: '1' } }),
  archiveId: null,
  mounts: [],
  code: Buffer.from('print(1)'),
  command: null,
  project: { id: 'project', owner: 'ada', slug: 'thesis' },
  run: null,
  workspace: null,
  user: { handle: 'ada', uid: null, gid: null },
  timeLimitS: 60,
  expectedTimeS: 30,
  ranSeconds: 0,
  wasPaused: false,
  stdoutConsumed: 0,
  stderrConsumed: 0,
  outputBytes: 0,
  metrics: {},
  stopReason: null,
  gpus: [],
  instances: 1,
  networkIndex: null,
  cgroup: null,
  peers: [
    {
      rank: 0,
      nodeId: 'node',
      nodeName: 'a',
      engineId: 'engine',
      machineId: 'engine',
      address: null,
      gpuCount: 0,
    },
  ],
}
const lease = { nodeId: 'node', leaseId: 'lease', engineId: 'engine' }
const range = readJobNetworks('10.213.0.0/16')
const containerFor = (of: ClaimedTask, jobNetworks = range) =>
  toContainerSpec(of, lease, '/tasks/task', jobNetworks)

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

it('runs a script of the host at its own path, with its arguments', () => {
  const spec = readSpec({ host_script: '/home/ada/train.py', args: ['--epochs', '1'] })
  expect(containerFor({ ...task, spec }).command).toEqual([
    'python',
    '-u',
    '/home/ada/train.py',
    '--epochs',
    '1',
  ])
  const inConda = { ...spec, conda_prefix: '/opt/conda' }
  expect(containerFor({ ...task, spec: inConda }).command.slice(-4)).toEqual([
    '/opt/conda',
    '/home/ada/train.py',
    '--epochs',
    '1',
  ])
})

it('copies the uploaded directory, then executes the program', () => {
  const withDirectory = {
    ...task,
    archiveId: 'archive',
    spec: readSpec({ archive: 'a'.repeat(64), run_name: 'base' }),
  }
  const uploaded = containerFor(withDirectory)
  expect(uploaded.command.slice(0, 2)).toEqual(['/bin/sh', '-c'])
  expect(uploaded.command[2]).toMatch(/^cp -R .* && exec "\$@"$/)
  expect(uploaded.command.slice(4)).toEqual(['/work', 'python', '-u', '/work/solution.py'])
  expect(uploaded.runName).toBe('base')
  const commanded = containerFor({ ...withDirectory, code: Buffer.alloc(0), command: 'sh run.sh' })
  expect(commanded.command.slice(4)).toEqual(['/work', '/bin/sh', '-c', 'sh run.sh'])
  expect(commanded.command[2]).not.toContain('solution.py')
})

it('copies the uploaded directory to the working directory of the job', () => {
  const spec = readSpec({ archive: 'a'.repeat(64), working_directory: '/workspace/it is "mine"' })
  const { command } = containerFor({
    ...task,
    archiveId: 'archive',
    code: Buffer.alloc(0),
    spec,
    command: 'sh run.sh',
  })
  expect(command.slice(4)).toEqual(['/workspace/it is "mine"', '/bin/sh', '-c', 'sh run.sh'])
})

it('runs the entrypoint of the uploaded directory by its extension, without a solution.py', async () => {
  const withEntrypoint = (entrypoint: string) => ({
    ...task,
    archiveId: 'archive',
    code: Buffer.alloc(0),
    spec: readSpec({ archive: 'a'.repeat(64), entrypoint, args: ['--epochs', '1'] }),
  })
  const program = containerFor(withEntrypoint('src/train.py')).command
  expect(program.slice(5)).toEqual(['python', '-u', '/work/src/train.py', '--epochs', '1'])
  expect(program[2]).not.toContain('solution.py')
  expect(containerFor(withEntrypoint('run.sh')).command.slice(5)).toEqual([
    ...scriptProgram('/work/run.sh'),
    '--epochs',
    '1',
  ])
  expect(await filesOf(withEntrypoint('run.sh'))).toEqual([expect.stringMatching(/^config.yaml: /)])
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
