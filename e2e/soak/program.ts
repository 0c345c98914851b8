import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = join(import.meta.dirname, '..', '..')
const exitWithParent = ['--import', join(root, 'deploy', 'run', 'exit-with-parent.mjs')]
const restartDelayMs = 1_000
const graceMs = 30_000

/** A web server or worker that is started again whenever it ends, as `npm start` does. */
export class Program {
  private child: ChildProcess | undefined
  private stopping = false
  /** How it ended without a signal of the soak. */
  readonly unexpectedEnds: string[] = []
  private expected = false

  constructor(
    readonly name: string,
    private readonly args: string[],
    private readonly env: NodeJS.ProcessEnv,
    readonly logFile: string,
  ) {}

  start(): void {
    const log = openSync(this.logFile, 'a')
    // A session of its own, because Ctrl-C must reach only the soak, which stops the programs in order.
    const child = spawn(process.execPath, [...exitWithParent, ...this.args], {
      cwd: root,
      env: this.env,
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
    })
    closeSync(log)
    this.child = child
    child.once('exit', (code, signal) => void this.restart(`exit code ${code}, signal ${signal}`))
  }

  private async restart(how: string): Promise<void> {
    if (this.stopping) return
    if (!this.expected) this.unexpectedEnds.push(`${new Date().toISOString()} ${this.name}: ${how}`)
    this.expected = false
    await sleep(restartDelayMs)
    if (!this.stopping) this.start()
  }

  get pid(): number | null {
    const { child } = this
    return child && child.exitCode === null && child.signalCode === null ? (child.pid ?? null) : null
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child?.kill(signal)
  }

  /** `kill -9`, and waits for the end. */
  async kill(): Promise<void> {
    const { child } = this
    if (!child || this.pid === null) return
    this.expected = true
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  /** SIGINT: a worker stops its containers and leaves nothing behind. */
  async stop(): Promise<void> {
    this.stopping = true
    const { child } = this
    if (!child || this.pid === null) return
    const exited = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill('SIGINT')
    const force = setTimeout(() => child.kill('SIGKILL'), graceMs)
    await exited
    clearTimeout(force)
  }
}
