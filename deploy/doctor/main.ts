/**
 * `npm run doctor`; also `gpuq doctor --local`: checks this machine without the server. With `--engine slurm` it checks the
 * Slurm cluster as this machine sees it. With `--json`, it prints a list. It exits with 1 if a check failed. The working
 * directory is the checkout.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { inspect, parseArgs } from 'node:util'
import { processTerminal } from '@/cli/console/terminal'
import { renderChecks, summarizeChecks } from '@/cli/node-checks/render-checks'
import { database } from '@/lib/database/client'
import { type Env, env } from '@/lib/env'
import { logger } from '@/lib/logger'
import { countStatus, type NodeCheck, problemsFirst } from '@/lib/node-checks/contract'
import { readDefaultImage } from '@/lib/node-checks/node-checks'
import { clearTestContainers } from '@/worker/node/test-container'
import { checkNode, checkSettings } from '@/worker/node-checks/check-node'
import { EngineRuntime } from '@/worker/runtime/docker/engine-runtime'
import { checkSlurm } from './check-slurm'

async function main(): Promise<number> {
  const { values: options } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      engine: { type: 'string', default: 'builtin' },
      'unix-user': { type: 'string' },
    },
  })
  // Its lines would be among the output.
  logger.level = 'silent'
  const config = env()
  const terminal = processTerminal()
  const isSlurm = options.engine === 'slurm'
  const subject = isSlurm ? 'Slurm' : 'This machine'
  if (!options.json && !isSlurm) await terminal.err('Checking this machine. This takes up to a minute.\n')
  const found = isSlurm ? checkSlurm(config, options['unix-user'] ?? null) : checkMachine(config)
  const checks = problemsFirst(await found)
  await database().close()
  if (options.json) await terminal.out(`${JSON.stringify(checks, null, 2)}\n`)
  else await terminal.out(`${renderChecks(checks, terminal)}${subject}: ${summarizeChecks(checks)}.\n`)
  return countStatus(checks, 'failure') > 0 ? 1 : 0
}

async function checkMachine(config: Env): Promise<NodeCheck[]> {
  const id = `doctor-${randomUUID()}`
  const runtime = new EngineRuntime({
    outputLimitBytes: 1024 * 1024,
    ociRuntime: config.GPUQ_CONTAINER_RUNTIME,
    directory: join(config.GPUQ_DATA_DIR, 'podman'),
    firewall: { enabled: config.GPUQ_JOB_FIREWALL, allowed: config.GPUQ_ALLOWED_NETWORKS ?? [] },
  })
  const host = { runtime, directory: join(config.GPUQ_DATA_DIR, 'tasks', id), nodeId: id }
  process.once('SIGINT', () => void clearTestContainers(host).finally(() => process.exit(130)))
  const known = {
    image: (await readDefaultImage().catch(() => null)) ?? config.GPUQ_DEFAULT_IMAGE,
    freeGpus: null,
    hasInternetJobs: null,
  }
  return checkNode(host, checkSettings(config), known)
}

try {
  process.exit(await main())
} catch (error) {
  console.error((error instanceof Error && error.message) || inspect(error))
  process.exit(1)
}
