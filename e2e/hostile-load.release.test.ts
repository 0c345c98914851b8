import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bearer } from './http-call'
import { enterOwnSystem, startMeasuredSystem } from './own-system'
import { sendRaw, statusesOf } from './raw-http'
import { reportNotes } from './report-notes'
import { theSystem } from './system/the-system'
import { createUser } from './test-users'
import { configText, formBody, formType, uploadParts } from './uploads'
import { webMemory } from './web-process'

/** Many expensive requests at once, with the limits and the memory of the real server, on a system without other requests. */

const count = 600
const maxGrowthMib = 64

let leave = async () => {}
beforeAll(async () => {
  leave = enterOwnSystem(await startMeasuredSystem())
})
afterAll(() => leave())

/** An upload without credentials that stops after 0.9 MB. */
function stalledUpload(): Buffer {
  const whole = formBody(uploadParts('print(1)', configText()))
  const head = [
    'POST /api/submit?wait=false HTTP/1.1',
    'Host: gpuq.test',
    `Content-Type: ${formType}`,
    'Content-Length: 1000000',
    '',
    '',
  ].join('\r\n')
  return Buffer.concat([
    Buffer.from(head),
    whole.subarray(0, whole.indexOf('\r\n\r\n') + 4),
    Buffer.alloc(900_000, 'a'),
  ])
}

const sendMany = async (many: number) => {
  const upload = stalledUpload()
  return (await Promise.all(Array.from({ length: many }, () => sendRaw(upload)))).flatMap(statusesOf)
}

/** Measures the requests of another user in a thread, until the returned function is called, which returns their times in ms. */
async function startNeighbour(): Promise<() => Promise<number[]>> {
  const { token } = await createUser({ name: 'beside' })
  const workerData = { url: `${theSystem().url}/api/users/me`, headers: bearer(token) }
  const thread = new Worker(new URL('./request-times.mjs', import.meta.url), { workerData })
  const times = once(thread, 'message')
  times.catch(() => {})
  return async () => {
    thread.postMessage('stop')
    const [measured] = await times
    return measured.sort((a: number, b: number) => a - b)
  }
}

it('600 stalled uploads without credentials cost less than 64 MiB, and end', async (context) => {
  // The route is loaded.
  await sendMany(count / 6)
  const { residentMib: before } = await webMemory()
  let most = before
  const ended = new AbortController()
  const measured = (async () => {
    while (!ended.signal.aborted) most = Math.max(most, (await webMemory()).residentMib)
  })()
  const statuses = await sendMany(count)
  ended.abort()
  await measured
  // The memory is measured after a collection of garbage, which would delay the other user's requests.
  const stopNeighbour = await startNeighbour()
  await sendMany(count)
  const times = await stopNeighbour()

  const time = (share: number) => times[Math.ceil(share * times.length) - 1]?.toFixed(0)
  const note = [
    `memory ${before.toFixed(0)} + ${(most - before).toFixed(0)} MiB`,
    `${times.length} requests of another user took ${time(0.5)} ms (median), ${time(0.99)} ms (p99), ${time(1)} ms (slowest)`,
  ].join('; ')
  reportNotes(context, { moments: String(count), note })
  console.log(note)
  expect(statuses.filter((status) => ![400, 408, 422, 429, 503].includes(status))).toEqual([])
  expect(statuses).toContain(429)
  expect(most - before).toBeLessThan(maxGrowthMib)
})
