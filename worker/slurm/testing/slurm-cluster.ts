import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Daemon, freePorts } from '../../testing/daemon'
import { startMunge } from '../../testing/munge'
import type { NetworkNamespace } from '../../testing/network-namespace'
import { until } from '../../testing/until'
import { killSlurmJobs } from './kill-slurm-jobs'
import { type SlurmAccounting, startAccounting } from './slurm-accounting'
import { type SlurmNodeOptions, slurmFiles } from './slurm-config'
import { startRestDaemon } from './slurm-restd'

const run = promisify(execFile)

export interface SlurmClusterOptions {
  /** Default: n0 … n3 with eight GPUs each. */
  nodes?: readonly SlurmNodeOptions[]
  /** Seconds for which the controller knows an ended job. Slurm looks at it about once a minute. */
  minJobAgeS?: number
  /** Starts slurmdbd with a database too, which takes some seconds. */
  accounting?: boolean
  /** Slurm puts its jobs into cgroups of version 1 and limits their memory. Default: it does not. */
  cgroups?: boolean
  /** More lines of slurm.conf, such as `PartitionName=short Nodes=n0 MaxTime=60`. */
  lines?: readonly string[]
}

/** Four nodes with eight simulated GPUs each. */
export const fourNodes: readonly SlurmNodeOptions[] = ['n0', 'n1', 'n2', 'n3'].map((name) => ({
  name,
  gpus: 8,
  shards: 0,
}))

/**
 * A real Slurm for one test file: its own munged, slurmctld and a slurmd for each node, on free ports and in its own
 * directory. Only the GPUs are simulated. It needs root, and the Debian packages slurm-wlm and munge. Programs use it with
 * `env`. Several clusters can run side by side.
 */
export class SlurmCluster {
  private munged: Daemon | undefined
  private rest: Daemon | undefined
  private accounting: SlurmAccounting | undefined
  private readonly controller: Daemon
  private readonly slurmds: Map<string, Daemon>
  readonly nodes: readonly string[]

  private constructor(
    readonly directory: string,
    options: readonly SlurmNodeOptions[],
  ) {
    this.nodes = options.map(({ name }) => name)
    const log = (name: string) => join(directory, `${name}.out`)
    const env = { ...process.env, ...this.env }
    const args = ['-D', '-f', this.configFile]
    this.controller = new Daemon({ program: 'slurmctld', args, log: log('slurmctld'), env })
    this.slurmds = new Map(
      options.map(({ name, namespace }) => [
        name,
        new Daemon({
          ...within(namespace, 'slurmd', [...args, '-N', name]),
          log: log(`slurmd-${name}`),
          // slurmstepd inherits it, so that `crashNode` finds it.
          env: { ...env, SLURMD_NODENAME: name },
        }),
      ]),
    )
  }

