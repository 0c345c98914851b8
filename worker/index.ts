import { join } from 'node:path'
import pg from 'pg'
import { hadRealGpus, registerNode } from '@/lib/cluster/nodes/nodes'
import type { HostMachine } from '@/lib/cluster/simulated/serve-simulated'
import { readJobNetworks } from '@/lib/contract/job-network'
import { database } from '@/lib/database/client'
import { closeListener } from '@/lib/database/listen'
import { registerAllEngines } from '@/lib/engines'
import { checkpointsDirectory, env } from '@/lib/env'
import { makePrivateDirectory } from '@/lib/env/private-directory'
import { startsSimulatedNodes } from '@/lib/env/simulated-nodes'
import { logger } from '@/lib/logger'
import { closeDataDirectory } from '@/lib/storage/data-directory'
import { watchStorage } from '@/lib/storage/watch'
import type { AttemptStop } from './engine/engine'
import { engines } from './engines'
import { discoverGpus, firstGpus } from './gpus/discover'
import { readGpus } from './gpus/read-gpus'
import { type NodeOptions, NodeWorker, type Registered } from './node/node-worker'
import { SimulatedNodes } from './node/simulated-nodes'
import { outboundAddress } from './outbound-address'
import { EngineRuntime } from './runtime/docker/engine-runtime'
import type { EngineInfo } from './runtime/engine-info'
import { leadWhileElected } from './scheduler/leader'
import { lead } from './scheduler/loop'
import { describeTaskGroup } from './task-group'
import { makeMachineHooks, makeTaskHooks, prepareMachine, type TaskHookSettings } from './task-hooks'

/**
 * The worker of one node. It serves the node, and runs the scheduler while it is elected leader.
 * SIGTERM drains: running tasks finish, no new ones are accepted, then it exits. SIGINT, or a second SIGTERM, stops
 * the containers immediately and requeues their jobs; with GPUQ_KEEP_JOBS it leaves them running for the next worker.
 * `--end-jobs`: it only stops what an earlier worker left running, and exits.
 */
const config = env()
// The leader puts members of groups into the queue, with the same checks as the web server.
registerAllEngines()
const endsJobs = process.argv.includes('--end-jobs')
const MiB = 1024 * 1024
const GiB = 1024 * MiB
const outputLimitBytes = config.GPUQ_MAX_OUTPUT_MIB * MiB
const runtime = new EngineRuntime({
  outputLimitBytes,
  ociRuntime: config.GPUQ_CONTAINER_RUNTIME,
  directory: join(config.GPUQ_DATA_DIR, 'podman'),
  firewall: { enabled: config.GPUQ_JOB_FIREWALL, allowed: config.GPUQ_ALLOWED_NETWORKS ?? [] },
})
const tasksDirectory = join(config.GPUQ_DATA_DIR, 'tasks')
/** Fraction of the memory for jobs; the rest is left to the machine. */
const memoryShare = 0.9
/** A silently broken connection would otherwise block its query and its place in the pool for a quarter of an hour. */
const queryTimeoutMs = 15_000
/** Whatever keeps the process alive longer would only delay its restart. */
const exitTimeoutMs = 3_000

function machineOf({ id, version, cpuMilli, memoryMib }: EngineInfo): HostMachine {
  return { engineId: id, engineVersion: version, cpuMilli, memoryMib: Math.floor(memoryMib * memoryShare) }
}

/** Why features do not work on this machine. */
let featureProblems: readonly string[] = []

async function register(): Promise<Registered> {
  const engine = await runtime.facts.info()
  const { gpus, source, problem } = await discoverGpus({
    node: config.GPUQ_NODE_NAME,
    simulated: config.GPUQ_SIMULATED_GPUS,
    maxGpus: config.GPUQ_GPUS,
    // Its GPUs are on the simulated nodes that the start creates.
    ...(startsSimulatedNodes(config) && { simulatedByDefault: 0 }),
    hadGpus: await hadRealGpus(config.GPUQ_NODE_NAME),
  })
  const problems = [problem, ...featureProblems, await describeTaskGroup()]
  const warnings = [...engine.warnings, ...problems.filter((warning) => warning != null)]
  const requestedAt = performance.now()
  const lease = await registerNode({
    name: config.GPUQ_NODE_NAME,
    ...machineOf(engine),
    address: config.GPUQ_NODE_ADDRESS ?? (await outboundAddress(config.DATABASE_URL)),
    warnings,
    pool: config.GPUQ_NODE_POOL,
    dedicatedTo: config.GPUQ_NODE_FOR_JOB ?? null,
    gpus,
  })
  for (const warning of warnings) logger.warn(warning)
  logger.info({ node: config.GPUQ_NODE_NAME, gpus: gpus.length, source }, 'serving')
  const readServed = async () => firstGpus(await readGpus(), config.GPUQ_GPUS)
  return { lease, requestedAt, ...(source === 'nvidia-smi' ? { readGpus: readServed } : {}) }
}

