import { request } from 'node:http'
import { z } from 'zod'
import { FrameReader } from '../output/output-frames'
import type { TaskContainer } from '../runtime'
import { buildContainerSpec } from '../spec/container-spec'

export const engineSocket = '/var/run/docker.sock'

type Spec = ReturnType<typeof buildContainerSpec>

interface Answer {
  status: number
  bytes: Buffer
}

/**
 * Talks to the engine beside the runtime under test: as an admin who interferes by hand, and to run a control, the same
 * container with a wall taken out. An attack that fails in the control too would prove nothing about the wall.
 */
export function askEngine(method: string, path: string, body?: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const call = request({ socketPath: engineSocket, method, path, headers }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes: Buffer.concat(pieces) }))
    })
    call.on('error', reject)
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Runs a task's container with its options changed, and returns its standard output. */
export async function runControl(task: TaskContainer, change: (spec: Spec) => object): Promise<string> {
  const policy = { version: 'test', outputLimitBytes: 1024 * 1024, internetNetwork: 'gpuq' }
  const { name, ...spec } = change(buildContainerSpec(task, policy, { volumes: [] })) as Spec
  const created = await askEngine('POST', `/containers/create?name=${name}-control`, spec)
  const { Id } = z.object({ Id: z.string() }).parse(JSON.parse(created.bytes.toString()))
  try {
    const started = await askEngine('POST', `/containers/${Id}/start`)
    if (started.status !== 204) throw new Error(started.bytes.toString())
    await askEngine('POST', `/containers/${Id}/wait`)
    const log = await askEngine('GET', `/containers/${Id}/logs?stdout=1&stderr=1&timestamps=1`)
    const output = new FrameReader({ fromLog: true }).push(log.bytes)
    return Buffer.concat(output.map(({ bytes }) => bytes)).toString()
  } finally {
    await askEngine('DELETE', `/containers/${Id}?force=1&v=1`)
  }
}
