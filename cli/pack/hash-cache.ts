import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '@/lib/contract/parse-json'
import { writePrivateFile, xdgDirectory } from '../files'

/** Size, mtime, ctime, inode number, SHA-256. */
const rowSchema = z.tuple([z.number(), z.number(), z.number(), z.number(), z.string()])
const cacheSchema = z.object({ version: z.literal(1), files: z.record(z.string(), rowSchema) })
type Row = z.infer<typeof rowSchema>

/** A file that was written this shortly before it was read may change again without a new timestamp. */
const settledMs = 2_000

/** The hashes of one directory from its last upload. Unchanged files are not read again. */
export class HashCache {
  readonly #kept = new Map<string, Row>()

  private constructor(
    readonly path: string,
    readonly known: ReadonlyMap<string, Row>,
  ) {}

  /** An unreadable cache counts as empty. That only costs time. */
  static async open(env: NodeJS.ProcessEnv, directory: string): Promise<HashCache> {
    const name = createHash('sha256').update(directory).digest('hex').slice(0, 32)
    const path = join(xdgDirectory(env, 'CACHE'), 'gpuq', 'hashes', `${name}.json`)
    const text = await readFile(path, 'utf8').catch(() => '')
    const parsed = cacheSchema.safeParse(parseJson(text))
    return new HashCache(path, new Map(parsed.success ? Object.entries(parsed.data.files) : []))
  }

  /** The hash of an unchanged file. Null if the file must be read. */
  find(path: string, stats: Stats): string | null {
    const row = this.known.get(path)
    if (!row) return null
    const [size, mtime, ctime, inode, hash] = row
    const same =
      size === stats.size && mtime === stats.mtimeMs && ctime === stats.ctimeMs && inode === stats.ino
    if (same) this.#kept.set(path, row)
    return same ? hash : null
  }

  /** `readAt`: when the read began, in ms since 1970. */
  keep(path: string, stats: Stats, hash: string, readAt: number): void {
    if (readAt - Math.max(stats.mtimeMs, stats.ctimeMs) < settledMs) return
    this.#kept.set(path, [stats.size, stats.mtimeMs, stats.ctimeMs, stats.ino, hash])
  }

  /** Saves the entries that were used or added, and drops the rest. */
  async save(): Promise<void> {
    const text = JSON.stringify({ version: 1, files: Object.fromEntries(this.#kept) })
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
      await writePrivateFile(this.path, text)
    } catch {
      // A full or read-only home directory only makes the next upload slower.
    }
  }
}