const engine = engines[config.GPUQ_ENGINE](config)

/** Takes part in elections, unless this worker could not do a leader's work. */
async function leadIfAble(signal: AbortSignal): Promise<void> {
  // A node that is removed with its job must not lead: the removal would stop itself.
  if (config.GPUQ_NODE_FOR_JOB !== undefined || endsJobs) return
  const obstacle = await engine.findObstacle()
  if (obstacle !== null) return logger.warn(`this worker does not lead: ${obstacle}`)
  await leadWhileElected(signal, (term) => lead(engine, term))
}

async function main(): Promise<void> {
  pg.defaults.query_timeout = queryTimeoutMs
  const runs = checkpointsDirectory(config)
  await makePrivateDirectory(tasksDirectory)
  await closeDataDirectory(config.GPUQ_DATA_DIR)
  const { GPUQ_SNAPSHOT_CACHE_GIB: cacheGib } = config
  const hookSettings: TaskHookSettings = {
    resultsLimitBytes: config.GPUQ_MAX_ARTIFACTS_MIB > 0 ? config.GPUQ_MAX_ARTIFACTS_MIB * MiB : null,
    checkpoints: { directory: runs, limitBytes: config.GPUQ_MAX_CHECKPOINTS_GIB * GiB },
    snapshots: {
      // Workers of several nodes may share a data directory.
      directory: join(config.GPUQ_DATA_DIR, 'snapshots', config.GPUQ_NODE_NAME),
      node: config.GPUQ_NODE_NAME,
      limitBytes: cacheGib === undefined ? null : cacheGib * GiB,
      minFreeBytes: config.GPUQ_MIN_FREE_GIB * GiB,
      readMounted: async () => new Set((await runtime.list()).flatMap(({ snapshots }) => snapshots)),
    },
    warmLimits: { containers: config.GPUQ_WARM_CONTAINERS, memoryMib: config.GPUQ_WARM_MEMORY_MIB },
  }
  featureProblems = await prepareMachine(hookSettings, { name: config.GPUQ_NODE_NAME, tasksDirectory })
  const settings: NodeOptions = {
    runtime,
    tasksDirectory,
    outputLimitBytes,
    jobNetworks: readJobNetworks(config.GPUQ_JOB_NETWORKS),
    keepsJobs: config.GPUQ_KEEP_JOBS,
    endsJobs,
    hooks: makeTaskHooks(hookSettings),
  }
  for (const { open } of settings.hooks) await open?.()
  const ending = new AbortController()
  void watchStorage(ending.signal)
  void runtime.internet.keepRules(ending.signal)
  let leading: Promise<void> | undefined
  let serving: Promise<void> | undefined
  const simulated = new SimulatedNodes({
    ...settings,
    machine: async () => machineOf(await runtime.facts.info()),
  })
  let simulating: Promise<void> | undefined
  const node = new NodeWorker({
    ...settings,
    hooks: [...settings.hooks, ...makeMachineHooks(config)],
    register,
    // Not earlier: a leader that has just restarted would mark its own node as lost, with its running tasks.
    onServing: ({ nodeId }) => {
      simulating = simulated.serve(nodeId)
      leading = simulated.registered.then(() => leadIfAble(ending.signal))
      const engineNode = {
        name: config.GPUQ_NODE_NAME,
        lease: () => node.lease,
        stopAttempt: (attempt: AttemptStop) => node.stopAttempt(attempt),
      }
      serving = engine.serve(engineNode, ending.signal).catch((error: unknown) => {
        logger.fatal({ err: error }, 'this node cannot accept what the engine starts on it; its worker stops')
        process.exitCode = 1
        stop()
      })
    },
  })
  let draining = false
  const stop = () => {
    node.stop()
    simulated.stop()
  }
  const leave = () => {
    node.leave()
    simulated.leave()
  }
  process.on('SIGINT', config.GPUQ_KEEP_JOBS && !endsJobs ? leave : stop)
  process.on('SIGTERM', () => {
    if (draining) return stop()
    draining = true
    node.drain()
    simulated.drain()
  })
  await node.run()
  if (endsJobs) await simulated.registered
  simulated.drain()
  await simulating
  ending.abort()
  if (!config.GPUQ_KEEP_JOBS) await runtime.internet.release()
  setTimeout(() => process.exit(), exitTimeoutMs).unref()
  await Promise.all([leading, serving])
  await closeListener()
  await database().close()
}

main().catch((error: unknown) => {
  logger.fatal({ err: error }, error instanceof Error ? error.message : 'the worker failed')
  process.exitCode = 1
  // Whatever keeps the process alive would only delay its restart.
  setTimeout(() => process.exit(1), 1_000).unref()
})
