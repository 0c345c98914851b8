import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import { version } from '../../package.json'
import { ContainerExits, type OpenStream } from './container-exits'
import { buildContainerSpec, type ContainerPolicy, labels } from './container-spec'
import {
  findOwn,
  type Inspection,
  inspectSchema,
  listSchema,
  toContainerRef,
  toExit,
} from './container-state'
import { statusOf, toFault, within } from './engine-faults'
import { describeEngine, engineInfoSchema, engineVersionSchema } from './engine-warnings'
import { EngineWatch, wasEndedByOthers } from './engine-watch'
import { ImageStore } from './image-store'
import { OutputQueue } from './output-queue'
import { readOutput } from './read-output'
import {
  type ContainerRef,
  type EngineInfo,
  type Exit,
  type OutputChunk,
  type Runtime,
  RuntimeFault,
  type TaskContainer,
} from './runtime'
import { readToolkitVersion } from './toolkit-version'

/** How long the engine is waited for, in ms. */
const defaultPatience = {
  /** An answer that needs no work. */
  answer: 30_000,
  /** Creating, starting and removing: slow disks, and GPU hooks on their first run. */
  work: 120_000,
  /** From the end of a container's output to its exit. */
  exit: 5000,
  /** From SIGKILL to the exit. */
  kill: 10_000,
  /** From an exit to the event that explains it. */
  lateEvent: 100,
}

export interface DockerOptions {
  /** Output after which the caller ends a job. */
  outputLimitBytes: number
  /** Another OCI runtime than the engine's default, such as `runsc`. */
  ociRuntime?: string | undefined
  /** Where the engine listens; by default where DOCKER_HOST says, else the usual place. */
  socketPath?: string | undefined
  patience?: Partial<typeof defaultPatience>
}

/** Runs tasks on the Docker engine of this host. */
export function createDockerRuntime(options: DockerOptions): Runtime {
  return new DockerRuntime(options)
}

class DockerRuntime implements Runtime {
  private readonly docker: Docker
  private readonly policy: ContainerPolicy
  private readonly patience: typeof defaultPatience
  private readonly watch: EngineWatch
  private readonly exits: ContainerExits
  private readonly images: ImageStore

  constructor({ outputLimitBytes, ociRuntime, socketPath, patience }: DockerOptions) {
    // No agent is set: Node's own keeps connections open between calls.
    this.docker = new Docker(socketPath === undefined ? {} : { socketPath })
    this.policy = { version, outputLimitBytes, internetNetwork: 'gpuq', ociRuntime }
    this.patience = { ...defaultPatience, ...patience }
    this.watch = new EngineWatch((since) => this.openEvents(since))
    this.exits = new ContainerExits(this.open, this.watch)
    this.images = new ImageStore({
      inspectImage: (image) => this.answer('inspect an image', this.docker.getImage(image).inspect()),
      pullImage: async (image) => asReadable(await this.docker.pull(image)),
    })
  }

  async info(): Promise<EngineInfo> {
    const [info, parts, toolkit] = await Promise.all([
      this.ask('describe the engine', this.docker.info()),
      this.ask('tell its version', this.docker.version()),
      readToolkitVersion(),
    ])
    const facts = engineInfoSchema.parse(info)
    return {
      id: facts.ID,
      version: facts.ServerVersion,
      cpuMilli: facts.NCPU * 1000,
      memoryMib: Math.floor(facts.MemTotal / 1024 / 1024),
      warnings: describeEngine(facts, engineVersionSchema.parse(parts), toolkit),
    }
  }

  ensureImage(image: string, onProgress: (line: string) => void = () => {}): Promise<string> {
    return this.images.ensure(image, onProgress)
  }

  async create(task: TaskContainer): Promise<ContainerRef> {
    const spec = buildContainerSpec(task, this.policy, await this.images.traits(task.image))
    if (task.network === 'internet') await this.ensureNetwork(this.policy.internetNetwork)
    try {
      const { id } = await within(this.patience.work, 'create a container', this.docker.createContainer(spec))
      this.watch.of(id)
      const { jobId, taskId, attempt, nodeId } = task
      return { id, jobId, taskId, attempt, nodeId, state: 'created' }
    } catch (error) {
      if (statusOf(error) === 409) return findOwn(task, await this.inspect(spec.name))
      if (statusOf(error) === 404) this.images.forget(task.image)
      throw toFault(error, 'create the container', 'image_unavailable')
    }
  }

  async start({ id }: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    const container = this.docker.getContainer(id)
    this.watch.of(id)
    // Attached first: what a program prints at once would otherwise be missed.
    const options = { stream: true, stdout: true, stderr: true, hijack: true }
    const attached = await this.ask('attach to the container', container.attach(options))
    const output = new OutputQueue(asReadable(attached))
    try {
      await within(this.patience.work, 'start a container', container.start())
    } catch (error) {
      if (statusOf(error) !== 304) {
        output.close()
        throw toFault(error, 'start the container')
      }
    }
    return this.read(id, output, false)
  }

