declare module 's3rver' {
  /** The types that the tests need; the package has none. */
  interface Context {
    method: string
    path: string
    query: Record<string, string | undefined>
    headers: Record<string, string | undefined>
    status: number
    type: string
    body: unknown
  }

  interface StoredContent {
    size: number
    /** In hexadecimal. */
    md5: string
  }

  /** Stores objects as files in a directory. */
  interface Store {
    getResourcePath(bucket: string, key: string | undefined, resource: 'object' | 'uploads'): string
    putMetadata(bucket: string, key: string, metadata: Record<string, string>, md5: string): Promise<void>
    putObject(object: {
      bucket: string
      key: string
      content: import('node:stream').Readable
      metadata: Record<string, string>
    }): Promise<StoredContent>
    putPart(
      bucket: string,
      uploadId: string,
      partNumber: string,
      content: import('node:stream').Readable,
    ): Promise<StoredContent>
  }

  export default class S3rver {
    constructor(options: {
      port: number
      address: string
      silent: boolean
      directory: string
      configureBuckets: { name: string }[]
    })
    middleware: ((context: Context, next: () => Promise<void>) => Promise<void>)[]
    readonly store: Store
    run(): Promise<{ port: number }>
    readonly httpServer: import('node:http').Server
    close(): Promise<void>
  }
}
