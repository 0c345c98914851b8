import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ApiDocument } from './fuzz/api-document'
import { checkAnswer } from './fuzz/check-answer'
import { exchange } from './fuzz/exchange'
import { encodeRequest, type FuzzRequest } from './fuzz/fuzz-request'
import { Callers, createObjects } from './fuzz/known-objects'
import { makeRequest } from './fuzz/make-request'
import { Random } from './fuzz/random'
import { otherPaths, otherRequest, type Sources, validRequest } from './fuzz/valid-request'
import { bearer, call } from './http-call'
import { enterOwnSystem, startMeasuredSystem } from './own-system'
import { reportNotes } from './report-notes'
import { theSystem } from './system/the-system'
import { createUser } from './test-users'
import { webMemory, webPid } from './web-process'

/**
 * Malformed requests that are made from the server's own description of its API. GPUQ_FUZZ_REQUESTS sets their number, and
 * GPUQ_TEST_SEED repeats a run.
 */

const count = Number(process.env.GPUQ_FUZZ_REQUESTS ?? 300)
const seed = Number(process.env.GPUQ_TEST_SEED ?? Date.now() % 1_000_000)
/** Requests at the same time, and between two looks at the callers. */
const atOnce = 16
const batch = 250
/** Answers that other requests may get while one request of another user waits. */
const mostOvertaking = 400
/** Requests before the memory is measured: the routes are loaded, and caches are full. */
const warmUp = 1_000
/** Fewer requests than those of the warm-up show only that caches fill. */
const measuresMemory = count > warmUp
const maxGrowthMib = 32
const shown = 20

let leave = async () => {}
beforeAll(async () => {
  leave = enterOwnSystem(await startMeasuredSystem())
})
afterAll(() => leave())

/** Sends requests, and collects what is wrong with the answers. */
class Fuzzing {
  readonly statuses = new Map<string, number>()
  readonly complaints: string[] = []
  answered = 0

  constructor(readonly sources: Sources) {}

  async send(requests: readonly [label: string, request: FuzzRequest][]): Promise<void> {
    const waiting = [...requests]
    const sendInTurn = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await this.#sendOne(...next)
    }
    await Promise.all(Array.from({ length: atOnce }, sendInTurn))
  }

  async #sendOne(label: string, request: FuzzRequest): Promise<void> {
    const complain = (what: string) => {
      const { method, path, changes } = request
      this.complaints.push(`${label}: ${method} ${path.slice(0, 100)} (${changes.join(', ')}): ${what}`)
    }
    try {
      const answer = await exchange(encodeRequest(request), request.ends)
      const status = answer ? String(answer.status) : 'closed'
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
      const wrong = checkAnswer(request, answer, this.sources.callers.secrets)
      if (wrong.length > 0) complain(`${status}: ${wrong.join('; ')}: ${answer?.body.slice(0, 300)}`)
    } catch (error) {
      complain(String(error))
    }
    this.answered += 1
  }
}

/** Another user, whose requests go on meanwhile. Returns how long one waited at most, in answers to others and in time. */
async function serveNeighbour(fuzzing: Fuzzing, signal: AbortSignal) {
  const { token } = await createUser({ name: 'neighbour' })
  const most = { overtaken: 0, ms: 0 }
  while (!signal.aborted) {
    for (const path of ['/api/users/me', '/api/jobs', '/api/cluster']) {
      const [answered, started] = [fuzzing.answered, performance.now()]
      const { status, text } = await call(path, { headers: bearer(token) })
      expect(status, text).toBe(200)
      most.overtaken = Math.max(most.overtaken, fuzzing.answered - answered)
      most.ms = Math.max(most.ms, performance.now() - started)
    }
  }
  return most
}

it('malformed requests of every kind end without a failure of the server', {
  timeout: 3_600_000,
}, async (context) => {
  const { text } = await call('/api/openapi.json')
  const callers = new Callers()
  await callers.renew()
  const sources: Sources = {
    document: new ApiDocument(JSON.parse(text)),
    known: await createObjects(),
    callers,
    host: new URL(theSystem().url).host,
  }
  const fuzzing = new Fuzzing(sources)

  // Every operation as documented: the routes are loaded, and the statuses of valid requests are the documented ones.
  const valid = sources.document.operations.flatMap((operation, at) =>
    [0, 1].map((round): [string, FuzzRequest] => {
      const request = validRequest(operation, sources, new Random(seed + at * 2 + round))
      return [`valid request of ${operation.operationId}`, request]
    }),
  )
  // What only reads comes first: a download breaks off when its object or its caller's right ends meanwhile.
  const reads = valid.filter(([, { method }]) => method === 'GET')
  await fuzzing.send(reads)
  await fuzzing.send(valid.filter((one) => !reads.includes(one)))
  const validStatuses = Object.fromEntries(fuzzing.statuses)
  const atStart = await webMemory()
  await fuzzing.send(otherPaths.map((line) => [line, otherRequest(sources, new Random(seed), line)]))
  const sendMalformed = async (from: number, to: number) => {
    for (let next = from; next < to; next += batch) {
      await callers.renew()
      const numbers = Array.from({ length: Math.min(batch, to - next) }, (_, i) => next + i)
      await fuzzing.send(numbers.map((i) => [`request ${i}`, makeRequest(seed, i, sources)]))
    }
  }
  if (measuresMemory) await sendMalformed(-warmUp, 0)
  fuzzing.statuses.clear()

  const [pid, before] = [await webPid(), await webMemory()]
  const ended = new AbortController()
  const neighbour = serveNeighbour(fuzzing, ended.signal)
  await sendMalformed(0, count)
  ended.abort()
  const { overtaken, ms } = await neighbour
  const after = await webMemory()
  const grown = after.liveMib - before.liveMib

  const statuses = Object.fromEntries([...fuzzing.statuses].sort())
  const note = [
    `statuses ${JSON.stringify(statuses)}`,
    `valid requests ${JSON.stringify(validStatuses)}`,
    `live memory ${atStart.liveMib.toFixed(0)} MiB at first, ${before.liveMib.toFixed(0)} MiB before the requests, then ${grown.toFixed(0)} MiB more`,
    `resident ${before.residentMib.toFixed(0)} MiB, then ${after.residentMib.toFixed(0)} MiB`,
    `a request of another user waited at most ${ms.toFixed(0)} ms, during ${overtaken} other answers`,
  ].join('; ')
  reportNotes(context, { moments: String(count), seed: String(seed), note })
  console.log(`GPUQ_TEST_SEED=${seed} GPUQ_FUZZ_REQUESTS=${count}: ${note}`)

  expect(fuzzing.complaints.slice(0, shown), `${fuzzing.complaints.length} wrong answers`).toEqual([])
  expect(await webPid()).toBe(pid)
  const log = await readFile(join(theSystem().dataDir, 'web.log'), 'utf8')
  expect(log).not.toMatch(/request failed|unhandled|uncaught/i)
  expect(overtaken).toBeLessThan(mostOvertaking)
  if (measuresMemory) expect(grown, 'growth of the live memory in MiB').toBeLessThan(maxGrowthMib)
})
