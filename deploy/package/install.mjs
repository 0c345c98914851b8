/** Installs the packages if they are missing or differ from package-lock.json. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../run/processes.mjs'
import { root } from '../run/settings.mjs'
import { builtFiles, deniedPackages } from './native-modules.mjs'

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
  if (wanted === null || installed === null || !isInstalled(wanted, installed)) return false
  // An earlier version installed them with the scripts of all packages.
  return builtFiles(root, deniedPackages(wanted, readAllowed(root))).length === 0
}

/**
 * The packages whose install scripts may run.
 * @param {string} directory
 * @returns {string[]}
 */
function readAllowed(directory) {
  /** @type {Record<string, boolean>} */
  const policy = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).allowScripts ?? {}
  return Object.keys(policy).filter((name) => policy[name])
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
 * Installs the exact versions of the lock file. Runs the install scripts of the packages that `allowScripts` in
 * package.json allows, and no others: npm 11 only warns about the others, earlier versions do not know the list.
 * @param {object} options
 * @param {string} [options.directory] default: gpuq's
 * @param {(note: string) => void} options.progress
 * @param {AbortSignal} [options.signal]
 */
export async function installDependencies({ directory = root, progress, signal }) {
  let fetched = 0
  /** @type {string[]} */
  const complaints = []
  const npm = (/** @type {string[]} */ args) =>
    runCommand(...npmCommand([...args, '--include=dev', '--loglevel=http', '--no-audit', '--no-fund']), {
      cwd: directory,
      signal,
      onLine(line) {
        if (/http (fetch|cache)/.test(line)) progress(`${++fetched} downloads`)
        if (/^npm (error|ERR!)/.test(line)) complaints.push(line)
      },
    })
  try {
    await npm(['ci', '--ignore-scripts'])
  } catch {
    signal?.throwIfAborted()
    if (!complaints.some((line) => outOfSync.test(line))) throw new Error(explainInstall(complaints))
    // `npm ci` requires packages of all platforms in the lock file. `npm install` does not.
    complaints.length = 0
    await npm(['install', '--no-save', '--ignore-scripts']).catch(() => signal?.throwIfAborted())
    if (!packagesAreHere()) throw new Error(explainInstall(complaints))
  }
  const allowed = readAllowed(directory).filter((name) => existsSync(join(directory, 'node_modules', name)))
  if (allowed.length === 0) return
  progress('running install scripts')
  await npm(['rebuild', '--ignore-scripts=false', ...allowed]).catch(() => {
    signal?.throwIfAborted()
    throw new Error(explainInstall(complaints))
  })
}

/** @param {string[]} complaints */
function explainInstall(complaints) {
  return [
    'Cannot install the packages. Output of npm:',
    ...complaints.slice(0, 15).map((line) => `  ${line}`),
  ].join('\n')
}
