/** Installs the packages if they are missing or differ from package-lock.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../run/processes.mjs'
import { root } from '../run/settings.mjs'

/** @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean }>} Locked */

/**
 * Whether the packages that npm recorded as installed match the lock file. Packages for other platforms may
 * be missing.
 * @param {Locked} wanted `packages` of package-lock.json
 * @param {Locked} installed `packages` of node_modules/.package-lock.json
 */
export function isInstalled(wanted, installed) {
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true
    const found = installed[path]
    if (!found) return entry.optional === true
    // complete-lock.mjs writes entries that have no integrity.
    const sameContent = entry.integrity === undefined || found.integrity === entry.integrity
    return found.version === entry.version && sameContent
  })
}

/**
 * @param {string} path
 * @returns {Locked | null}
 */
function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch {
    return null
  }
}

/** Whether nothing needs to be installed. */
export function packagesAreHere() {
  const wanted = readPackages(join(root, 'package-lock.json'))
  // npm writes this file last, so it is missing after an interrupted installation.
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'))
  return wanted !== null && installed !== null && isInstalled(wanted, installed)
}

/**
 * The command that runs npm. Prefer the npm that runs this program: the PATH may contain another one or none.
 * @param {string[]} args
 * @returns {[command: string, args: string[]]}
 */
export function npmCommand(args) {
  const npm = process.env.npm_execpath
  return npm?.endsWith('.js') ? [process.execPath, [npm, ...args]] : ['npm', args]
}

/**
 * npm's message if the lock file lacks a package, for example of a platform that its registry did not have.
 */
const outOfSync = /package\.json and package-lock\.json.* are in sync/

/**
 * Installs the exact versions of the lock file.
 * @param {object} options
 * @param {(note: string) => void} options.progress
 * @param {AbortSignal} [options.signal]
 */
export async function installDependencies({ progress, signal }) {
  let fetched = 0
  /** @type {string[]} */
  const complaints = []
  const npm = (/** @type {string[]} */ args) =>
    runCommand(...npmCommand([...args, '--include=dev', '--loglevel=http', '--no-audit', '--no-fund']), {
      cwd: root,
      signal,
      onLine(line) {
        if (/http (fetch|cache)/.test(line)) progress(`${++fetched} downloads`)
        if (/^npm (error|ERR!)/.test(line)) complaints.push(line)
      },
    })
  try {
    await npm(['ci'])
  } catch {
    signal?.throwIfAborted()
    if (!complaints.some((line) => outOfSync.test(line))) throw new Error(explainInstall(complaints))
    // `npm ci` requires packages of all platforms in the lock file. `npm install` does not.
    complaints.length = 0
    await npm(['install', '--no-save']).catch(() => signal?.throwIfAborted())
    if (!packagesAreHere()) throw new Error(explainInstall(complaints))
  }
}

/** @param {string[]} complaints */
function explainInstall(complaints) {
  return [
    'Cannot install the packages. Output of npm:',
    ...complaints.slice(0, 15).map((line) => `  ${line}`),
  ].join('\n')
}