  /** Starts it, and waits until all nodes are idle. */
  static async start(options: SlurmClusterOptions = {}): Promise<SlurmCluster> {
    if (process.getuid?.() !== 0) throw new Error('A test cluster of Slurm needs root.')
    const nodes = options.nodes ?? fourNodes
    const directory = await mkdtemp(join(tmpdir(), 'gpuq-slurm-'))
    const cluster = new SlurmCluster(directory, nodes)
    try {
      const accountingPort = await cluster.prepare(nodes, options)
      cluster.munged = await startMunge(directory)
      if (accountingPort !== null)
        cluster.accounting = await startAccounting(directory, accountingPort, {
          ...process.env,
          ...cluster.env,
        })
      await cluster.startController()
      for (const name of cluster.nodes) await cluster.startNode(name)
      await cluster.idle()
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  /** What a program needs to use this cluster. */
  get env(): { SLURM_CONF: string } {
    return { SLURM_CONF: this.configFile }
  }

  get configFile(): string {
    return join(this.directory, 'slurm.conf')
  }

  /** Signs tokens of slurmrestd. */
  get jwtKeyFile(): string {
    return join(this.directory, 'jwt.key')
  }

  /** Runs a command of Slurm, such as `scontrol`, and returns its output. */
  async run(command: string, args: readonly string[]): Promise<string> {
    const env = { ...process.env, ...this.env, LC_ALL: 'C' }
    const { stdout } = await run(command, [...args], { env, maxBuffer: 64 * 1024 * 1024 })
    return stdout
  }

  /** Waits until every node can start jobs and runs none. */
  async idle(): Promise<void> {
    await until(
      'all Slurm nodes are idle',
      async () => {
        const args = ['--noheader', '--Node', '--format=%N %T']
        const output = await this.run('sinfo', args).catch(() => '')
        const idle = new Set(output.split('\n').filter((line) => line.endsWith(' idle')))
        return idle.size === this.nodes.length
      },
      { details: () => `see the logs in ${this.directory}` },
    )
  }

  /** Undoes what a failed test has left: ended daemons, nodes that are down or drained, and jobs. */
  async repair(): Promise<void> {
    if (!this.controller.running) await this.startController()
    const ended = this.nodes.filter((name) => !this.slurmd(name).running)
    for (const name of ended) await this.startNode(name)
    await this.clear()
    // Slurm refuses it for a node that is neither down nor drained.
    for (const name of this.nodes)
      await this.run('scontrol', ['update', `NodeName=${name}`, 'State=RESUME']).catch(() => '')
    await this.idle()
  }

  /** Cancels all jobs and waits until they are gone. */
  async clear(): Promise<void> {
    await until('all jobs are gone', async () => {
      const ids = (await this.run('squeue', ['--noheader', '--format=%A']))
        .split('\n')
        .filter((id) => id !== '')
      if (ids.length > 0) await this.run('scancel', ids).catch(() => '')
      return ids.length === 0
    })
  }

  async startController(): Promise<void> {
    await this.controller.start()
    await until(
      'slurmctld answers',
      async () => (await this.run('scontrol', ['ping']).catch(() => '')).includes('is UP'),
      { details: () => `see ${join(this.directory, 'slurmctld.log')}` },
    )
  }

  /** Ends slurmctld as a restart does (SIGTERM), or as a crash (SIGKILL). After a crash it knows what was `saved`. */
  endController(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    return this.controller.end(signal)
  }

  /**
   * Waits until slurmctld has written the jobs of this moment to its disk, which it does every five seconds. After a crash it
   * does not know later jobs, even if they run.
   */
  async saved(): Promise<void> {
    const since = Date.now()
    await until('slurmctld saves the jobs', async () => {
      const { mtimeMs } = await stat(join(this.directory, 'state', 'job_state')).catch(() => ({ mtimeMs: 0 }))
      return mtimeMs > since
    })
  }

  /** Removes what slurmctld has saved, while it does not run: it forgets all jobs and begins with id 1 again. */
  async wipeState(): Promise<void> {
    const state = join(this.directory, 'state')
    await rm(state, { recursive: true })
    await mkdir(state)
  }

  /** Starts slurmrestd and returns the variables with which gpuq uses it. */
  async startRest(): Promise<{ GPUQ_SLURM_URL: string; GPUQ_SLURM_TOKEN_COMMAND: string }> {
    await this.rest?.end('SIGKILL')
    const { daemon, url } = await startRestDaemon(this.directory, { ...process.env, ...this.env })
    this.rest = daemon
    return { GPUQ_SLURM_URL: url, GPUQ_SLURM_TOKEN_COMMAND: 'scontrol token lifespan=3600' }
  }

  /** Ends slurmdbd, as a crash does; with `accounting` only. */
  async endAccounting(): Promise<void> {
    await this.accounting?.endDaemon()
  }

  async startAccounting(): Promise<void> {
    await this.accounting?.startDaemon()
  }

  /** Starts the slurmd of a node. */
  startNode(name: string): Promise<void> {
    return this.slurmd(name).start()
  }

  /** Ends the slurmd of a node. Its batch scripts continue, as on a real node. */
  endNode(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    return this.slurmd(name).end(signal)
  }

  /** Kills the slurmd of a node and all processes of its jobs, as a power failure does. */
  async crashNode(name: string): Promise<void> {
    await this.endNode(name, 'SIGKILL')
    await killSlurmJobs(this.configFile, (variables) => variables.includes(`SLURMD_NODENAME=${name}`))
  }

  /** Ends everything that it started, jobs included, and removes its files. */
  async stop(): Promise<void> {
    await this.rest?.end('SIGKILL')
    await this.controller.end('SIGKILL')
    for (const daemon of this.slurmds.values()) await daemon.end('SIGKILL')
    await killSlurmJobs(this.configFile, () => true)
    await this.accounting?.stop()
    await this.munged?.end('SIGTERM')
    // A killed process may still write for a moment.
    await until('the files of Slurm are removed', () =>
      rm(this.directory, { recursive: true, force: true }).then(
        () => true,
        () => false,
      ),
    )
  }

  private slurmd(name: string): Daemon {
    const daemon = this.slurmds.get(name)
    if (daemon === undefined) throw new Error(`The cluster has no node ${name}.`)
    return daemon
  }

  /** Writes the files. Returns the port of slurmdbd; null: without accounting. */
  private async prepare(
    nodes: readonly SlurmNodeOptions[],
    { minJobAgeS = 300, lines = [], accounting = false, cgroups = false }: SlurmClusterOptions,
  ): Promise<number | null> {
    const { directory } = this
    // The programs of other users read the configuration and use munge's socket.
    await chmod(directory, 0o755)
    for (const name of ['state', 'spool', 'dev']) await mkdir(join(directory, name))
    await writeFile(this.jwtKeyFile, randomBytes(32), { mode: 0o600 })
    const gpus = Math.max(...nodes.map((node) => node.gpus))
    for (let index = 0; index < gpus; index++)
      await run('mknod', [join(directory, 'dev', `gpu${index}`), 'c', '1', '3'])
    const [controllerPort = 0, lastPort = 0, ...ports] = await freePorts(nodes.length + 2)
    const accountingPort = accounting ? lastPort : null
    const files = slurmFiles({
      directory,
      controllerPort,
      nodes: nodes.map((node, index) => ({ ...node, port: ports[index] ?? 0 })),
      minJobAgeS,
      accountingPort,
      lines,
      cgroups,
    })
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
    return accountingPort
  }
}

/** nsenter becomes the program, so signals reach it. */
function within(namespace: NetworkNamespace | undefined, program: string, args: string[]) {
  if (namespace === undefined) return { program, args }
  return { program: 'nsenter', args: [`--net=/run/netns/${namespace.name}`, '--', program, ...args] }
}
