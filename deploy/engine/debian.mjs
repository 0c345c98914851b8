/** Installs Debian packages, where this process may. */
import { accessSync, constants, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { runCommand } from '../run/processes.mjs'
import { isDebian } from './engine-choice.mjs'

/** The content of os-release, which names the distribution. Empty if the file does not exist. */
export function readOsRelease() {
  try {
    return readFileSync('/etc/os-release', 'utf8')
  } catch {
    return ''
  }
}

/**
 * The full path of a program, or null. Also searches the system directories, because a minimal PATH omits
 * them.
 * @param {string} name
 */
export function findProgram(name) {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin', '/usr/local/sbin']
  for (const directory of directories) {
    const path = join(directory, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // Not in this directory; try the next one.
    }
  }
  return null
}

/** Whether this process may install packages with apt. */
export function mayInstall() {
  return process.getuid?.() === 0 && isDebian(readOsRelease()) && findProgram('apt-get') !== null
}

let updated = false

/**
 * Installs packages. It cannot be aborted: an interrupted dpkg leaves the system in need of repair.
 * @param {string[]} packages
 * @param {(note: string) => void} progress
 */
export async function installPackages(packages, progress) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' }
  const apt = (/** @type {string[]} */ args) =>
    runCommand('apt-get', ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3', ...args], {
      env,
      onLine: (line) => progress(line.trim()),
    })
  if (!updated) await apt(['update'])
  updated = true
  await apt(['install', '-y', '--no-install-recommends', ...packages])
}
