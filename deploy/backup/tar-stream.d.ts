declare module 'tar-stream' {
  import type { Readable, Writable } from 'node:stream'

  /** The part of a header that backups use; the package has no types. */
  interface Header {
    name: string
    size: number
    mode?: number
    uid?: number
    gid?: number
    mtime?: Date
  }

  interface Pack extends Readable {
    /** Returns the stream for the content, of exactly `size` bytes. The callback follows its last byte. */
    entry(header: Header, done: (error?: Error | null) => void): Writable
    finalize(): void
  }

  type OnEntry = (header: Required<Header>, content: Readable, next: (error?: unknown) => void) => void

  interface Extract extends Writable {
    on(event: 'entry', listener: OnEntry): this
    on(event: string, listener: (...args: unknown[]) => void): this
  }

  const tar: { pack(): Pack; extract(): Extract }
  export default tar
}
