import { request } from 'node:http'
import { z } from 'zod'

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
    return found.map(({ Id, Names, Labels, State }) => ({
      id: Id,
      name: (Names[0] ?? '').slice(1),
      taskId: Labels?.['gpuq.task'] ?? '',
      jobId: Labels?.['gpuq.job'] ?? '',
      nodeId: Labels?.['gpuq.node'] ?? '',
      state: State,
    }))
  }

  async inspect(id: string): Promise<z.infer<typeof inspectSchema>> {
    return inspectSchema.parse(await this.ask('GET', `/containers/${id}/json`))
  }

  /** `docker run -d`, with a name and labels as given. */
  async run(name: string, labels: Record<string, string>, source: string): Promise<string> {
    const created = await this.ask('POST', `/containers/create?name=${name}`, {
      Image: 'gpuq/python:1',
      Cmd: ['python3', '-c', source],
      Labels: labels,
      HostConfig: { NetworkMode: 'none', Init: true },
    })
    const { Id } = z.object({ Id: z.string() }).parse(created)
    await this.ask('POST', `/containers/${Id}/start`)
    return Id
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

  private ask(method: string, path: string, body?: unknown, alsoFine: number[] = []): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const call = request({ socketPath: this.socketPath, method, path, headers, agent: false }, (answer) => {
        const pieces: Buffer[] = []
        answer.on('data', (piece: Buffer) => pieces.push(piece))
        answer.on('error', reject)
        answer.on('end', () => {
          const text = Buffer.concat(pieces).toString()
          const status = answer.statusCode ?? 0
          if (status < 400) resolve(text === '' ? null : JSON.parse(text))
          else if (alsoFine.includes(status)) resolve(null)
          else reject(new Error(`${method} ${path}: ${status} ${text}`))
        })
      })
      call.on('error', reject)
      call.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
}
