import { describe, expect, it } from 'vitest'
import type { TaskContainer } from '../runtime'
import { buildContainerSpec, taskUid } from '../spec/container-spec'
import { seccompProfileOf, toPodmanSpec } from './podman-spec'

const task: TaskContainer = {
  jobId: 'job',
  taskId: 'task',
  attempt: 2,
  rank: 0,
  nodeId: 'node',
  image: 'gpuq/python:2',
  command: ['python', '-u', '/job/solution.py'],
  env: { OWN: 'a=b' },
  directory: '/data/tasks/task',
  runName: null,
  results: '/data/results',
  workspace: null,
  workingDirectory: null,
  checkpoints: null,
  mounts: [{ path: '/snapshot', source: '/data/snapshot', hash: 'h' }],
  gpuUuids: [],
  simulated: false,
  cgroupParent: null,
  cpuMilli: 1500,
  memoryMib: 1024,
  network: 'none',
  tty: false,
  prepare: [],
}
const MiB = 1024 * 1024
const translate = (changes: Partial<TaskContainer> = {}, image = { volumes: ['/data'] }, selinux = false) => {
  const spec = buildContainerSpec({ ...task, ...changes }, { outputLimitBytes: MiB, selinux }, image)
  return toPodmanSpec(spec, '/files/seccomp.json')
}

describe('a container on Podman', () => {
  it('has the isolation that it has on Docker', () => {
    expect(translate().container).toMatchObject({
      name: 'gpuq-job-2-0-task',
      entrypoint: ['python'],
      command: ['-u', '/job/solution.py'],
      user: `${taskUid('task')}:10001`,
      cap_drop: ['ALL'],
      no_new_privileges: true,
      seccomp_profile_path: '/files/seccomp.json',
      read_only_filesystem: true,
      image_volume_mode: 'ignore',
      ipcns: { nsmode: 'private' },
      cgroupns: { nsmode: 'private' },
      netns: { nsmode: 'none' },
      init: true,
      oom_score_adj: 500,
      resource_limits: {
        memory: { limit: 1024 * MiB, swap: 1024 * MiB },
        cpu: { quota: 150_000, period: 100_000 },
        pids: { limit: 1024 + 2 * 128 },
      },
      healthconfig: { Test: ['NONE'] },
      devices: [],
    })
    expect(translate().container.env).toMatchObject({ OWN: 'a=b', NVIDIA_VISIBLE_DEVICES: 'void' })
    expect(translate().container.r_limits).toContainEqual({ type: 'nofile', soft: 16_384, hard: 16_384 })
  })

  it('has a read-only /proc, except with SELinux or a real GPU', () => {
    const proc = expect.objectContaining({ destination: '/proc', options: expect.arrayContaining(['ro']) })
    expect(translate().container.mounts).toContainEqual(proc)
    expect(translate({}, { volumes: [] }, true).container.mounts).not.toContainEqual(proc)
    expect(translate({ gpuUuids: ['GPU-1'] }).container.mounts).not.toContainEqual(proc)
  })

  it('mounts directories of the host, not what is mounted in shared ones', () => {
    const { mounts } = translate().container
    const bind = (destination: string, source: string, options: string[]) => ({
      destination,
      type: 'bind',
      source,
      options,
    })
    expect(mounts).toContainEqual(bind('/job', '/data/tasks/task', ['ro', 'rbind', 'rprivate']))
    expect(mounts).toContainEqual(bind('/results', '/data/results', ['rw', 'rbind', 'rprivate']))
    expect(mounts).toContainEqual(bind('/snapshot', '/data/snapshot', ['ro', 'bind', 'rprivate']))
  })

  it('has one volume in memory for each writable path, with an owner and both limits', () => {
    const { container, volumes } = translate()
    expect(container.volumes.map(({ Dest }) => Dest).sort()).toEqual(['/data', '/dev/shm', '/tmp', '/work'])
    const optionsOf = (path: string) => {
      const name = container.volumes.find(({ Dest }) => Dest === path)?.Name
      return volumes.find(({ Name }) => Name === name)?.Options.o.split(',')
    }
    expect(optionsOf('/work')).toEqual(
      expect.arrayContaining([
        `nr_blocks=${(512 * MiB) / 4096}`,
        'nr_inodes=131072',
        'mode=0700',
        `uid=${taskUid('task')}`,
        'nosuid',
        'nodev',
      ]),
    )
    const flagsOf = (path: string) => container.volumes.find(({ Dest }) => Dest === path)?.Options
    expect(flagsOf('/work')).toEqual(['nocopy', 'rw', 'nosuid', 'nodev', 'exec'])
    expect(flagsOf('/dev/shm')).toEqual(['nocopy', 'rw', 'nosuid', 'nodev', 'noexec'])
    expect(optionsOf('/tmp')).toEqual(expect.arrayContaining(['mode=1777', `uid=${taskUid('task')}`]))
    expect(optionsOf('/dev/shm')).toEqual(expect.arrayContaining(['mode=1777', 'uid=0', 'gid=0']))
    expect(
      volumes.every(({ Label, Options }) => Label['gpuq.task'] === 'task' && !/size=/.test(Options.o)),
    ).toBe(true)
  })

  it('gets GPUs by the names of the Container Device Interface', () => {
    expect(translate({ gpuUuids: ['GPU-1', 'GPU-2'] }).container.devices).toEqual([
      { path: 'nvidia.com/gpu=GPU-1' },
      { path: 'nvidia.com/gpu=GPU-2' },
    ])
  })
})

it('finds the seccomp profile of a spec', () => {
  const spec = buildContainerSpec(task, { outputLimitBytes: MiB }, { volumes: [] })
  expect(JSON.parse(seccompProfileOf(spec))).toMatchObject({ defaultAction: 'SCMP_ACT_ERRNO' })
})
