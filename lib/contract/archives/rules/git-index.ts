/** What git tracks in a repository, as its index lists it. */
export interface GitIndex {
  /** Paths relative to the root of the repository. */
  files: string[]
  /** Directories with a repository of their own. */
  submodules: string[]
  /** The index has only the changes to this one, which is the file `sharedindex.HASH` beside it. Null: it is whole. */
  sharedIndex: string | null
}

const fixedBytes = 40
const extendedFlag = 0x4000
const submoduleMode = 0o160000
const modeMask = 0o170000
const regularMode = 0o100000
const linkMode = 0o120000

/** Reads the file `.git/index`, in the versions 2 to 4, with SHA-1 or SHA-256. Null if it is none of these. */
export function readGitIndex(bytes: Uint8Array): GitIndex | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12 || textOf(bytes.subarray(0, 4)) !== 'DIRC') return null
  const version = view.getUint32(4)
  if (version < 2 || version > 4) return null
  for (const hashBytes of [20, 32]) {
    const index = new IndexReader(bytes, view, version, hashBytes).read()
    if (index !== null) return index
  }
  return null
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const textOf = (bytes: Uint8Array) => decoder.decode(bytes)

class IndexReader {
  readonly #index: GitIndex = { files: [], submodules: [], sharedIndex: null }
  /** Where the next entry begins. */
  #at = 12
  /** Version 4 stores only what differs from the name before. */
  #name = new Uint8Array(0)

  constructor(
    readonly bytes: Uint8Array,
    readonly view: DataView,
    readonly version: number,
    readonly hashBytes: number,
  ) {}

  /** Null if the entries do not end where the index says: the hashes have another length. */
  read(): GitIndex | null {
    try {
      for (let left = this.view.getUint32(8); left > 0; left--) this.#readEntry()
      return this.#readExtensions() ? this.#index : null
    } catch (error) {
      // A read behind the end.
      if (error instanceof RangeError) return null
      throw error
    }
  }

  #readEntry(): void {
    const start = this.#at
    const mode = this.view.getUint32(start + 24) & modeMask
    const flagsAt = start + fixedBytes + this.hashBytes
    const isExtended = (this.view.getUint16(flagsAt) & extendedFlag) !== 0
    this.#at = flagsAt + (isExtended ? 4 : 2)
    const name = this.version === 4 ? this.#readShortened() : this.#readPadded(start)
    if (name === '') return
    if (mode === submoduleMode) this.#index.submodules.push(name)
    // A sparse index has directories, whose files are not there.
    else if (mode === regularMode || mode === linkMode) this.#index.files.push(name)
  }

  /** The entry has a multiple of 8 bytes, with at least one zero at its end. */
  #readPadded(start: number): string {
    const end = this.#endOfName()
    const name = textOf(this.bytes.subarray(this.#at, end))
    this.#at = start + Math.floor((end - start + 8) / 8) * 8
    return name
  }

  #readShortened(): string {
    let cut = 0
    for (let first = true; ; first = false) {
      const byte = this.view.getUint8(this.#at++)
      cut = (first ? 0 : (cut + 1) * 128) + (byte & 127)
      if (byte < 128) break
    }
    const end = this.#endOfName()
    const kept = this.#name.subarray(0, Math.max(0, this.#name.length - cut))
    const name = new Uint8Array(kept.length + end - this.#at)
    name.set(kept)
    name.set(this.bytes.subarray(this.#at, end), kept.length)
    this.#name = name
    this.#at = end + 1
    return textOf(name)
  }

  #endOfName(): number {
    const end = this.bytes.indexOf(0, this.#at)
    if (end === -1) throw new RangeError('The name has no end.')
    return end
  }

  /** Each has a name and a size. The hash of the index follows. */
  #readExtensions(): boolean {
    const end = this.bytes.length - this.hashBytes
    while (this.#at < end) {
      const name = textOf(this.bytes.subarray(this.#at, this.#at + 4))
      const start = this.#at + 8
      this.#at = start + this.view.getUint32(this.#at + 4)
      if (name === 'link')
        this.#index.sharedIndex = sharedHash(this.bytes.subarray(start, start + this.hashBytes))
    }
    return this.#at === end
  }
}

function sharedHash(hash: Uint8Array): string | null {
  if (hash.every((byte) => byte === 0)) return null
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Where the index of a repository is: a path relative to the directory with the file `.git`, which has this text. Null: none. */
export function indexBesideGitFile(text: string): string | null {
  const found = /^gitdir: (.+?)\r?\n?$/.exec(text)
  return found ? `${found[1]}/index` : null
}
