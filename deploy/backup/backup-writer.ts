import { createHash, randomBytes } from 'node:crypto'
import { access, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import tar from 'tar-stream'
import { entryNames, sumLine } from './backup-format'

/** Owner and times of a copied file. */
export interface FileAttributes {
  mode?: number
  uid?: number
  gid?: number
  mtime?: Date
}

/** Fast, because most of a backup is checkpoints and artifacts, which compress badly. */
const compression = { level: 3 }

/** Writes a backup to a temporary file, which gets its name only when it is complete and on the disk. */
export class BackupWriter {
  readonly #pack = tar.pack()
  readonly #path: string
  readonly #part: string
  readonly #written: Promise<void>
  readonly #sums: string[] = []

  private constructor(path: string, part: string, file: Awaited<ReturnType<typeof open>>) {
    this.#path = path
    this.#part = part
    this.#written = pipeline(this.#pack, createGzip(compression), file.createWriteStream({ flush: true }))
    // Each step waits for it too; without this, a full disk between two steps would end the process.
    this.#written.catch(() => {})
  }

  /** @throws if the file exists: an older backup is never replaced. */
  static async create(file: string): Promise<BackupWriter> {
    const path = resolve(file)
    const exists = await access(path).then(
      () => true,
      () => false,
    )
    if (exists) throw new Error(`${path} already exists. Choose another name, or remove it first.`)
    const part = `${path}.${randomBytes(6).toString('hex')}.part`
    return new BackupWriter(path, part, await open(part, 'wx', 0o600))
  }

  async add(name: string, content: string | Buffer): Promise<void> {
    const bytes = Buffer.from(content)
    await this.addStream(name, bytes.length, [bytes])
  }

  /** Adds an entry of exactly `bytes` bytes. Returns the SHA-256 of the content. */
  async addStream(
    name: string,
    bytes: number,
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    attributes: FileAttributes = {},
  ): Promise<string> {
    const hash = createHash('sha256')
    async function* hashed() {
      for await (const part of content) {
        hash.update(part)
        yield part
      }
    }
    const { mode = 0o600, ...owner } = attributes
    const packed = new Promise<void>((done, fail) => {
      const entry = this.#pack.entry({ name, size: bytes, mode, ...owner }, (error) =>
        error ? fail(error) : done(),
      )
      pipeline(Readable.from(hashed()), entry).catch(fail)
    })
    await Promise.race([packed, this.#failed()])
    const sha256 = hash.digest('hex')
    this.#sums.push(sumLine(sha256, name))
    return sha256
  }

  /** Rejects when the file cannot be written, and never resolves. */
  #failed(): Promise<never> {
    return new Promise((_, fail) => this.#written.catch(fail))
  }

  /** Adds the checksums and gives the file its name. */
  async finish(): Promise<void> {
    await this.add(entryNames.sums, this.#sums.join(''))
    this.#pack.finalize()
    await this.#written
    await rename(this.#part, this.#path)
    const directory = await open(dirname(this.#path), 'r')
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  }

  /** Removes the temporary file. Does nothing after `finish`. */
  async discard(): Promise<void> {
    this.#pack.destroy()
    await this.#written.catch(() => {})
    await rm(this.#part, { force: true })
  }
}
