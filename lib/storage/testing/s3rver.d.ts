declare module 's3rver' {
  /** As much of the package, which brings no types, as the tests use. */
  interface Context {
    method: string
    path: string
    query: Record<string, string | undefined>
    headers: Record<string, string | undefined>
    status: number
    type: string
    body: unknown
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
    run(): Promise<{ port: number }>
    readonly httpServer: import('node:http').Server
    readonly httpServer: import('node:http').Server
    close(): Promise<void>
  }
}
