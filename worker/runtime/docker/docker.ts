import { IncomingMessage } from 'node:http'
import { type Duplex, Readable, type Writable } from 'node:stream'
import Docker from 'dockerode'
import type { z } from 'zod'
import { RuntimeFault, type RuntimeFaultCode, type TerminalSize } from '../runtime'
import type { ContainerSpec } from '../spec/container-spec'
import type { NetworkSpec } from '../spec/network-spec'
import { chooseDialect } from './choose-dialect'
import { type Inspection, inspectSchema, listSchema } from './container-state'
import type { CallEngine, DockerRequests, EngineDialect } from './engine-dialect'
import type { EventQuery } from './engine-events'
import { toFault, within } from './engine-faults'
import { EngineOutages } from './engine-outages'
import { asReadable, attachTo, type OpenStream, withoutStream } from './streams'
import { defaultTimeouts, type Timeouts } from './timeouts'

export interface EngineOptions {
  /** The engine's socket; default: DOCKER_HOST, otherwise the standard path. */
  socketPath?: string | undefined
  timeouts?: Partial<Timeouts> | undefined
  /** A directory of this host for files that Podman reads; only containers on Podman need it. */
  directory?: string | undefined
}

/**
 * The requests to the Docker engine of this host, one method each. Every error is a RuntimeFault with the client's error
 * as its cause, except those of `open` and `pullImage`.
 */
export class DockerEngine {
  private readonly docker: Docker
  readonly timeouts: Timeouts
  readonly outages = new EngineOutages()
  private readonly directory: string | undefined
  private known: EngineDialect | undefined

  constructor({ socketPath, timeouts = {}, directory }: EngineOptions) {
    // Without an own agent, Node's default agent keeps connections open between calls.
    this.docker = new Docker(socketPath === undefined ? {} : { socketPath })
    this.timeouts = { ...defaultTimeouts, ...timeouts }
    this.directory = directory
  }

  /** What depends on the product behind the API. */
  async dialect(): Promise<EngineDialect> {
    this.known ??= chooseDialect(await this.version(), this.requests, this.directory)
    return this.known
  }

  /** Whether the engine is unavailable, or was at a time that {@link EngineOutages.affected} counts. */
  async hadOutage(sinceMs: number): Promise<boolean> {
    // A failure of the request is recorded as an outage.
    await this.ask('answer', this.docker.ping()).catch(() => {})
    return this.outages.affected(sinceMs)
  }

  async info(): Promise<unknown> {
    const { correctInfo } = await this.dialect()
    return correctInfo(await this.ask('describe the engine', this.docker.info()))
  }

  version(): Promise<unknown> {
    return this.ask('tell its version', this.docker.version())
  }

  inspectImage(image: string): Promise<unknown> {
    return this.ask('look for an image', this.docker.getImage(image).inspect(), 'image_unavailable')
  }

  async pullImage(image: string): Promise<Readable> {
    return asReadable(await this.docker.pull(image))
  }

  /** Returns the new container's id. */
  async create(spec: ContainerSpec): Promise<string> {
    const created = (await this.dialect()).create(spec)
    return this.ask('create the container', created, 'image_unavailable', this.timeouts.work)
  }

  /** The output of a container: multiplexed, or raw for a terminal. */
  attach(id: string): Promise<Readable> {
    return this.ask('attach to the container', this.attachTo(id, 'stdout=1&stderr=1'))
  }

  /** The input of a container with a terminal. */
  async openInput(id: string): Promise<Writable> {
    // The engine scans the input for detach keys, by default Ctrl-P Ctrl-Q, which programs use themselves, and
    // delays the first of them. The byte 0xff occurs in no text; the client cannot encode it in the URL.
    const input = await this.ask('attach to its input', this.attachTo(id, 'stdin=1&detachKeys=%FF'))
    return (await this.dialect()).echoesOutput ? input.resume() : input
  }

  /** The input of a container without a terminal. */
  openPlainInput(id: string): Promise<Duplex> {
    return this.ask('attach to its input', this.attachTo(id, 'stdin=1'))
  }

  async rename(id: string, name: string): Promise<void> {
    await this.ask('rename the container', this.docker.getContainer(id).rename({ name }))
  }

  private attachTo(id: string, query: string) {
    return attachTo((request, callback) => this.docker.modem.dial(request, callback), id, query)
  }

  async resize(id: string, { columns, rows }: TerminalSize): Promise<void> {
    await this.ask('resize the terminal', this.docker.getContainer(id).resize({ w: columns, h: rows }))
  }

  async start(id: string): Promise<void> {
    const started = this.docker.getContainer(id).start()
    await this.ask('start the container', started, 'container_gone', this.timeouts.work)
  }

  async inspect(idOrName: string): Promise<Inspection> {
    return inspectSchema.parse(
      await this.ask('inspect the container', this.docker.getContainer(idOrName).inspect()),
    )
  }

