/** The few settings that are needed before any package is installed. lib/env.ts declares them all, these included. */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout. The programs in dist/ contain this module too, and lie at another depth. */
export const root = findRoot(dirname(fileURLToPath(import.meta.url)))

/**
 * @param {string} directory
 * @returns {string}
 */
function findRoot(directory) {
  const found = existsSync(join(directory, 'package.json')) || directory === dirname(directory)
  return found ? directory : findRoot(dirname(directory))
}

/** The oldest Node.js that runs gpuq, as package.json's engines say. */
export const oldestNode = '20.19.0'

/**
 * Whether a version is at least another.
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
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ port: number, host: string, dataDir: string }}
 */
export function readSettings(env) {
  const port = Number(env.PORT || 8001)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`PORT is "${env.PORT}". Give a number from 1 to 65535.`)
  }
  return { port, host: env.HOST || '0.0.0.0', dataDir: resolve(root, env.GPUQ_DATA_DIR || 'data') }
}
