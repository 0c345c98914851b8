import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import { GpuqError } from '@/lib/contract/errors'
import type { Context } from '../context'
import { findRoot } from '../start/local-server'

interface WorkerOptions {
  name?: string
  gpus?: number
  pool?: string
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs the worker of this node until it exits, with the database from DATABASE_URL. It runs the built program
 * of the checkout on this terminal, forwards signals to it, and exits with its exit code. The worker stops if
 * this process is killed.
 */
export async function worker(
  { env }: Context,
  { name, gpus, pool }: WorkerOptions,
  root: string = findRoot('worker'),
): Promise<number> {
  if (!env.DATABASE_URL) {
    const how =
      "Set it to the address of the server's PostgreSQL, such as postgresql://gpuq:…@db.example.org/gpuq."
    throw new GpuqError('invalid_request', `DATABASE_URL is not set. ${how}`)
  }
  const program = join(root, 'dist', 'worker.js')
  if (!existsSync(program)) {
    throw new GpuqError('not_found', `The worker is not built. Run \`npm run build\` in ${root}.`)
  }
  const exitWithParent = ['--import', join(root, 'deploy', 'run', 'exit-with-parent.mjs')]
  const child = spawn(process.execPath, [...exitWithParent, '--enable-source-maps', program], {
    env: {
      ...env,
      NODE_ENV: 'production',
      GPUQ_DATA_DIR: env.GPUQ_DATA_DIR ? resolve(env.GPUQ_DATA_DIR) : join(root, 'data'),
      GPUQ_NODE_NAME: name ?? env.GPUQ_NODE_NAME,
      GPUQ_GPUS: gpus?.toString() ?? env.GPUQ_GPUS,
      GPUQ_NODE_POOL: pool ?? env.GPUQ_NODE_POOL,
    },
    // In its own session, Ctrl-C reaches only this process, so that the worker receives each signal once. A
    // second signal tells the worker to stop faster.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const forward = (signal: NodeJS.Signals) => void child.kill(signal)
  for (const signal of signals) process.on(signal, forward)
  try {
    return await new Promise<number>((done, fail) => {
      child.once('error', fail)
      child.once('exit', (code, signal) => done(code ?? 128 + (signal ? constants.signals[signal] : 0)))
    })
  } finally {
    for (const signal of signals) process.off(signal, forward)
  }
}
