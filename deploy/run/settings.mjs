/**
 * The settings that are needed before any package is installed. lib/env.ts declares all settings, including
 * these.
 */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the checkout. The programs in dist/ contain this module too, and lie at another depth. */
export const root = findRoot(dirname(fileURLToPath(import.meta.url)))

/**
 * @param {string} directory
 * @returns {string}
 */
function findRoot(directory) {
  const found = existsSync(join(directory, 'package.json')) || directory === dirname(directory)
  return found ? directory : findRoot(dirname(directory))
}

/**
 * Variables with secrets that only the first start uses. No program that gpuq starts gets them. lib/env.ts has the same
 * list.
 */
export const firstStartSecrets = ['GPUQ_ADMIN_PASSWORD', 'GPUQ_ADMIN_TOKEN', 'RESEARCH_AGENT_USER_AUTH_TOKEN']

/**
 * Removes the secrets of the first start from an environment, and returns them.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Record<string, string>}
 */
export function takeFirstStartSecrets(env) {
  /** @type {Record<string, string>} */
  const taken = {}
  for (const name of firstStartSecrets) {
    const value = env[name]
    if (value !== undefined) taken[name] = value
    delete env[name]
  }
  return taken
}

/**
 * Reads the arguments of `npm start` and `npm run dev`: `--workdir PATH`, the directory in which the commands of each
 * user's project `default` run. npm changes the directory, and keeps the earlier one in INIT_CWD.
 * @param {string[]} words
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ workdir: string | null }}
 */
export function readArguments(words, env) {
  const [first = '', ...more] = words
  if (words.length === 0) return { workdir: null }
  const given = first === '--workdir' ? more.shift() : /^--workdir=(.+)$/.exec(first)?.[1]
  if (!given || more.length > 0) {
    throw new Error(`"${words.join(' ')}" is not understood. The only option is --workdir PATH.`)
  }
  const path = resolve(env.INIT_CWD ?? process.cwd(), given)
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`--workdir: ${path} is not a directory. Create it, or name another one.`)
  }
  const workdir = realpathSync(path)
  if (workdir.includes(','))
    throw new Error(`--workdir: ${workdir} contains a comma. Use a path without one.`)
  return { workdir }
}

/**
 * The value of GPUQ_WORKSPACES with a directory for the project `default` of every user.
 * @param {string | undefined} workspaces
 * @param {string} workdir
 */
export function withWorkdir(workspaces, workdir) {
  return [...(workspaces ? [workspaces] : []), `*/default=${workdir}`].join(',')
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ port: number, host: string, dataDir: string }}
 */
export function readSettings(env) {
  const port = Number(env.PORT || 8001)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`PORT="${env.PORT}" is not valid. Use a number from 1 to 65535.`)
  }
  return { port, host: env.HOST || '127.0.0.1', dataDir: resolve(root, env.GPUQ_DATA_DIR || 'data') }
}
