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
 * Calls the engine directly, bypassing the runtime under test: as an admin who interferes manually, and to run a
 * control, the same container without one isolation feature. If an attack also fails in the control, the test proves
 * nothing about that feature.
 */
export function askEngine(
  method: string,
  path: string,
  body?: unknown,
  socketPath = engineSocket,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const call = request({ socketPath, method, path, headers }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes: Buffer.concat(pieces) }))
    })
    call.on('error', reject)
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Runs a task's container with changed options, and returns its standard output. */
export async function runControl(task: TaskContainer, change: (spec: Spec) => object): Promise<string> {
  const policy = { outputLimitBytes: 1024 * 1024 }
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
