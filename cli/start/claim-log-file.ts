import { type FileHandle, open, stat } from 'node:fs/promises'
import { ClaimLog, type Entry, entrySchema } from './claim-log'

const lineFeed = 0x0a

/** The record on the disk, beside the jobs file: one JSON object a line, only ever added to. */
export class ClaimLogFile {
  #taken: ClaimLog
  #handle: FileHandle | null = null
  #inode = 0
  #read = 0

  constructor(
    readonly path: string,
    readonly account: string,
  ) {
    this.#taken = new ClaimLog(account)
  }

  /** What all watchers have written so far. */
  async refresh(): Promise<ClaimLog> {
    const handle = await this.#open()
    const { size } = await handle.stat()
    const bytes = Buffer.alloc(Math.max(0, size - this.#read))
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, this.#read)
    const end = bytes.subarray(0, bytesRead).lastIndexOf(lineFeed) + 1
    this.#read += end
    for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) {
      const entry = entrySchema.safeParse(parse(line))
      // One that a crash cut off says nothing: what it was to say is decided again.
      if (entry.success) this.#taken.add(entry.data)
    }
    return this.#taken
  }

  /** Adds to the end, in one write, so that nothing of another watcher comes in between. */
  async append(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return
    const handle = await this.#open()
    // A line that a crash left without its end must not swallow the first of these.
    await handle.appendFile(`\n${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`)
  }

  async close(): Promise<void> {
    await this.#handle?.close()
    this.#handle = null
  }

  /** Somebody who deletes it wants to begin anew. */
  async #open(): Promise<FileHandle> {
    const there = await stat(this.path).catch(() => null)
    if (this.#handle && there?.ino === this.#inode) return this.#handle
    await this.close()
    const handle = await open(this.path, 'a+', 0o600)
    this.#handle = handle
    this.#inode = (await handle.stat()).ino
    this.#read = 0
    this.#taken = new ClaimLog(this.account)
    return handle
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