  /** As {@link inspect}; null if the engine has no such container. */
  async find(idOrName: string): Promise<Inspection | null> {
    try {
      return await this.inspect(idOrName)
    } catch (error) {
      if (error instanceof RuntimeFault && error.code === 'container_gone') return null
      throw error
    }
  }

  /** The output that the engine has recorded. */
  async logs(id: string, query: { follow: boolean; since?: number }): Promise<Readable> {
    const { timesLog: timestamps } = await this.dialect()
    const options = { stdout: true, stderr: true, timestamps, ...query }
    return this.ask("read the container's log", this.open('GET', `/containers/${id}/logs`, options))
  }

  /** A single usage sample. */
  stats(id: string): Promise<unknown> {
    // Without `one-shot`, the engine takes two samples, a second apart, to compute a rate.
    const sample = this.docker.getContainer(id).stats({ stream: false, 'one-shot': true })
    return this.ask("read the container's use", sample)
  }

  async kill(id: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.ask('signal the container', this.docker.getContainer(id).kill({ signal }))
  }

  async setPaused(id: string, paused: boolean): Promise<void> {
    const container = this.docker.getContainer(id)
    if (paused) await this.ask('pause the container', container.pause())
    else await this.ask('resume the container', container.unpause())
  }

  /** Kills the container if necessary, and removes its anonymous volumes. */
  async remove(id: string): Promise<void> {
    const removed = (await this.dialect()).remove(id)
    await this.ask('remove the container', removed, 'container_gone', this.timeouts.work)
  }

  /** Containers in any state that have a label. */
  async list(label: string): Promise<z.infer<typeof listSchema>> {
    const listed = this.docker.listContainers({ all: true, filters: { label: [label] } })
    return listSchema.parse(await this.ask('list containers', listed))
  }

  inspectNetwork(name: string): Promise<unknown> {
    return this.ask('look for a network', this.docker.getNetwork(name).inspect(), 'engine_error')
  }

  async createNetwork(spec: NetworkSpec): Promise<void> {
    const created = (await this.dialect()).createNetwork(spec)
    await this.ask('create a network', created, 'engine_error')
  }

  /** Networks that have a label. */
  listNetworks(label: string): Promise<unknown> {
    return this.ask(
      'list networks',
      this.docker.listNetworks({ filters: { label: [label] } }),
      'engine_error',
    )
  }

  /** Connects a container that has not started yet to another network. */
  async connectNetwork(name: string, containerId: string): Promise<void> {
    const connected = this.docker.getNetwork(name).connect({ Container: containerId })
    await this.ask('connect a network', connected, 'engine_error')
  }

  async removeNetwork(idOrName: string): Promise<void> {
    await this.ask('remove a network', this.docker.getNetwork(idOrName).remove())
  }

  private readonly call: CallEngine = (method, path, body) =>
    new Promise((resolve, reject) => {
      const statusCodes = { 200: true, 201: true, 204: true, 304: true }
      const options = body === undefined ? {} : { options: { _body: body, _query: {} } }
      this.docker.modem.dial({ method, path, statusCodes, ...options }, (error, answer) =>
        error ? reject(error) : resolve(answer),
      )
    })

  private readonly requests: DockerRequests = {
    call: this.call,
    create: async (spec) => (await this.docker.createContainer(spec)).id,
    remove: (id) => this.docker.getContainer(id).remove({ force: true, v: true }),
    createNetwork: async (spec) => void (await this.docker.createNetwork(spec)),
  }

  readonly open: OpenStream = (method, path, query, signal) =>
    new Promise((resolve, reject) => {
      const options = { _query: query, _body: {} }
      const request = { method, path: `${path}?`, options, isStream: true, statusCodes: { 200: true } }
      this.docker.modem.dial({ ...request, ...(signal && { abortSignal: signal }) }, (error, answer) => {
        if (error) return reject(error)
        // The event stream must not keep the process alive; other requests do.
        if (path === '/events' && answer instanceof IncomingMessage) answer.socket.unref()
        if (answer instanceof Readable) resolve(answer)
        else reject(withoutStream())
      })
    })

  /** Opens the events of gpuq's own containers that explain their end. */
  readonly openEvents = async (times: EventQuery): Promise<Readable> => {
    const filters = JSON.stringify((await this.dialect()).endEvents)
    return this.open('GET', '/events', { ...times, filters })
  }

  /**
   * Waits for an answer of the engine.
   * @param missing the code for a 404.
   */
  async ask<T>(
    doing: string,
    answer: Promise<T>,
    missing: RuntimeFaultCode = 'container_gone',
    timeoutMs = this.timeouts.answer,
  ): Promise<T> {
    try {
      return await within(timeoutMs, doing, answer)
    } catch (error) {
      const fault = toFault(this.known?.correctError(error) ?? error, doing, missing)
      if (fault.code === 'engine_unreachable') this.outages.note()
      throw fault
    }
  }
}
