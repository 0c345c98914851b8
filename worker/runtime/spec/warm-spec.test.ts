import { describe, expect, it } from 'vitest'
import type { TaskContainer } from '../runtime'
import { buildContainerSpec, containerName, labels, parseContainerName } from './container-spec'
import { parseWarmName, requestClassOf, toWarmSpec, warmName } from './warm-spec'

const task: TaskContainer = {
  jobId: '0198c0de-0000-7000-8000-000000000001',
  taskId: '0198c0de-0000-7000-8000-000000000002',
  attempt: 2,
  rank: 1,
  nodeId: 'node',
  image: 'image',
  command: ['python', '-u', '/job/solution.py'],
  env: { A: 'b' },
  directory: '/tasks/2',
  runName: null,
  results: '/results/2',
  workspace: null,
  workingDirectory: null,
  checkpoints: null,
  mounts: [],
  gpuUuids: [],
  simulated: true,
  cpuMilli: 1000,
  memoryMib: 512,
  cgroupParent: null,
  network: 'none',
  tty: false,
  prepare: [],
}

describe('the request class', () => {
  it('is equal for tasks that differ only in what a running container can get', () => {
    const other = {
      jobId: '2',
      taskId: '2',
      attempt: 1,
      rank: 0,
      command: ['sh'],
      env: {},
      variables: { GPUQ_OF_A_FEATURE: '1' },
      directory: '/tasks/3',
      results: '/results/3',
    }
    expect(requestClassOf({ ...task, ...other })).toBe(requestClassOf(task))
  })

  it.each<Partial<TaskContainer>>([
    { image: 'other' },
    { gpuUuids: ['GPU-1'], simulated: false },
    { cpuMilli: 2000 },
    { memoryMib: 1024 },
    { nodeId: 'other' },
    { results: null },
    { prepare: ['torch'] },
  ])('differs with %o', (changes) => {
    expect(requestClassOf({ ...task, ...changes })).not.toBe(requestClassOf(task))
  })

  const user = { uid: 1, gid: 1 }
  it.each<Partial<TaskContainer>>([
    { tty: true },
    { network: 'internet' },
    { cgroupParent: '/slurm/1' },
    { checkpoints: { path: '/c', ...user } },
    { workspace: { path: '/w', mounts: [], hidden: [], startsHere: true, ...user } },
    { workingDirectory: { path: '/w', source: '/s', home: null } },
    { mounts: [{ path: '/data', source: '/s', hash: 'h' }] },
    { env: { PATH: '/opt/bin' } },
    { env: { LC_ALL: 'C' } },
    { env: { LD_PRELOAD: '/x.so' } },
  ])('does not exist with %o', (changes) => {
    expect(requestClassOf({ ...task, ...changes })).toBeNull()
  })

  it('does not depend on a cgroup that the engine ignores', () => {
    const below = { ...task, cgroupParent: '/slurm/1' }
    expect(requestClassOf(below, false)).toBe(requestClassOf(task))
  })
})

describe('a warm container', () => {
  const spec = buildContainerSpec(task, { outputLimitBytes: 1024 }, { volumes: [] })
  const warm = toWarmSpec(spec, { id: 'w', nodeId: task.nodeId, isPrepared: false })

  it('has the isolation and the limits of a task, and no label of one', () => {
    expect(warm.HostConfig).toEqual(spec.HostConfig)
    expect(warm.User).toBe(spec.User)
    expect(Object.keys(warm.Labels).sort()).toEqual([labels.node, labels.version, labels.warm])
  })

  it('has a name that no task has, and later one that identifies its task', () => {
    expect(parseWarmName(`/${warm.name}`)).toBe('w')
    expect(parseWarmName(containerName(task))).toBeNull()
    expect(parseContainerName(warmName('w'))).toBeNull()
    const { jobId, attempt, rank, taskId } = task
    expect(parseContainerName(`/${containerName(task)}`)).toEqual({ jobId, attempt, rank, taskId })
  })
})
