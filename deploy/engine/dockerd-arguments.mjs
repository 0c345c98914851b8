/** The arguments of a dockerd that gpuq starts. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} EngineFiles
 * @property {string | null} config the text of the engine's configuration file; null: there is none
 * @property {boolean} swarm whether the engine belongs to a swarm
 */

/**
 * Adds `--live-restore`, so that jobs continue while the engine restarts. Leaves it out if the admin decided about it
 * in the arguments or in the configuration file, because dockerd refuses a setting in both places. Also leaves it
 * out for a swarm, with which dockerd refuses it.
 * @param {string} host
 * @param {string[]} given the admin's own arguments
 * @param {EngineFiles} files
 * @returns {string[]}
 */
export function dockerdArguments(host, given, { config, swarm }) {
  const decided = given.some((argument) => /^--live-restore(=|$)/.test(argument))
  const liveRestore = !decided && !swarm && parseConfig(config)['live-restore'] === undefined
  return [`--host=${host}`, ...(liveRestore ? ['--live-restore'] : []), ...given]
}

/**
 * Reads the files that decide about live-restore.
 * @param {string[]} given the admin's own arguments
 * @returns {EngineFiles}
 */
export function readEngineFiles(given) {
  const config = readIfPresent(optionOf(given, '--config-file') ?? '/etc/docker/daemon.json')
  const configuredRoot = parseConfig(config)['data-root']
  const root = optionOf(given, '--data-root') ?? (typeof configuredRoot === 'string' ? configuredRoot : null)
  return { config, swarm: existsSync(join(root ?? '/var/lib/docker', 'swarm', 'docker-state.json')) }
}

/**
 * The value of `--name VALUE` or `--name=VALUE`.
 * @param {string[]} given
 * @param {string} name
 * @returns {string | null}
 */
function optionOf(given, name) {
  const joined = given.find((argument) => argument.startsWith(`${name}=`))
  if (joined !== undefined) return joined.slice(name.length + 1)
  const at = given.indexOf(name)
  return at === -1 ? null : (given[at + 1] ?? null)
}

/**
 * An invalid file has no settings here: dockerd reports what is wrong with it.
 * @param {string | null} text
 * @returns {Record<string, unknown>}
 */
function parseConfig(text) {
  try {
    const parsed = JSON.parse(text ?? '{}')
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}

/** @param {string} path */
function readIfPresent(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
