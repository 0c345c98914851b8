import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lease, registerNode } from '@/lib/cluster/nodes'
import { database } from '@/lib/database/client'
import { closeListener } from '@/lib/database/listen'
import { env } from '@/lib/env'
import { logger } from '@/lib/logger'
import { discoverGpus } from './gpus/discover'
import { keepLease } from './node/keep-lease'
import { NodeService } from './node/serve-node'
import { createDockerRuntime } from './runtime/docker'
import { leadWhileElected } from './scheduler/leader'
import { lead } from './scheduler/loop'

/**
 * The worker of one node: serves the node, and leads the scheduler while it is elected.
 *
 * SIGTERM drains: what runs is finished, nothing new is taken, then it leaves. SIGINT, or a second SIGTERM, stops the
 * containers at once and gives their jobs back to the queue.
 */
const config = env()
const outputLimitBytes = config.GPUQ_MAX_OUTPUT_MIB * 1024 * 1024
const runtime = createDockerRuntime({ outputLimitBytes, ociRuntime: config.GPUQ_CONTAINER_RUNTIME })
const tasksDirectory = join(config.GPUQ_DATA_DIR, 'tasks')
/** Memory left to the machine itself. */
const memoryShare = 0.9

async function register(): Promise<Lease> {
  const engine = await runtime.info()
  const { gpus, source, problem } = await discoverGpus({
    node: config.GPUQ_NODE_NAME,
    simulated: config.GPUQ_SIMULATED_GPUS,
  })
  const warnings = problem ? [...engine.warnings, problem] : engine.warnings
  for (const warning of warnings) logger.warn(warning)
  const lease = await registerNode({
    name: config.GPUQ_NODE_NAME,
    engineId: engine.id,
    engineVersion: engine.version,
    warnings,
    cpuMilli: engine.cpuMilli,
    memoryMib: Math.floor(engine.memoryMib * memoryShare),
    gpus,
  })
  logger.info({ node: config.GPUQ_NODE_NAME, gpus: gpus.length, source }, 'serving')
  return lease
}

/** Serves the node, lease after lease, until `ending` is aborted. */
async function serveNode(ending: AbortSignal, onService: (service: NodeService) => void): Promise<void> {
  while (!ending.aborted) {
    const lease = await register()
    const service = new NodeService({ runtime, lease, tasksDirectory, outputLimitBytes })
    onService(service)
    const term = new AbortController()
    const signal = AbortSignal.any([ending, term.signal])
    const serving = service.serve(signal)
    const end = await keepLease(lease, ending)
    if (end === 'ended') return serving
    service.abandonAll()
    term.abort()
    if (end === 'taken')
      throw new Error('Another worker took over this node and its containers; this one leaves.')
    logger.error('the lease on this node ran out: its containers are stopped, its jobs go elsewhere')
    await service.killAll()
    await serving
  }
}

async function main(): Promise<void> {
  await mkdir(tasksDirectory, { recursive: true, mode: 0o711 })
  const ending = new AbortController()
  let service: NodeService | undefined
  let draining = false
  const stopNow = async () => {
    await service?.stopAll()
    ending.abort()
  }
  process.on('SIGINT', () => void stopNow())
  process.on('SIGTERM', () => {
    if (draining) return void stopNow()
    draining = true
    void service?.drain().then(stopNow)
  })
  await Promise.all([
    serveNode(ending.signal, (next) => {
      service = next
    }),
    leadWhileElected(ending.signal, lead),
  ])
  await closeListener()
  await database().close()
}

main().catch((error: unknown) => {
  logger.fatal({ err: error }, error instanceof Error ? error.message : 'the worker failed')
  process.exitCode = 1
  // Whatever still holds the process would only delay its restart.
  setTimeout(() => process.exit(1), 1_000).unref()
})
