/** Installs the packages when they are missing or not those of package-lock.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './processes.mjs'
import { root } from './settings.mjs'

/** @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean }>} Locked */

/**
 * Whether what npm notes as installed is what the lock file asks for. A package for another platform may be missing.
 * @param {Locked} wanted `packages` of package-lock.json
 * @param {Locked} installed `packages` of node_modules/.package-lock.json
 */
export function isInstalled(wanted, installed) {
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true
    const found = installed[path]
    if (!found) return entry.optional === true
    return found.version === entry.version && found.integrity === entry.integrity
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

/** Whether there is nothing to install. */
export function packagesAreHere() {
  const wanted = readPackages(join(root, 'package-lock.json'))
  // npm writes this note last, so an interrupted installation has none.
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'))
  return wanted !== null && installed !== null && isInstalled(wanted, installed)
}

/**
 * How to run npm. The one that runs us knows its own place; one in the PATH may be another, or none.
 * @param {string[]} args
 * @returns {[command: string, args: string[]]}
 */
export function npmCommand(args) {
  const npm = process.env.npm_execpath
  return npm?.endsWith('.js') ? [process.execPath, [npm, ...args]] : ['npm', args]
}

/**
 * @param {object} options
 * @param {(note: string) => void} options.progress
 * @param {AbortSignal} [options.signal]
 */
export async function installDependencies({ progress, signal }) {
  let fetched = 0
  const args = ['ci', '--include=dev', '--loglevel=http', '--no-audit', '--no-fund']
  await runCommand(...npmCommand(args), {
    cwd: root,
    signal,
    onLine(line) {
      if (/http (fetch|cache)/.test(line)) progress(`${++fetched} packages fetched`)
    },
  })
}
