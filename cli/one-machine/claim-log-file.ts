import { type FileHandle, open, stat } from 'node:fs/promises'
import { parseJson } from '@/lib/contract/parse-json'
import { ClaimLog, type Entry, entrySchema } from './claim-log'

const lineFeed = 0x0a

/** The claim log on disk, next to the jobs file: one JSON object per line, append-only. */
export class ClaimLogFile {
  #claims: ClaimLog
  #handle: FileHandle | null = null
  #inode = 0
  #read = 0

  constructor(
    readonly path: string,
    readonly account: string,
  ) {
    this.#claims = new ClaimLog(account)
  }

  /** Reads what all watchers have written so far. */
  async refresh(): Promise<ClaimLog> {
    const handle = await this.#open()
    const { size } = await handle.stat()
    const bytes = Buffer.alloc(Math.max(0, size - this.#read))
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, this.#read)
    const end = bytes.subarray(0, bytesRead).lastIndexOf(lineFeed) + 1
    this.#read += end
    for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) {
      const entry = entrySchema.safeParse(parseJson(line))
      // Skip an entry that a crash cut off: its decision is made again.
      if (entry.success) this.#claims.add(entry.data)
    }
    return this.#claims
  }

  /** Appends with a single write, so that entries of other watchers do not interleave. */
  async append(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return
    const handle = await this.#open()
    // Start with a line break: a crash may have left the last line incomplete.
    await handle.appendFile(`\n${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`)
  }

  async close(): Promise<void> {
    await this.#handle?.close()
    this.#handle = null
  }

  /** Create the file again if a user deleted it to start over. */
  async #open(): Promise<FileHandle> {
    const there = await stat(this.path).catch(() => null)
    if (this.#handle && there?.ino === this.#inode) return this.#handle
    await this.close()
    const handle = await open(this.path, 'a+', 0o600)
    this.#handle = handle
    this.#inode = (await handle.stat()).ino
    this.#read = 0
    this.#claims = new ClaimLog(this.account)
    return handle
  }
}
