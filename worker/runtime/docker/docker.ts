import { IncomingMessage } from 'node:http'
import { Duplex, Readable, type Writable } from 'node:stream'
import Docker from 'dockerode'
import { version } from '../../../package.json'
import type { RunIproute } from '../network/overlay'
import { type Runtime, RuntimeFault } from '../runtime'
import type { NetworkSpec } from '../spec/network-spec'
import type { ContainerSpec, Engine, OpenStream } from './engine'
import { EngineRuntime } from './engine-runtime'
import type { Timeouts } from './timeouts'

export interface DockerOptions {
  /** Bytes of output records after which the caller ends a job. */
  outputLimitBytes: number
  /** An OCI runtime other than the engine's default, such as `runsc`. */
  ociRuntime?: string | undefined
  /** The engine's socket; default: DOCKER_HOST, otherwise the standard path. */
  socketPath?: string | undefined
  timeouts?: Partial<Timeouts>
  /** Runs iproute2 in the engine's network namespace; default: on this host. */
  iproute?: RunIproute
}

/** Creates a runtime on the Docker engine of this host. */
export function createDockerRuntime(options: DockerOptions): Runtime {
  const { outputLimitBytes, ociRuntime, socketPath, timeouts, iproute } = options
  const policy = { version, outputLimitBytes, internetNetwork: 'gpuq', ociRuntime }
  return new EngineRuntime(new DockerEngine(socketPath), policy, timeouts, iproute)
}

class DockerEngine implements Engine {
  private readonly docker: Docker

  constructor(socketPath: string | undefined) {
    // Without an own agent, Node's default agent keeps connections open between calls.
    this.docker = new Docker(socketPath === undefined ? {} : { socketPath })
  }

  info(): Promise<unknown> {
    return this.docker.info()
  }

  version(): Promise<unknown> {
    return this.docker.version()
  }

  inspectImage(image: string): Promise<unknown> {
    return this.docker.getImage(image).inspect()
  }

  async pullImage(image: string): Promise<Readable> {
    return asReadable(await this.docker.pull(image))
  }

  async create(spec: ContainerSpec): Promise<string> {
    return (await this.docker.createContainer(spec)).id
  }

  async attach(id: string): Promise<Readable> {
    const options = { stream: true, stdout: true, stderr: true, hijack: true }
    return asReadable(await this.docker.getContainer(id).attach(options))
  }

  openInput(id: string): Promise<Writable> {
    return new Promise((resolve, reject) => {
      // The engine scans the input for detach keys, by default Ctrl-P Ctrl-Q, which programs use themselves, and
      // delays the first of them. The byte 0xff occurs in no text; the client cannot encode it in the URL.
      const path = `/containers/${id}/attach?stream=1&stdin=1&detachKeys=%FF&`
      // The body must be empty, because the program would receive any other body as input.
      const request = { method: 'POST', path, isStream: true, hijack: true, file: Buffer.alloc(0) }
      this.docker.modem.dial({ ...request, statusCodes: { 200: true } }, (error, answer) => {
        if (error) return reject(error)
        if (answer instanceof Duplex) return resolve(answer)
        reject(
          new RuntimeFault(
            'engine_error',
            'The engine responded without a stream. Check its version and log.',
          ),
        )
      })
    })
  }

  async resize(id: string, size: { w: number; h: number }): Promise<void> {
    await this.docker.getContainer(id).resize(size)
  }

  async start(id: string): Promise<void> {
    await this.docker.getContainer(id).start()
  }

  inspect(idOrName: string): Promise<unknown> {
    return this.docker.getContainer(idOrName).inspect()
  }

  stats(id: string): Promise<unknown> {
    // One sample; otherwise the engine takes two, a second apart, to compute a rate.
    return this.docker.getContainer(id).stats({ stream: false, 'one-shot': true })
  }

  async kill(id: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.docker.getContainer(id).kill({ signal })
  }

  async remove(id: string): Promise<void> {
    await this.docker.getContainer(id).remove({ force: true, v: true })
  }

  list(label: string): Promise<unknown> {
    return this.docker.listContainers({ all: true, filters: { label: [label] } })
  }

  inspectNetwork(name: string): Promise<unknown> {
    return this.docker.getNetwork(name).inspect()
  }

  async createNetwork(spec: NetworkSpec): Promise<void> {
    await this.docker.createNetwork(spec)
  }

  listNetworks(label: string): Promise<unknown> {
    return this.docker.listNetworks({ filters: { label: [label] } })
  }

  async connectNetwork(name: string, containerId: string): Promise<void> {
    await this.docker.getNetwork(name).connect({ Container: containerId })
  }

  async removeNetwork(idOrName: string): Promise<void> {
    await this.docker.getNetwork(idOrName).remove()
  }

  readonly open: OpenStream = (method, path, query, signal) =>
    new Promise((resolve, reject) => {
      const options = { _query: query, _body: {} }
      const request = { method, path: `${path}?`, options, isStream: true, statusCodes: { 200: true } }
      this.docker.modem.dial({ ...request, ...(signal && { abortSignal: signal }) }, (error, answer) => {
        if (error) return reject(error)
        // The event stream must not keep the process alive; other requests do.
        if (path === '/events' && answer instanceof IncomingMessage) answer.socket.unref()
        resolve(asReadable(answer))
      })
    })
}

function asReadable(value: unknown): Readable {
  if (value instanceof Readable) return value
  throw new RuntimeFault('engine_error', 'The engine responded without a stream. Check its version and log.')
}
