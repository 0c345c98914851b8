import { createServer, connect as dial, type Server, type Socket } from 'node:net'

/** A transaction, and whether its COMMIT is held back or PostgreSQL's answer to it. */
interface Rule {
  transaction: RegExp
  hold: 'before' | 'after'
  reached: () => void
}

/** Messages of PostgreSQL's protocol that begin and end a transaction. */
const begins = /BEGIN[;\0]/
const ends = /(COMMIT|ROLLBACK)\0$/

/**
 * Stands between a worker and PostgreSQL on 127.0.0.1, and is the network between them: it can be cut so that both
 * notice, or silently, as by a router that lost its memory: nothing arrives any more and nobody is told.
 */
export class DatabaseGate {
  private readonly pairs = new Set<readonly [Socket, Socket]>()
  private readonly rules = new Set<Rule>()
  private state: 'open' | 'cut' | 'silent' = 'open'

  private constructor(
    private readonly server: Server,
    private readonly socketPath: string,
    private readonly url: URL,
  ) {}

  /** `url` is the database's address on a Unix socket, `address` the one that the gate listens on. */
  static async open(url: string, address = '127.0.0.1'): Promise<DatabaseGate> {
    const parsed = new URL(url)
    const socketPath = `${parsed.searchParams.get('host')}/.s.PGSQL.5432`
    const server = createServer((near) => gate.join(near))
    const gate: DatabaseGate = new DatabaseGate(server, socketPath, parsed)
    await new Promise<void>((resolve) => server.listen(0, address, resolve))
    return gate
  }

  /** The database's address through this gate. */
  get through(): string {
    const address = this.server.address()
    if (address === null || typeof address === 'string') throw new Error('the gate does not listen')
    return `postgresql://${this.url.username}@${address.address}:${address.port}${this.url.pathname}`
  }

  /**
   * Holds a COMMIT, or the answer to it, for ever: whoever waits for it has to be killed. `transaction` describes what
   * was sent in the transaction. Resolves when the first one stands there; those after it are not held.
   */
  holdCommit(transaction: RegExp, hold: Rule['hold']): Promise<void> {
    return new Promise((resolve) => {
      const rule = { transaction, hold, reached: resolve }
      this.rules.add(rule)
    })
  }

  /** Breaks every connection and refuses new ones. */
  cut(): void {
    this.state = 'cut'
    this.breakAll()
  }

  /** Passes nothing on any more, in either direction; connections stay open, and new ones are accepted. */
  cutSilently(): void {
    this.state = 'silent'
    for (const pair of this.pairs)
      for (const socket of pair) socket.unpipe().removeAllListeners('data').pause()
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
      if (this.state !== 'open') continue
      if (socket === far) far.pipe(near)
      else this.passOn(near, far)
    }
  }

  /** The client waits for the answers to all statements of a transaction, so a COMMIT is a piece of its own. */
  private passOn(near: Socket, far: Socket): void {
    let sent = ''
    near.on('data', (bytes) => {
      const text = bytes.toString('latin1')
      sent = begins.test(text) ? text : sent + text
      const rule = ends.test(text) ? [...this.rules].find(({ transaction }) => transaction.test(sent)) : null
      // Without a rule nothing is looked for, and outside a transaction nothing has to be remembered.
      if (this.rules.size === 0 || ends.test(text) || !begins.test(sent)) sent = ''
      if (rule?.hold === 'after') far.unpipe(near).pause()
      if (rule?.hold !== 'before') far.write(bytes)
      if (!rule) return
      this.rules.delete(rule)
      rule.reached()
    })
  }
}
