import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes a seccomp profile to a file of the host, because Podman takes only paths. Returns the path. Podman reads the
 * file again when the container starts, so it stays.
 * @param directory only its owner may write to it.
 */
export async function writeSeccompFile(directory: string, profile: string): Promise<string> {
  const hash = createHash('sha256').update(profile).digest('hex').slice(0, 16)
  const path = join(directory, `seccomp-${hash}.json`)
  if ((await readFile(path, 'utf8').catch(() => null)) === profile) return path
  await mkdir(directory, { recursive: true, mode: 0o755 })
  // Another worker may read it, or write the same.
  const temporary = `${path}.${randomUUID()}`
  await writeFile(temporary, profile, { mode: 0o644 })
  await rename(temporary, path)
  return path
}
