import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Daemon } from './daemon'

const keyBytes = 1024

/**
 * A munged with its own key and socket, as the user munge. Nothing of the machine's own munge is used.
 * @param directory an existing directory that everyone can read; munge gets the subdirectory `munge`
 */
export async function startMunge(directory: string): Promise<Daemon> {
  const files = join(directory, 'munge')
  const [uid, gid] = await Promise.all(['-u', '-g'].map(idOfMunge))
  await mkdir(files, { mode: 0o755 })
  await writeFile(join(files, 'key'), randomBytes(keyBytes), { mode: 0o400 })
  for (const path of [files, join(files, 'key')]) await chown(path, uid ?? 0, gid ?? 0)
  const paths = { socket: 'socket', 'key-file': 'key', 'pid-file': 'pid', 'seed-file': 'seed' }
  const args = Object.entries(paths).flatMap(([option, name]) => [`--${option}`, join(files, name)])
  const log = join(directory, 'munged.out')
  const daemon = new Daemon({ program: 'munged', args: ['--foreground', ...args], log, uid, gid })
  await daemon.start()
  return daemon
}

async function idOfMunge(option: string): Promise<number> {
  const { stdout } = await promisify(execFile)('id', [option, 'munge'])
  return Number(stdout)
}
