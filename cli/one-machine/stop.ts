import { resolve } from 'node:path'
import type { Context } from '../context'
import { defaultDataDir, findRoot } from '../local/local-server'
import { runProgram } from '../local/run-program'

/** Stops the gpuq of this machine and the jobs that run on it, also if only the jobs are left. */
export async function stop(
  { env }: Context,
  { dataDir }: { dataDir?: string },
  root: string = findRoot('stop'),
): Promise<number> {
  const directory = dataDir === undefined ? defaultDataDir(env, root) : resolve(dataDir)
  return runProgram({ root, name: 'stop', cwd: root, env: { ...env, GPUQ_DATA_DIR: directory } })
}
