import { describe, expect, it } from 'vitest'
import { version } from '../../../package.json'
import type { JobNetwork, TaskContainer } from '../runtime'
import { buildContainerSpec, containerName, taskUid } from './container-spec'

const MiB = 1024 * 1024
const policy = { outputLimitBytes: 64 * MiB }
const task: TaskContainer = {
  jobId: 'job',
  taskId: 'task',
  attempt: 2,
  rank: 1,
  nodeId: 'node',
  image: 'gpuq/python:2',
  command: ['python', '-u', '/job/solution.py'],
  env: {},
  runName: null,
  directory: '/data/tasks/task',
  workspace: null,
  checkpoints: null,
  workingDirectory: null,
  mounts: [],
  gpuUuids: [],
  simulated: true,
  cpuMilli: 2500,
  memoryMib: 1000,
  network: 'none',
  cgroupParent: null,
  tty: false,
  prepare: [],
  results: '/data/tasks/node.results/task',
}
const shared: JobNetwork = {
  subnet: '10.213.0.16/28',
  vni: 0xad5001,
  internet: false,
  peers: [
    { address: '10.213.0.18', processes: 4, machine: null },
    { address: '10.213.0.19', processes: 4, machine: null },
  ],
}
const build = (changes: Partial<TaskContainer> = {}, volumes: string[] = []) =>
  buildContainerSpec({ ...task, ...changes }, policy, { volumes })
