import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Step = 'before' | 'after'

interface Rule {
  request: RegExp
  /** Held back: the request itself, or the engine's answer to it. Null: answered by the gate with `answer`. */
  hold: Step | null
  answer: string
  held: { go(): void; fail(answer: string): void }[]
  reached: () => void
}

/** A place where a worker stands still. */
export interface Hold {
  /** Resolves when a worker has come there. */
  reached: Promise<void>
  /** Lets it and all after it go on. */
  release(): void
  /** Gives it this answer instead of the engine's, and lets all after it go on. */
  fail(answer: string): void
}

/**
 * Stands between a worker and the engine and stops the worker at an exact step, so that it can be killed there, or
 * answers in the engine's place. What passes is passed on byte by byte.
 */
export class EngineGate {
  private readonly rules: Rule[] = []
  private readonly sockets = new Set<Socket>()

  private constructor(
    private readonly directory: string,
    private readonly close_: () => void,
  ) {}

  static async open(engineSocket = '/var/run/docker.sock'): Promise<EngineGate> {
    const directory = await mkdtemp(join(tmpdir(), 'gpuq-gate-'))
    const server = createServer((near) => gate.join(near, connect(engineSocket)))
    const gate: EngineGate = new EngineGate(directory, () => server.close())
    await new Promise<void>((resolve) => server.listen(gate.socketPath, resolve))
    return gate
  }

  get socketPath(): string {
    return join(this.directory, 'engine.sock')
  }

  /** Holds requests like `POST /containers/ID/start` back before the engine has them, or its answers to them. */
  hold(request: RegExp, step: Step): Hold {
    let reached = () => {}
    const promise = new Promise<void>((resolve) => {
      reached = resolve
    })
    const rule: Rule = { request, hold: step, answer: '', held: [], reached }
    this.rules.push(rule)
    const forget = () => this.rules.splice(this.rules.indexOf(rule), 1)
    return {
      reached: promise,
      release: () => {
        forget()
        for (const { go } of rule.held) go()
      },
      fail: (answer) => {
        forget()
        for (const { fail } of rule.held) fail(answer)
      },
    }
  }

  /** Answers such requests in the engine's place, which never hears of them. Returns how to stop. */
  lie(request: RegExp, answer: string): () => void {
    const rule: Rule = { request, hold: null, answer, held: [], reached: () => {} }
    this.rules.push(rule)
    return () => this.rules.splice(this.rules.indexOf(rule), 1)
  }

  /** Breaks every connection, as an engine that is restarted does. New ones work at once. */
  breakAll(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.close_()
    this.breakAll()
    await rm(this.directory, { recursive: true, force: true })
  }

  private join(near: Socket, far: Socket): void {
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        this.sockets.delete(socket)
        other.destroy()
      })
    }
    far.pipe(near)
    const waiting: Buffer[] = []
    near.on('data', (bytes) => {
      // The rest of a request that is held back stays behind its head.
      if (waiting.length > 0) waiting.push(bytes)
      else this.pass(bytes, near, far, waiting)
    })
  }

  /** The engine's client writes the head of a request at once, so each begins a piece of its own. */
  private pass(bytes: Buffer, near: Socket, far: Socket, waiting: Buffer[]): void {
    const rule = this.rules.find(({ request }) => request.test(bytes.toString('latin1', 0, 300)))
    if (!rule) return void far.write(bytes)
    rule.reached()
    if (rule.hold === null) return void near.write(rule.answer)
    const fail = (answer: string) => void near.end(answer)
    if (rule.hold === 'before') {
      waiting.push(bytes)
      const go = () => {
        for (const piece of waiting.splice(0)) far.write(piece)
      }
      return void rule.held.push({ go, fail })
    }
    far.unpipe(near)
    far.write(bytes)
    rule.held.push({ go: () => far.pipe(near), fail })
  }
}
