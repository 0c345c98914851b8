import { join, resolve } from 'node:path'
import { invalidRequest } from '@/lib/contract/errors'
import type { Context } from '../context'
import { findRoot } from '../local/local-server'
import { runProgram } from '../local/run-program'

interface WorkerOptions {
  name?: string
  gpus?: number
  pool?: string
}

/** Runs the worker of this node until it exits, with the database from DATABASE_URL. */
export async function worker(
  { env }: Context,
  { name, gpus, pool }: WorkerOptions,
  root: string = findRoot('worker'),
): Promise<number> {
  if (!env.DATABASE_URL) {
    const how =
      "Set it to the address of the server's PostgreSQL, such as postgresql://gpuq:…@db.example.org/gpuq."
    throw invalidRequest(`DATABASE_URL is not set. ${how}`)
  }
  return runProgram({
    root,
    name: 'worker',
    env: {
      ...env,
      GPUQ_DATA_DIR: env.GPUQ_DATA_DIR ? resolve(env.GPUQ_DATA_DIR) : join(root, 'data'),
      GPUQ_NODE_NAME: name ?? env.GPUQ_NODE_NAME,
      GPUQ_GPUS: gpus?.toString() ?? env.GPUQ_GPUS,
      GPUQ_NODE_POOL: pool ?? env.GPUQ_NODE_POOL,
    },
  })
}