const variables = (changes: Partial<TaskContainer>) =>
  Object.fromEntries(
    build(changes).Env.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

describe('a container with a terminal', () => {
  it('accepts input repeatedly, and is otherwise equal', () => {
    const { Labels, Env, ...spec } = build({ tty: true })
    const { Labels: labels, Env: env, ...without } = build()
    expect(spec).toEqual({ ...without, Tty: true, OpenStdin: true, StdinOnce: false })
    expect(Labels).toEqual({ ...labels, 'gpuq.terminal': 'true' })
    expect(Env.filter((line) => !env.includes(line))).toEqual(['TERM=xterm-256color'])
    expect(variables({ tty: true, env: { TERM: 'vt100' } }).TERM).toBe('vt100')
  })
})

describe('every container', () => {
  it('has all isolation features', () => {
    const { HostConfig, ...spec } = build()
    expect(spec).toMatchObject({
      User: `${taskUid('task')}:10001`,
      Tty: false,
      OpenStdin: false,
      StopSignal: 'SIGTERM',
    })
    expect(HostConfig).toMatchObject({
      Privileged: false,
      CapDrop: ['ALL'],
      ReadonlyRootfs: true,
      ReadonlyPaths: ['/proc'],
      IpcMode: 'private',
      CgroupnsMode: 'private',
      NetworkMode: 'none',
      Init: true,
    })
    expect(HostConfig.SecurityOpt).toContain('no-new-privileges:true')
    expect(HostConfig.SecurityOpt).toContainEqual(
      expect.stringMatching(/^seccomp=\{"defaultAction":"SCMP_ACT_ERRNO"/),
    )
    // Without this key, the engine's default list of masked paths applies.
    expect(Object.keys(HostConfig)).not.toContain('MaskedPaths')
    expect(Object.keys(HostConfig)).not.toContain('Devices')
    expect(
      buildContainerSpec(task, { ...policy, selinux: true }, { volumes: [] }).HostConfig,
    ).not.toHaveProperty('ReadonlyPaths')
    expect(Object.keys(HostConfig)).not.toContain('Runtime')
  })

  it('is below the cgroup of its batch job, if the engine can do that', () => {
    const below = (anyCgroup: boolean) =>
      buildContainerSpec({ ...task, cgroupParent: '/job_1' }, { ...policy, anyCgroup }, { volumes: [] })
        .HostConfig
    expect(below(true)).toMatchObject({ CgroupParent: '/job_1' })
    expect(below(false)).not.toHaveProperty('CgroupParent')
    expect(build().HostConfig).not.toHaveProperty('CgroupParent')
  })

  it('has IPv6 on its loopback, if the kernel has it and the runtime can set it', () => {
    const settings = (more: object) =>
      buildContainerSpec(task, { ...policy, ...more }, { volumes: [] }).HostConfig
    expect(settings({ ipv6: true })).toMatchObject({ Sysctls: { 'net.ipv6.conf.lo.disable_ipv6': '0' } })
    expect(settings({ ipv6: false })).not.toHaveProperty('Sysctls')
    expect(settings({ ipv6: true, ociRuntime: 'runsc' })).not.toHaveProperty('Sysctls')
  })

  it('has all limits', () => {
    const { HostConfig } = build()
    expect(HostConfig).toMatchObject({
      Memory: 1000 * MiB,
      MemorySwap: 1000 * MiB,
      NanoCpus: 2_500_000_000,
      PidsLimit: 1024 + 3 * 128,
      ShmSize: 500 * MiB,
      LogConfig: { Type: 'local', Config: { 'max-size': String(128 * MiB), 'max-file': '2' } },
    })
    expect(HostConfig.Ulimits.map(({ Name }) => Name)).toEqual(['nofile', 'core', 'msgqueue'])
    for (const options of Object.values(HostConfig.Tmpfs)) {
      expect(options).toMatch(/^rw,nosuid,nodev,(no)?exec,.*size=\d+,nr_inodes=\d+$/)
    }
    expect(Object.keys(HostConfig.Tmpfs)).toEqual(['/work', '/tmp', '/dev/shm'])
  })

  it('sees of the host only its own read-only directory and /results', () => {
    const job = expect.objectContaining({
      Type: 'bind',
      Source: '/data/tasks/task',
      Target: '/job',
      ReadOnly: true,
    })
    const results = {
      Type: 'bind',
      Source: '/data/tasks/node.results/task',
      Target: '/results',
      ReadOnly: false,
    }
    const { HostConfig } = build()
    expect(HostConfig.Mounts).toEqual([job, expect.objectContaining(results)])
    expect(build({ results: null }).HostConfig.Mounts).toEqual([job])
    expect(Object.keys(HostConfig)).not.toContain('Binds')
  })

  it('has /work on the host if it is to be read after the end, and otherwise in memory of the engine', () => {
    const work = {
      Type: 'bind',
      Source: '/data/tasks/node.results/task/work',
      Target: '/work',
      ReadOnly: false,
    }
    const { HostConfig } = build({ work: work.Source })
    expect(HostConfig.Mounts).toContainEqual(expect.objectContaining(work))
    expect(Object.keys(HostConfig.Tmpfs)).not.toContain('/work')
    expect(Object.keys(build().HostConfig.Tmpfs)).toContain('/work')
  })

  it('has /work and /results at other paths too if a feature chooses them, and starts where it says', () => {
    const places = { work: '/app/program', results: '/app/output', start: '/app' }
    const spec = build({ work: '/data/work', places }, ['/app/output', '/app/program'])
    expect(spec.WorkingDir).toBe('/app')
    const targets = spec.HostConfig.Mounts.map(({ Source, Target, ReadOnly }) => [Source, Target, ReadOnly])
    expect(targets).toEqual(
      expect.arrayContaining([
        ['/data/work', '/work', false],
        ['/data/work', '/app/program', false],
        ['/data/tasks/node.results/task', '/results', false],
        ['/data/tasks/node.results/task', '/app/output', false],
      ]),
    )
    expect(Object.keys(spec.HostConfig.Tmpfs)).toEqual(['/tmp', '/dev/shm'])
    // Without such a directory on the host, the engine makes both.
    expect(Object.keys(build({ places }).HostConfig.Tmpfs)).toEqual([
      '/work',
      '/app/program',
      '/tmp',
      '/dev/shm',
    ])
  })

  it('has one /results, even if the image declares it as a volume', () => {
    expect(Object.keys(build({}, ['/results']).HostConfig.Tmpfs)).not.toContain('/results')
    expect(Object.keys(build({ results: null }, ['/results']).HostConfig.Tmpfs)).toContain('/results')
  })

  it('carries the labels of its task, and a name that is unique', () => {
    const spec = build()
    expect(spec.name).toBe('gpuq-job-2-1-task')
    expect(spec.Labels).toEqual({
      'gpuq.job': 'job',
      'gpuq.task': 'task',
      'gpuq.attempt': '2',
      'gpuq.rank': '1',
      'gpuq.node': 'node',
      'gpuq.version': version,
    })
    expect(containerName({ ...task, attempt: 3 })).not.toBe(spec.name)
  })

  it('runs its own command, ignoring the image’s', () => {
    expect(build()).toMatchObject({ Entrypoint: ['python'], Cmd: ['-u', '/job/solution.py'] })
  })

  it('limits the writable paths that the image declares', () => {
    const { Tmpfs } = build({}, ['/data', '/job', '/work']).HostConfig
    expect(Tmpfs['/data']).toMatch(/noexec.*size=\d+,nr_inodes=\d+$/)
    expect(Object.keys(Tmpfs)).not.toContain('/job')
    expect(Tmpfs['/work']).toBe(build().HostConfig.Tmpfs['/work'])
  })
})

describe('a snapshot', () => {
  const hash = 'ab'.repeat(32)
  const mounts = [
    { path: '/data', source: `/cache/ready/${hash}/files`, hash },
    { path: '/models', source: `/cache/ready/${hash}/files`, hash },
  ]

  it('is mounted at its path, where nobody can write, and changes nothing else', () => {
    const { Mounts, ...walls } = build({ mounts }).HostConfig
    const { Mounts: usual, ...usualWalls } = build().HostConfig
    expect(walls).toEqual(usualWalls)
    expect(Mounts).toEqual([
      ...usual,
      ...mounts.map(({ path, source }) => ({
        Type: 'bind',
        Source: source,
        Target: path,
        ReadOnly: true,
        BindOptions: { Propagation: 'rprivate', NonRecursive: true },
      })),
    ])
  })

  it('is named once on the container, so that the cache keeps it', () => {
    expect(build({ mounts }).Labels['gpuq.snapshots']).toBe(hash)
    expect(build().Labels).not.toHaveProperty('gpuq.snapshots')
  })

  it('replaces a volume that the image declares at its path', () => {
    const { Tmpfs } = build({ mounts }, ['/data', '/other']).HostConfig
    expect(Object.keys(Tmpfs)).toContain('/other')
    expect(Object.keys(Tmpfs)).not.toContain('/data')
  })
})

describe('a working directory', () => {
  const workingDirectory = { path: '/workspace/project', source: '/data/tasks.work/task', home: null }

  it('is writable at its own path, where the task starts, and changes nothing else', () => {
    const { HostConfig, WorkingDir, ...rest } = build({ workingDirectory }, ['/workspace/project'])
    const plain = build()
    expect(WorkingDir).toBe('/workspace/project')
    expect(rest).toEqual({ ...plain, HostConfig: undefined, WorkingDir: undefined })
    const { Mounts, ...host } = HostConfig
    const { Mounts: others, ...isolation } = plain.HostConfig
    expect(host).toEqual(isolation)
    expect(Mounts).toEqual([
      ...others,
      expect.objectContaining({
        Source: '/data/tasks.work/task',
        Target: '/workspace/project',
        ReadOnly: false,
      }),
    ])
  })

  it('replaces the home directory that contains it, and /work', () => {
    const home = { path: '/root', source: '/data/tasks/task/home' }
    const below = build({ workingDirectory: { ...workingDirectory, path: '/root/project', home } })
    expect(below.HostConfig.Mounts.slice(2)).toMatchObject([
      { Target: '/root', ReadOnly: true },
      { Target: '/root/project', ReadOnly: false },
    ])
    const inWork = build({ workingDirectory: { ...workingDirectory, path: '/work' } })
    expect(Object.keys(inWork.HostConfig.Tmpfs)).toEqual(['/tmp', '/dev/shm'])
  })
})

describe('a directory on shared storage', () => {
  const path = '/workspace/ada/thesis'
  const workspace = {
    path,
    mounts: [{ source: path, target: path, readOnly: false, recursive: false }],
    hidden: [],
    uid: 1234,
    gid: 100,
    startsHere: true,
  }

  it('is the only other host path, mounted at the same place, and the task runs as its user', () => {
    const spec = build({ workspace })
    expect(spec).toMatchObject({ User: '1234:100', WorkingDir: '/workspace/ada/thesis' })
    expect(spec.HostConfig.Mounts).toEqual([
      ...build().HostConfig.Mounts,
      {
        Type: 'bind',
        Source: '/workspace/ada/thesis',
        Target: '/workspace/ada/thesis',
        ReadOnly: false,
        BindOptions: { Propagation: 'rprivate', NonRecursive: true },
      },
    ])
    expect(spec.HostConfig.Tmpfs['/work']).toMatch(/uid=1234,gid=100/)
    expect(variables({ workspace, env: { GPUQ_WORKSPACE: '/' } }).GPUQ_WORKSPACE).toBe(
      '/workspace/ada/thesis',
    )
  })

  it('removes no isolation feature', () => {
    const { Mounts, Tmpfs, ...walls } = build({ workspace }).HostConfig
    const { Mounts: _, Tmpfs: __, ...usual } = build().HostConfig
    expect(walls).toEqual(usual)
    expect(Object.keys(Tmpfs)).toEqual(Object.keys(build().HostConfig.Tmpfs))
    expect(Mounts).toHaveLength(build().HostConfig.Mounts.length + 1)
  })

  it('is the start directory only on request, and is not hidden by volumes of the image', () => {
    const spec = build({ workspace: { ...workspace, startsHere: false } }, [workspace.path])
    expect(spec.WorkingDir).toBe('/work')
    expect(Object.keys(spec.HostConfig.Tmpfs)).not.toContain(workspace.path)
  })
})

describe('the directory of a script of the host', () => {
  const mount = (source: string, target: string, readOnly: boolean, recursive: boolean) => ({
    source,
    target,
    readOnly,
    recursive,
  })
  const workspace = {
    path: '/tmp',
    mounts: [mount('/disk/tmp', '/tmp', false, false), mount('/opt/conda', '/opt/conda', true, true)],
    hidden: ['/tmp/data'],
    uid: 1000,
    gid: 100,
    startsHere: true,
  }

  it('is mounted with the conda environment, and replaces what the container has there', () => {
    const { Mounts, Tmpfs } = build({ workspace }).HostConfig
    expect(Mounts.slice(build().HostConfig.Mounts.length)).toEqual([
      {
        Type: 'bind',
        Source: '/disk/tmp',
        Target: '/tmp',
        ReadOnly: false,
        BindOptions: { Propagation: 'rprivate', NonRecursive: true },
      },
      {
        Type: 'bind',
        Source: '/opt/conda',
        Target: '/opt/conda',
        ReadOnly: true,
        BindOptions: { Propagation: 'rprivate' },
      },
    ])
    expect(Object.keys(Tmpfs)).toEqual(['/work', '/dev/shm', '/tmp/data'])
    expect(Tmpfs['/tmp/data']).toMatch(/^ro,.*mode=0000$/)
  })

  it('removes no isolation feature', () => {
    const { Mounts, Tmpfs, ...walls } = build({ workspace }).HostConfig
    const { Mounts: _, Tmpfs: __, ...usual } = build().HostConfig
    expect(walls).toEqual(usual)
  })
})

describe('options that depend on the task', () => {
  it('request exactly the real GPUs that it holds, by UUID', () => {
    const gpuUuids = ['GPU-a', 'GPU-b']
    const real = { simulated: false, gpuUuids }
    expect(build(real).HostConfig).toMatchObject({
      DeviceRequests: [
        { Driver: 'nvidia', DeviceIDs: gpuUuids, Capabilities: [['gpu', 'compute', 'utility']] },
      ],
    })
    expect(variables(real).NVIDIA_VISIBLE_DEVICES).toBe('GPU-a,GPU-b')
    for (const none of [
      { simulated: true, gpuUuids },
      { simulated: false, gpuUuids: [] },
    ]) {
      expect(Object.keys(build(none).HostConfig)).not.toContain('DeviceRequests')
      expect(variables(none).NVIDIA_VISIBLE_DEVICES).toBe('void')
    }
  })

  it('leave /proc writable only with a real GPU, because CUDA writes the names of its threads there', () => {
    const gpuUuids = ['GPU-a']
    expect(build({ simulated: false, gpuUuids }).HostConfig).not.toHaveProperty('ReadonlyPaths')
    expect(build({ simulated: true, gpuUuids }).HostConfig).toHaveProperty('ReadonlyPaths')
  })

  it('pass its own variables, but none that the host would honor', () => {
    const env = {
      OWN: 'a=b',
      HOME: '/tmp',
      OMP_NUM_THREADS: '7',
      NVIDIA_VISIBLE_DEVICES: 'all',
      'NVIDIA_VISIBLE_DEVICES=all': '',
      'X=1\0NVIDIA_VISIBLE_DEVICES': 'all',
      GPUQ_JOB_ID: 'another',
      LD_PRELOAD: '/work/evil.so',
      LD_AUDIT: '/work/evil.so',
      GLIBC_TUNABLES: 'x',
      _LIBCONTAINER_INITPIPE: '3',
      ['__proto__']: 'x',
    }
    const found = variables({ env })
    expect(found).toMatchObject({ OWN: 'a=b', HOME: '/tmp', OMP_NUM_THREADS: '7', GPUQ_JOB_ID: 'job' })
    expect(found.NVIDIA_VISIBLE_DEVICES).toBe('void')
    expect(build({ env }).Env.filter((line) => /all|evil|LIBCONTAINER|TUNABLES/.test(line))).toEqual([])
    expect(build({ env }).Env.filter((line) => line.startsWith('NVIDIA_VISIBLE_DEVICES='))).toHaveLength(1)
  })

  it('pass the variables of features, which replace its own but not those of every task', () => {
    const given = { GPUQ_SEED: '1', PLAIN: 'feature', GPUQ_JOB_ID: 'another' }
    const found = variables({ env: { GPUQ_SEED: '2', PLAIN: 'job' }, variables: given })
    expect(found).toMatchObject({ GPUQ_SEED: '1', PLAIN: 'feature', GPUQ_JOB_ID: 'job' })
  })

  it('set as many threads as CPUs, and at least one', () => {
    expect(variables({ cpuMilli: 2500 }).OMP_NUM_THREADS).toBe('2')
    expect(variables({ cpuMilli: 300 }).OMP_NUM_THREADS).toBe('1')
  })

  it('connect a network only if it was granted', () => {
    expect(build({ network: 'internet' }).HostConfig).toMatchObject({
      NetworkMode: 'gpuq-internet',
      ExtraHosts: [],
    })
  })

  it('connect one of several tasks only to its peers, by name', () => {
    const spec = build({ network: shared })
    expect(spec).toMatchObject({
      Hostname: 'rank-1',
      Labels: { 'gpuq.network': 'gpuq-job-2' },
      NetworkingConfig: { EndpointsConfig: { 'gpuq-job-2': { IPAMConfig: { IPv4Address: '10.213.0.19' } } } },
      HostConfig: {
        NetworkMode: 'gpuq-job-2',
        ExtraHosts: ['rank-0:10.213.0.18', 'rank-1:10.213.0.19'],
        // Its DNS queries must not leave it.
        Dns: ['127.0.0.1'],
      },
    })
    expect(build().NetworkingConfig.EndpointsConfig).toEqual({})
  })

  it('set its rank, whatever its own variables say', () => {
    const env = { MASTER_ADDR: '8.8.8.8', WORLD_SIZE: '99', NODE_RANK: '7' }
    expect(variables({ network: shared, env })).toMatchObject({
      MASTER_ADDR: '10.213.0.18',
      MASTER_PORT: '29500',
      NODE_RANK: '1',
      NNODES: '2',
      NPROC_PER_NODE: '4',
      WORLD_SIZE: '8',
      GPUQ_RANK: '1',
      GPUQ_HOSTFILE: '/job/hostfile',
    })
    // On a single node the job may set these itself.
    expect(variables({ env })).toMatchObject(env)
    expect(Object.keys(variables({}))).not.toContain('WORLD_SIZE')
  })

  it('use another OCI runtime if the node has one', () => {
    const spec = buildContainerSpec(task, { ...policy, ociRuntime: 'runsc' }, { volumes: [] })
    expect(spec.HostConfig).toMatchObject({ Runtime: 'runsc' })
  })
})

describe('taskUid', () => {
  it('is stable, never a user of the host or of an image, and fits an engine with user namespaces', () => {
    const uids = Array.from({ length: 5000 }, (_, number) => taskUid(`task-${number}`))
    expect(taskUid('task-7')).toBe(uids[7])
    expect(Math.min(...uids)).toBeGreaterThan(10_000)
    expect(Math.max(...uids)).toBeLessThan(65_536)
    expect(new Set(uids).size).toBeGreaterThan(4500)
  })
})
