import { createServer, connect as dial, type Server, type Socket } from 'node:net'

/**
 * Stands between a worker and PostgreSQL on 127.0.0.1, and is the network between them: it can be cut so that both
 * notice, or silently, as by a router that lost its memory: nothing arrives any more and nobody is told.
 */
export class DatabaseGate {
  private readonly pairs = new Set<readonly [Socket, Socket]>()
  private state: 'open' | 'cut' | 'silent' = 'open'

  private constructor(
    private readonly server: Server,
    private readonly socketPath: string,
    private readonly url: URL,
  ) {}

  /** `url` is the database's address on a Unix socket. */
  static async open(url: string): Promise<DatabaseGate> {
    const parsed = new URL(url)
    const socketPath = `${parsed.searchParams.get('host')}/.s.PGSQL.5432`
    const server = createServer((near) => gate.join(near))
    const gate: DatabaseGate = new DatabaseGate(server, socketPath, parsed)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return gate
  }

  /** The database's address through this gate. */
  get through(): string {
    const address = this.server.address()
    if (address === null || typeof address === 'string') throw new Error('the gate does not listen')
    return `postgresql://${this.url.username}@127.0.0.1:${address.port}${this.url.pathname}`
  }

  /** Breaks every connection and refuses new ones. */
  cut(): void {
    this.state = 'cut'
    this.breakAll()
  }

  /** Passes nothing on any more, in either direction; connections stay open, and new ones are accepted. */
  cutSilently(): void {
    this.state = 'silent'
    for (const pair of this.pairs) for (const socket of pair) socket.unpipe().pause()
  }

  /** New connections work again. Those of before a silent cut stay dead: whoever forgot them never remembers. */
  restore(): void {
    this.state = 'open'
  }

  close(): void {
    this.server.close()
    this.breakAll()
  }

  private breakAll(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.destroy()
  }

  private join(near: Socket): void {
    if (this.state === 'cut') return void near.destroy()
    const far = dial(this.socketPath)
    const pair = [near, far] as const
    this.pairs.add(pair)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        this.pairs.delete(pair)
        if (this.state !== 'silent') other.destroy()
      })
      if (this.state === 'open') socket.pipe(other)
    }
  }
}
