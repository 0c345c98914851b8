import type { Env } from '@/lib/env'
import type { NodeCheck } from '@/lib/node-checks/contract'
import type { TestHost } from '../node/test-container'
import type { EngineProperties } from '../runtime/engine-info'
import * as engineRules from './judge-engine'
import type { SmiFacts } from './judge-gpus'
import * as gpuRules from './judge-gpus'
import { judgeClock, judgeDisk } from './judge-machine'
import { type Judgement, notApplicable } from './judgement'
import { isSameDisk, readClock, readDisk, readEngine, readNetwork, readSmi } from './read-facts'
import { tryGpus, tryImage } from './try-image'

/** Settings of the machine for its checks. */
export interface CheckSettings {
  dataDirectory: string
  /** GPUQ_MIN_FREE_GIB in bytes. */
  minimumFreeBytes: number
  /** GPUQ_JOB_FIREWALL. */
  firewallEnabled: boolean
  /** GPUQ_GPUS; 0: gpuq uses no real GPU. */
  maxGpus: number | undefined
}

export interface CheckerSettings extends CheckSettings {
  /** Maximum hours between two checks; 0: only on request. */
  intervalHours: number
}

const GiB = 1024 ** 3

/** The settings of this process's environment. */
export function checkSettings(settings: Env): CheckSettings {
  const { GPUQ_SIMULATED_GPUS, GPUQ_GPUS } = settings
  return {
    dataDirectory: settings.GPUQ_DATA_DIR,
    minimumFreeBytes: settings.GPUQ_MIN_FREE_GIB * GiB,
    firewallEnabled: settings.GPUQ_JOB_FIREWALL,
    maxGpus: GPUQ_SIMULATED_GPUS === undefined ? GPUQ_GPUS : 0,
  }
}

/** Reads what nvidia-smi reports, unless gpuq was told to use no real GPU. */
export async function readSmiFor({ maxGpus }: CheckSettings): Promise<SmiFacts> {
  return maxGpus === 0 ? { kind: 'unused' } : readSmi(maxGpus)
}

/** What the database knows. */
interface KnownFacts {
  /** The image of the default environment; null: there is none. */
  image: string | null
  /** UUIDs of the GPUs that nobody uses; null: unknown, so those that nvidia-smi reports as idle. */
  freeGpus: readonly string[] | null
  /** Whether an environment gives its jobs internet access; null: unknown. */
  hasInternetJobs: boolean | null
}

const unanswered = notApplicable('Not checked: the engine does not answer.')

/** Checks this machine: reads facts, then judges them. Changes nothing, except that it runs test containers. */
export async function checkNode(
  host: TestHost,
  settings: CheckSettings,
  known: KnownFacts,
): Promise<NodeCheck[]> {
  const { runtime } = host
  const { dataDirectory, minimumFreeBytes, firewallEnabled } = settings
  const [info, clock, smi] = await Promise.all([readEngine(runtime), readClock(), readSmiFor(settings)])
  const answers = !('problem' in info)
  const engine = answers ? info.properties : null
  const image = answers
    ? await tryImage(host, known.image)
    : ({ kind: 'unknown', why: unanswered.found } as const)
  const run = await tryGpus(host, smi, image, known.freeGpus)
  const network = answers ? await readNetwork(runtime, info, firewallEnabled, known.hasInternetJobs) : null
  const ofEngine = (judge: (properties: EngineProperties) => Judgement) =>
    engine === null ? unanswered : judge(engine)
  const toolkit = engine?.versions.toolkit ?? null
  const check = (id: string, title: string, judgement: Judgement): NodeCheck => ({ id, title, ...judgement })
  return [
    check('engine', 'Container engine', engineRules.judgeEngine(answers ? info : { problem: info.problem })),
    check('runc', 'runc', ofEngine(engineRules.judgeRunc)),
    check('seccomp', 'System call filter (seccomp)', ofEngine(engineRules.judgeSeccomp)),
    check('limits', 'Resource limits', ofEngine(engineRules.judgeLimits)),
    check('cgroups', 'cgroup version', ofEngine(engineRules.judgeCgroups)),
    check('live_restore', 'Live-restore', ofEngine(engineRules.judgeLiveRestore)),
    check('data_disk', 'Disk of the data directory', await judgeDataDisk(dataDirectory, minimumFreeBytes)),
    check(
      'engine_disk',
      'Disk of the engine',
      ofEngineDisk(await readEngineDisk(engine, dataDirectory), minimumFreeBytes),
    ),
    check('clock', 'Clock', judgeClock(clock)),
    check('network_rules', 'Network rules', network ? engineRules.judgeNetworkRules(network) : unanswered),
    check('image', 'Default image', gpuRules.judgeImage(image)),
    check('nvidia_smi', 'nvidia-smi', gpuRules.judgeNvidiaSmi(smi)),
    check('driver', 'NVIDIA driver', gpuRules.judgeDriver(smi, image, run)),
    check('container_toolkit', 'NVIDIA container toolkit', gpuRules.judgeToolkit(smi, toolkit, run)),
    check('image_cuda', 'CUDA in the default image', gpuRules.judgeImageCuda(smi, image)),
    check('gpu_visible', 'GPU in a container', gpuRules.judgeGpuVisible(smi, run)),
    check('gpu_compute', 'Computation on the GPU', gpuRules.judgeGpuCompute(smi, run)),
  ]
}

async function judgeDataDisk(directory: string, minimumBytes: number): Promise<Judgement> {
  const disk = await readDisk(directory)
  if (disk === null) return notApplicable(`The data directory ${directory} does not exist yet.`)
  return judgeDisk(
    disk,
    minimumBytes,
    'Without space, gpuq accepts no uploads, and results wait in the database. GPUQ_MIN_FREE_GIB sets the minimum.',
  )
}

/** The engine's disk, or why it is not judged. */
async function readEngineDisk(engine: EngineProperties | null, dataDirectory: string) {
  if (engine === null) return unanswered.found
  const { directory } = engine
  const disk = directory === null ? null : await readDisk(directory)
  if (directory === null || disk === null) return 'The directory of the engine is not visible to the worker.'
  if (await isSameDisk(directory, dataDirectory)) return 'The same disk as that of the data directory.'
  return disk
}

function ofEngineDisk(disk: Awaited<ReturnType<typeof readEngineDisk>>, minimumBytes: number): Judgement {
  if (typeof disk === 'string') return notApplicable(disk)
  return judgeDisk(
    disk,
    minimumBytes,
    'Without space, images cannot be pulled and containers do not start. `docker image prune` and `docker system prune` remove what is unused.',
  )
}
