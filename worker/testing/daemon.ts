import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { createServer } from 'node:net'

export interface DaemonOptions {
  program: string
  args: string[]
  /** Receives the output. The daemon appends to it when it is started again. */
  log: string
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
}

/** A daemon in the foreground, in a session of its own, so that Ctrl-C reaches only the tests, which end it. */
export class Daemon {
  private child: ChildProcess | undefined

  constructor(private readonly options: DaemonOptions) {}

  get pid(): number | undefined {
    return this.child?.pid
  }

  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null
  }

  /** @throws if the program does not exist. */
  async start(): Promise<void> {
    const { program, args, log, env = process.env, uid, gid } = this.options
    const file = await open(log, 'a')
    const child = spawn(program, args, {
      stdio: ['ignore', file.fd, file.fd],
      detached: true,
      env,
      uid,
      gid,
    })
    this.child = child
    await Promise.all([once(child, 'spawn'), file.close()])
  }

  /** Ends it and waits until it is gone. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { child } = this
    if (!child || !this.running) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
}

/** Ports of 127.0.0.1 that nobody uses, each another one. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => {
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  })
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
