import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from './engine'
import { endChild, removeWithMounts } from './private-engine'
import { loadPython } from './python-image'
import { until } from './until'

/** cgroup v1 beside an empty v2, which crun refuses. */
const isHybrid = () => existsSync('/sys/fs/cgroup/unified')

/**
 * Podman of a test's own, behind Docker's API: with its own images, containers and locks, and by default with an image that
 * holds nothing but Python. Docker's data and the machine's own Podman are not touched.
 */
export class PodmanService {
  readonly engine: Engine
  private service: ChildProcess | undefined

  private constructor(readonly directory: string) {
    this.engine = new Engine(join(directory, 'engine.sock'))
  }

  /** Needs root, and the Debian packages podman, catatonit and runc or crun. */
  static async start({ wholeImage = false } = {}): Promise<PodmanService> {
    // Podman refuses a runroot of more than 50 characters, and `npm test` has a temporary directory of its own.
    const podman = new PodmanService(await mkdtemp(join(tmpdir(), 'p-')))
    try {
      await podman.writeConfig()
      await podman.startAgain()
      if (wholeImage) await podman.engine.loadImage(await new Engine().exportImage('gpuq/python:2'))
      else await loadPython(podman.engine, podman.directory)
      return podman
    } catch (error) {
      await podman.remove()
      throw error
    }
  }

  get socketPath(): string {
    return this.engine.socketPath
  }

  /** For the files that the runtime writes for Podman. */
  get filesDirectory(): string {
    return join(this.directory, 'files')
  }

  private async writeConfig(): Promise<void> {
    await writeFile(
      join(this.directory, 'containers.conf'),
      [
        '[engine]',
        'cgroup_manager = "cgroupfs"',
        'events_logger = "file"',
        // The default is shared by all of Podman on a machine.
        'lock_type = "file"',
        '[network]',
        `network_config_dir = "${join(this.directory, 'networks')}"`,
        '',
      ].join('\n'),
    )
  }

  /** Starts the service; containers of an earlier one continue. */
  async startAgain(): Promise<void> {
    const { directory } = this
    const log = await open(join(directory, 'podman.log'), 'a')
    const args = [
      ...['--root', join(directory, 'root'), '--runroot', join(directory, 'run')],
      ...['--tmpdir', join(directory, 'tmp'), '--storage-driver', 'overlay'],
      ...(isHybrid() ? ['--runtime', 'runc'] : []),
      ...['system', 'service', '--time=0', `unix://${this.socketPath}`],
    ]
    const env = { ...process.env, CONTAINERS_CONF: join(directory, 'containers.conf') }
    // In a session of its own: Ctrl-C reaches the tests, which end it in order.
    const child = spawn('podman', args, {
      cwd: directory,
      env,
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    })
    await log.close()
    const failed = new Promise<never>((_, reject) =>
      child.once('error', (error) =>
        reject(new Error('Podman did not start: apt-get install -y podman catatonit runc', { cause: error })),
      ),
    )
    this.service = child
    const answers = until('Podman answers', () => this.engine.answers(), {
      details: () => `see ${join(directory, 'podman.log')}`,
    })
    await Promise.race([answers, failed])
  }

  /** Ends the service. Containers continue. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    return endChild(this.service, signal)
  }

  async remove(): Promise<void> {
    const left = await this.engine.containers('gpuq.task').catch(() => [])
    for (const { id } of left) await this.engine.remove(id)
    await this.end('SIGTERM')
    await removeWithMounts(this.directory)
  }
}
