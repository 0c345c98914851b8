import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { inject } from 'vitest'
import { until } from './until'

export interface WorkerOptions {
  node: string
  databaseUrl: string
  dataDir: string
  /** Simulated ones. */
  gpus?: number
  /** Where the stand-in for nvidia-smi lies: the worker serves what that lists. */
  nvidiaSmi?: string
  maxOutputMib?: number
  /** Where jobs over several nodes have their networks. */
  jobNetworks?: string
  /** Where the engine listens, where it is not the machine's own. */
  engineSocket?: string
  /** The network namespace to run in; left out: the machine's own network. */
  namespace?: string
  /** Further variables of its environment. */
  variables?: Record<string, string>
}

/** A worker of a test: a process of its own, which can be killed at any moment and started again. */
export class WorkerProcess {
  private child: ChildProcess | undefined
  private heard: Promise<unknown> = Promise.resolve()
  private text = ''

  constructor(readonly options: WorkerOptions) {}

  get node(): string {
    return this.options.node
  }

  get pid(): number {
    const pid = this.child?.pid
    if (pid === undefined) throw new Error(`The worker of ${this.node} was not started.`)
    return pid
  }

  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null
  }

  get exitCode(): number | null {
    return this.child?.exitCode ?? null
  }

  /** All that it has logged, in all its lives. */
  get log(): string {
    return this.text
  }

  start(): void {
    const {
      node,
      databaseUrl,
      dataDir,
      gpus = 1,
      nvidiaSmi,
      maxOutputMib = 64,
      jobNetworks,
      engineSocket,
      namespace,
      variables,
    } = this.options
    const program = [process.execPath, '--enable-source-maps', inject('workerBundle')]
    // nsenter becomes the program, so signals reach the worker. Its mounts stay those that the engine sees.
    const within = namespace === undefined ? [] : ['nsenter', `--net=/run/netns/${namespace}`, '--']
    const [command = '', ...args] = [...within, ...program]
    const child = spawn(command, args, {
      env: {
        NODE_ENV: 'test',
        PATH: nvidiaSmi === undefined ? process.env.PATH : `${nvidiaSmi}:${process.env.PATH}`,
        HOME: process.env.HOME,
        DATABASE_URL: databaseUrl,
        GPUQ_DATABASE_CONNECTIONS: '5',
        GPUQ_NODE_NAME: node,
        GPUQ_DATA_DIR: dataDir,
        ...(nvidiaSmi === undefined ? { GPUQ_SIMULATED_GPUS: String(gpus) } : {}),
        GPUQ_MAX_OUTPUT_MIB: String(maxOutputMib),
        // Its containers would be among those that tests count.
        GPUQ_CHECK_INTERVAL_H: '0',
        GPUQ_WARM_CONTAINERS: '0',
        ...(jobNetworks === undefined ? {} : { GPUQ_JOB_NETWORKS: jobNetworks }),
        ...(engineSocket === undefined ? {} : { DOCKER_HOST: `unix://${engineSocket}` }),
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        this.text += piece
      })
    }
    this.child = child
    this.heard = once(child, 'close')
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal)
  }

  /**
   * Resolves when the process is gone, and all that it logged has come; with its exit code, or null when a signal ended
   * it.
   */
  async ended(): Promise<number | null> {
    await until(`the worker of ${this.node} ends`, () => !this.running, { details: () => this.text })
    await this.heard
    return this.exitCode
  }

  /** `kill -9`, and waits until it is gone. A stopped process dies of it too. */
  async kill(): Promise<void> {
    if (!this.running) return
    this.signal('SIGKILL')
    await this.ended()
  }
}
