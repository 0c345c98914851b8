import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { logger } from '@/lib/logger'
import type { StepReport } from '@/lib/slurm/jobs/check-in'
import { parseStepLine } from './step-line'

const maxLineBytes = 1024
/** More than the steps of a node; each is one socket. */
const maxConnections = 2048
/** What a step says when Slurm sends it SIGTERM. Scripts of earlier versions said `limit` near the time limit. */
const stopWords = ['stop', 'limit']
/** Time for a connection to introduce itself. */
const introductionMs = 10_000

/** The connection of one step of a Slurm job on this node. */
export class StepConnection {
  /** Aborted when the connection is closed, by either side. */
  readonly closed: AbortSignal
  /** Aborted when Slurm told the step to stop. */
  readonly stopping: AbortSignal
  #answered = false

  constructor(
    readonly report: StepReport,
    readonly socket: Socket,
    closed: AbortController,
    stopping: AbortController,
  ) {
    this.closed = closed.signal
    this.stopping = stopping.signal
  }

  /** Whether it was told its exit code. */
  get answered(): boolean {
    return this.#answered
  }

  /** Ends the step with an exit code, and a line for the output of its Slurm job. */
  exit(code: number, why?: string): void {
    this.#answered = true
    this.socket.end(`${why === undefined ? '' : `say ${why}\n`}exit ${code}\n`)
  }
}

/**
 * Accepts the steps of Slurm jobs on this machine, and tells their batch scripts in a file where it listens. Only programs
 * of this machine reach it, and only those that know a job's secret are heard.
 */
export class StepServer {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(
    readonly portFile: string,
    readonly onStep: (step: StepConnection) => void,
  ) {
    this.#server = createServer((socket) => this.#accept(socket))
    this.#server.maxConnections = maxConnections
  }

  static portFileOf(directory: string, node: string): string {
    return join(directory, `${node}.port`)
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', () => resolve())
    })
    this.#server.on('error', (error) => logger.warn({ err: error }, 'cannot accept steps of Slurm jobs'))
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('The step server has no port.')
    const directory = join(this.portFile, '..')
    if ((await mkdir(directory, { recursive: true, mode: 0o755 })) !== undefined)
      await chmod(directory, 0o755)
    const partial = `${this.portFile}.${process.pid}`
    await writeFile(partial, `${address.port}\n`, { mode: 0o644 })
    await rename(partial, this.portFile)
  }

  /** Closes all connections without an answer: the steps connect to the next worker. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
    await rm(this.portFile, { force: true })
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket)
    const closed = new AbortController()
    const stopping = new AbortController()
    const late = setTimeout(() => socket.destroy(), introductionMs)
    let introduced = false
    let text = ''
    socket.setEncoding('latin1')
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(late)
      this.#sockets.delete(socket)
      closed.abort()
    })
    // A step that was killed closes its side only.
    socket.on('end', () => socket.destroy())
    socket.on('data', (piece: string) => {
      text += piece
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 1)
        if (introduced) {
          if (stopWords.includes(line)) stopping.abort()
          continue
        }
        const report = parseStepLine(line)
        if (!report) return void socket.destroy()
        introduced = true
        clearTimeout(late)
        this.onStep(new StepConnection(report, socket, closed, stopping))
      }
      if (text.length > maxLineBytes) socket.destroy()
    })
  }
}
