/**
 * The settings that are needed before any package is installed. lib/env.ts declares all settings, including
 * these.
 */
import { existsSync } from 'node:fs'
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

/** The minimum Node.js version, as in `engines` of package.json. */
export const oldestNode = '20.19.0'

/**
 * Whether a version is at least the minimum.
 * @param {string} version
 * @param {string} floor
 */
export function atLeast(version, floor) {
  const numbers = (/** @type {string} */ text) => text.split('.').map((part) => Number.parseInt(part, 10))
  const [have, want] = [numbers(version), numbers(floor)]
  for (const [index, wanted] of want.entries()) {
    const difference = (have[index] ?? 0) - wanted
    if (difference !== 0) return difference > 0
  }
  return true
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
