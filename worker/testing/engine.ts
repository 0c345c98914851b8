import { request } from 'node:http'
import { tmpdir } from 'node:os'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { parseContainerName } from '../runtime/spec/container-spec'

const labelsSchema = z.record(z.string(), z.string()).nullish()

const listSchema = z.array(
  z.object({ Id: z.string(), Names: z.array(z.string()), Labels: labelsSchema, State: z.string() }),
)

const inspectSchema = z.object({
  Id: z.string(),
  State: z.object({ Status: z.string(), Pid: z.number(), StartedAt: z.string() }),
})

export interface SeenContainer {
  id: string
  name: string
  taskId: string
  jobId: string
  nodeId: string
  state: string
}

/** The engine as an admin sees it: what is really there, and a hand that interferes. */
export class Engine {
  constructor(readonly socketPath = '/var/run/docker.sock') {}

  /** Containers with the given label, running or not. */
  async containers(label: string): Promise<SeenContainer[]> {
    const filters = encodeURIComponent(JSON.stringify({ label: [label] }))
    const found = listSchema.parse(await this.ask('GET', `/containers/json?all=1&filters=${filters}`))
    return found.map(({ Id, Names: [name = ''], Labels, State }) => ({
      id: Id,
      name: name.slice(1),
      taskId: Labels?.['gpuq.task'] ?? parseContainerName(name)?.taskId ?? '',
      jobId: Labels?.['gpuq.job'] ?? parseContainerName(name)?.jobId ?? '',
      nodeId: Labels?.['gpuq.node'] ?? '',
      state: State,
    }))
  }

  /** Names of the networks with the given label. */
  async networks(label: string): Promise<string[]> {
    const filters = encodeURIComponent(JSON.stringify({ label: [label] }))
    const found = await this.ask('GET', `/networks?filters=${filters}`)
    return z
      .array(z.object({ Name: z.string() }))
      .parse(found)
      .map(({ Name }) => Name)
  }

  async removeNetwork(name: string): Promise<void> {
    await this.ask('DELETE', `/networks/${name}`, undefined, [404])
  }

  async inspect(id: string): Promise<z.infer<typeof inspectSchema>> {
    return inspectSchema.parse(await this.ask('GET', `/containers/${id}/json`))
  }

  /** `docker run -d`, with a name and labels as given. */
  async run(name: string, labels: Record<string, string>, source: string): Promise<string> {
    const created = await this.ask('POST', `/containers/create?name=${name}`, {
      Image: 'gpuq/python:2',
      Cmd: ['python3', '-c', source],
      // Names the tests that own the container, so that it can be removed after they were killed.
      Labels: { 'gpuq.test': tmpdir(), ...labels },
      HostConfig: { NetworkMode: 'none', Init: true },
    })
    const { Id } = z.object({ Id: z.string() }).parse(created)
    await this.start(Id)
    return Id
  }

  /** `docker start`. */
  async start(id: string): Promise<void> {
    await this.ask('POST', `/containers/${id}/start`)
  }

  /** `docker stop`. */
  async stop(id: string): Promise<void> {
    await this.ask('POST', `/containers/${id}/stop`)
  }

  /** `docker kill --signal`. */
  async signal(id: string, signal: NodeJS.Signals): Promise<void> {
    // One that has just ended has no use for it.
    await this.ask('POST', `/containers/${id}/kill?signal=${signal}`, undefined, [404, 409])
  }

  /** `docker rm -f`. */
  async remove(id: string): Promise<void> {
    await this.ask('DELETE', `/containers/${id}?force=1&v=1`, undefined, [404, 409])
  }

  async tag(image: string, repository: string, tag: string): Promise<void> {
    await this.ask('POST', `/images/${image}/tag?repo=${encodeURIComponent(repository)}&tag=${tag}`)
  }

  async untag(image: string): Promise<void> {
    await this.ask('DELETE', `/images/${image}?force=1&noprune=1`, undefined, [404])
  }

  /** True once the engine answers. */
  answers(): Promise<boolean> {
    return this.ask('GET', '/_ping').then(
      () => true,
      () => false,
    )
  }

  /** What a container wrote to its standard output, once it has ended. */
  async output(id: string): Promise<string> {
    await this.ask('POST', `/containers/${id}/wait`)
    return this.log(id)
  }

  /** What a container has written to its standard output so far. */
  async log(id: string): Promise<string> {
    const log = await this.read('GET', `/containers/${id}/logs?stdout=1`)
    let text = ''
    for (let at = 0; at < log.length; at += 8 + log.readUInt32BE(at + 4)) {
      text += log.toString('utf8', at + 8, at + 8 + log.readUInt32BE(at + 4))
    }
    return text
  }

  /** A path of a container, as tar. */
  archive(id: string, path: string): Promise<Buffer> {
    return this.read('GET', `/containers/${id}/archive?path=${encodeURIComponent(path)}`)
  }

  /** Makes an image of a root file system, as tar. */
  async importImage(repository: string, tag: string, rootfs: Readable): Promise<void> {
    // Podman ignores the parameter `tag`.
    const query = `fromSrc=-&repo=${encodeURIComponent(`${repository}:${tag}`)}`
    await this.read('POST', `/images/create?${query}`, rootfs)
  }

  /** An image as tar, as it comes. */
  exportImage(image: string): Promise<Readable> {
    const path = `/images/${image}/get`
    return new Promise((resolve, reject) => {
      const call = request({ socketPath: this.socketPath, path, agent: false }, (answer) =>
        answer.statusCode === 200 ? resolve(answer) : reject(new Error(`GET ${path}: ${answer.statusCode}`)),
      )
      call.on('error', reject).end()
    })
  }

  /** Loads an image that another engine exported. */
  async loadImage(tar: Readable): Promise<void> {
    await this.read('POST', '/images/load?quiet=1', tar)
  }

  private async ask(method: string, path: string, body?: unknown, alsoFine: number[] = []): Promise<unknown> {
    const text = await this.read(
      method,
      path,
      body === undefined ? undefined : JSON.stringify(body),
      alsoFine,
    )
    return text.length === 0 || path === '/_ping' ? null : JSON.parse(text.toString())
  }

  private read(
    method: string,
    path: string,
    body?: string | Readable,
    alsoFine: number[] = [],
  ): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const type = typeof body === 'string' ? 'application/json' : 'application/x-tar'
      const headers = body === undefined ? {} : { 'Content-Type': type }
      const call = request({ socketPath: this.socketPath, method, path, headers, agent: false }, (answer) => {
        const pieces: Buffer[] = []
        answer.on('data', (piece: Buffer) => pieces.push(piece))
        answer.on('error', reject)
        answer.on('end', () => {
          const bytes = Buffer.concat(pieces)
          const status = answer.statusCode ?? 0
          if (status < 400) resolve(bytes)
          else if (alsoFine.includes(status)) resolve(Buffer.alloc(0))
          else reject(new Error(`${method} ${path}: ${status} ${bytes}`))
        })
      })
      call.on('error', reject)
      if (body === undefined || typeof body === 'string') call.end(body)
      else body.pipe(call)
    })
  }
}
