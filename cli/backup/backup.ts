import { resolve } from 'node:path'
import type { Context } from '../context'
import { defaultDataDir, findRoot } from '../local/local-server'
import { runProgram } from '../local/run-program'

interface DataDirOption {
  dataDir?: string
}

type Action = 'create' | 'restore'

/**
 * Runs the checkout's program on this machine's data directory and database. The server is not asked: it may be down,
 * and only an administrator of the machine can read its files.
 */
const act =
  (action: Action) =>
  async (
    { env }: Context,
    file: string,
    { dataDir }: DataDirOption,
    root: string = findRoot(action === 'create' ? 'backup' : 'restore'),
  ): Promise<number> =>
    runProgram({
      root,
      name: 'backup',
      args: [action, resolve(file)],
      // As under `npm start`: it finds the migrations there, and relative paths of variables begin there.
      cwd: root,
      env: { ...env, GPUQ_DATA_DIR: dataDir === undefined ? defaultDataDir(env, root) : resolve(dataDir) },
    })

export const backup = act('create')
export const restore = act('restore')