  async replay({ id }: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    const { Status } = (await this.inspect(id)).State
    if (Status === 'created') return this.read(id, Readable.from([]), true)
    // It has outlived whatever befell the engine.
    if (Status === 'running') this.watch.of(id).interrupted = false
    const query = { follow: true, stdout: true, stderr: true }
    const log = await this.ask("read the container's log", this.open('GET', `/containers/${id}/logs`, query))
    return this.read(id, log, true)
  }

  async wait({ id }: ContainerRef): Promise<Exit> {
    const notes = this.watch.of(id)
    await this.exits.until(id)
    const exit = toExit(await this.inspect(id))
    const signal = exit.exitCode - 128
    // Ended by a signal: an event that explains it may come a moment later.
    if (signal > 0 && !exit.outOfMemory) await sleep(this.patience.lateEvent)
    const outOfMemory = exit.outOfMemory || notes.outOfMemory
    if (!outOfMemory && wasEndedByOthers(notes, signal))
      throw new RuntimeFault(
        'container_gone',
        `The container was ended from outside gpuq, with signal ${signal}.`,
      )
    return { ...exit, outOfMemory }
  }

  async stop({ id }: ContainerRef, graceMs: number): Promise<void> {
    this.watch.of(id).stopping = true
    await this.kill(id, 'SIGTERM')
    if (await this.exits.within(id, graceMs)) return
    await this.kill(id, 'SIGKILL')
    if (await this.exits.within(id, this.patience.kill)) return
    throw new RuntimeFault('kill_failed', `The container ${id} did not end after SIGKILL.`)
  }

  async remove({ id }: ContainerRef): Promise<void> {
    this.watch.of(id).stopping = true
    const removal = this.docker.getContainer(id).remove({ force: true, v: true })
    try {
      await within(this.patience.work, 'remove the container', removal)
    } catch (error) {
      const status = statusOf(error)
      // 409: somebody else's removal is under way.
      const done =
        status === 404 || (status === 409 && (await this.exits.within(id, this.patience.work, 'removed')))
      if (!done) throw toFault(error, 'remove the container')
    }
    this.watch.forget(id)
  }

  async list(nodeId: string): Promise<ContainerRef[]> {
    const filters = { label: [`${labels.node}=${nodeId}`] }
    const found = await this.ask('list containers', this.docker.listContainers({ all: true, filters }))
    return listSchema.parse(found).flatMap(({ Id, Labels, State }) => toContainerRef(Id, Labels, State) ?? [])
  }

  private async *read(
    id: string,
    source: AsyncIterable<Buffer>,
    fromLog: boolean,
  ): AsyncGenerator<OutputChunk> {
    try {
      yield* readOutput(source, { fromLog }, () => this.exits.within(id, this.patience.exit))
    } catch (error) {
      this.watch.of(id).interrupted = true
      throw error
    }
  }

  private async inspect(id: string): Promise<Inspection> {
    return inspectSchema.parse(
      await this.ask('inspect the container', this.docker.getContainer(id).inspect()),
    )
  }

  private async kill(id: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    try {
      await this.answer('signal the container', this.docker.getContainer(id).kill({ signal }))
    } catch (error) {
      // Whatever the engine says against it, whether the container ends is what counts; that is looked at next.
      if (statusOf(error) === undefined) throw toFault(error, 'signal the container')
    }
  }

  /** A network of gpuq's own: jobs on it reach the internet but not each other. */
  private async ensureNetwork(name: string): Promise<void> {
    const options = { 'com.docker.network.bridge.enable_icc': 'false' }
    try {
      await this.answer('look for a network', this.docker.getNetwork(name).inspect())
    } catch (error) {
      if (statusOf(error) !== 404) throw toFault(error, 'look for a network')
      const created = this.docker.createNetwork({
        Name: name,
        CheckDuplicate: true,
        Driver: 'bridge',
        Options: options,
      })
      await created.catch((failure: unknown) => {
        if (statusOf(failure) !== 409) throw toFault(failure, 'create a network')
      })
    }
  }

  private openEvents(since: string): Promise<Readable> {
    const filters = JSON.stringify({ type: ['container'], event: ['oom', 'kill'], label: [labels.task] })
    return this.open('GET', '/events', { since, filters }).then((events) => {
      // Watching alone must not keep the process alive.
      if (events instanceof IncomingMessage) events.socket.unref()
      return events
    })
  }

  private readonly open: OpenStream = (method, path, query, signal) =>
    new Promise((resolve, reject) => {
      const options = { _query: query, _body: {} }
      const request = { method, path: `${path}?`, options, isStream: true, statusCodes: { 200: true } }
      this.docker.modem.dial({ ...request, ...(signal && { abortSignal: signal }) }, (error, answer) => {
        if (error) reject(error)
        else resolve(asReadable(answer))
      })
    })

  private answer<T>(doing: string, answer: Promise<T>): Promise<T> {
    return within(this.patience.answer, doing, answer)
  }

  private async ask<T>(doing: string, answer: Promise<T>): Promise<T> {
    try {
      return await this.answer(doing, answer)
    } catch (error) {
      throw toFault(error, doing)
    }
  }
}

function asReadable(value: unknown): Readable {
  if (value instanceof Readable) return value
  throw new RuntimeFault('engine_error', 'The engine answered without a stream.')
}
