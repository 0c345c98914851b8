import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Engine } from './engine'
import { loadPython } from './python-image'
import { until } from './until'

const run = promisify(execFile)

export interface PrivateEngineOptions {
  liveRestore: boolean
  /** Takes requests for GPUs and hands their names on to the container, as on a machine that has some. */
  pretendsGpus?: boolean
  /** A network namespace to live in, with its own firewall, as on a machine of its own; left out: one without a way out. */
  namespace?: string
  /** Copies the machine's default image, with its shell and its libraries; left out: one with nothing but Python. */
  wholeImage?: boolean
}

/**
 * A Docker engine of a test's own, to be restarted and killed: dockerd beside a containerd, as on a machine with systemd,
 * without networks, and by default with an image that holds nothing but Python.
 */
export class PrivateEngine {
  readonly engine: Engine
  private dockerd: ChildProcess | undefined
  private containerd: ChildProcess | undefined

  private constructor(
    private readonly directory: string,
    private readonly options: PrivateEngineOptions,
  ) {
    this.engine = new Engine(join(directory, 'engine.sock'))
  }

  static async start(options: PrivateEngineOptions): Promise<PrivateEngine> {
    const engine = new PrivateEngine(await mkdtemp(join(tmpdir(), 'gpuq-engine-')), options)
    try {
      if (options.pretendsGpus) await engine.pretendGpus()
      await engine.startContainerd()
      await engine.startAgain()
      if (options.wholeImage) await engine.engine.loadImage(await new Engine().exportImage('gpuq/python:2'))
      else await loadPython(engine.engine, engine.directory)
      return engine
    } catch (error) {
      await engine.remove()
      throw error
    }
  }

  private async startContainerd(): Promise<void> {
    const config = join(this.directory, 'containerd.toml')
    await writeFile(config, 'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n')
    const paths = ['root', 'state'].flatMap((kind) => [`--${kind}`, join(this.directory, 'containerd', kind)])
    this.containerd = await this.launch('containerd', [
      '--config',
      config,
      ...paths,
      '--address',
      this.containerdSocket,
    ])
  }

  /** Up to version 24, an engine's id comes from a file that all engines of a machine share; this one has its own. */
  private async writeConfig(): Promise<string> {
    const { stdout } = await run('dockerd', ['--version'])
    const sharesKey = Number(/version (\d+)/.exec(stdout)?.[1]) < 25
    const config = sharesKey ? { 'deprecated-key-path': join(this.directory, 'key.json') } : {}
    const path = join(this.directory, 'daemon.json')
    await writeFile(path, JSON.stringify(config))
    return path
  }

  private get containerdSocket(): string {
    return join(this.directory, 'containerd.sock')
  }

  private async launch(program: string, args: string[], within: string[] = []): Promise<ChildProcess> {
    const log = await open(join(this.directory, `${program}.log`), 'a')
    const [command = program, ...rest] = [...within, program, ...args]
    // In a session of its own: Ctrl-C reaches the tests, which end it in order.
    const env = { ...process.env, PATH: `${join(this.directory, 'bin')}:${process.env.PATH}` }
    const child = spawn(command, rest, { stdio: ['ignore', log.fd, log.fd], detached: true, env })
    await log.close()
    return child
  }

  get socketPath(): string {
    return this.engine.socketPath
  }

  /** The engine takes requests for GPUs where it finds this program, which would make the devices. */
  private async pretendGpus(): Promise<void> {
    const hook = join(this.directory, 'bin', 'nvidia-container-runtime-hook')
    await mkdir(dirname(hook))
    await writeFile(hook, '#!/bin/sh\ncat >/dev/null\n', { mode: 0o755 })
  }

  async startAgain(): Promise<void> {
    const { directory } = this
    const { namespace } = this.options
    const args = [
      ...['--data-root', join(directory, 'data'), '--exec-root', join(directory, 'exec')],
      ...['--pidfile', join(directory, 'pid'), '--host', `unix://${this.socketPath}`],
      ...['--containerd', this.containerdSocket],
      ...['--bridge=none', '--ip-forward=false', '--ip-masq=false'],
      `--iptables=${namespace !== undefined}`,
      ...(this.options.liveRestore ? ['--live-restore'] : []),
      ...['--config-file', await this.writeConfig()],
    ]
    // In a network of its own: an engine without a bridge removes docker0, and it would be the machine's.
    const within =
      namespace === undefined ? ['unshare', '--net'] : ['nsenter', `--net=/run/netns/${namespace}`]
    this.dockerd = await this.launch('dockerd', args, within)
    await until('the private engine answers', () => this.engine.answers(), {
      details: () => `see ${join(directory, 'dockerd.log')}`,
    })
  }

  /** Ends it as a package update does (SIGTERM), or as nobody should (SIGKILL). */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    return endChild(this.dockerd, signal)
  }

  async remove(): Promise<void> {
    const left = await this.engine.containers('gpuq.node').catch(() => [])
    for (const { id } of left) await this.engine.remove(id)
    await this.end('SIGTERM')
    await endChild(this.containerd, 'SIGTERM')
    await removeWithMounts(this.directory)
  }
}

/** Removes a directory and everything that is mounted in it. */
export async function removeWithMounts(directory: string): Promise<void> {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '')
  for (const mount of mounts.filter((path) => path.startsWith(`${directory}/`)).reverse())
    await run('umount', ['--lazy', mount])
  await rm(directory, { recursive: true, force: true })
}

export async function endChild(
  child: ChildProcess | undefined,
  signal: 'SIGTERM' | 'SIGKILL',
): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
