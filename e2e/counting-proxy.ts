import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP proxy that counts the bytes sent through it and can cut connections. */
export class CountingProxy {
  sentBytes = 0
  /** Cuts the connections after this many more bytes. */
  cutAfter = Number.POSITIVE_INFINITY
  cuts = 0
  /** Cuts so many connections when the server begins to answer: the server has done what was requested. */
  lostAnswers = 0
  readonly #sockets = new Set<Socket>()

  private constructor(
    readonly server: Server,
    readonly target: URL,
  ) {}

  static async open(target: string): Promise<CountingProxy> {
    const server = createServer()
    const gate = new CountingProxy(server, new URL(target))
    server.on('connection', (socket) => gate.#pass(socket))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return gate
  }

  get url(): string {
    const address = this.server.address()
    if (address === null || typeof address === 'string') throw new Error('the proxy is not listening')
    return `http://127.0.0.1:${address.port}`
  }

  /** Returns the bytes that were sent during `work`. */
  async count(work: () => Promise<unknown>): Promise<number> {
    const before = this.sentBytes
    await work()
    return this.sentBytes - before
  }

  /** Cuts all connections. Accepts new ones. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.cut()
    this.server.close()
  }

  #pass(client: Socket): void {
    const upstream = connect(Number(this.target.port), this.target.hostname)
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
        this.#sockets.delete(socket)
      })
    }
    client.on('data', (bytes) => {
      this.sentBytes += bytes.length
      this.cutAfter -= bytes.length
      if (this.cutAfter > 0) return
      this.cutAfter = Number.POSITIVE_INFINITY
      this.cuts++
      client.destroy()
    })
    upstream.on('data', () => {
      if (this.lostAnswers === 0) return
      this.lostAnswers--
      this.cuts++
      client.destroy()
    })
    client.pipe(upstream)
    upstream.pipe(client)
  }
}
