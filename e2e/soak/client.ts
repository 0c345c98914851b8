import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import type { Random } from './scenarios'

/** Where the responses are counted. */
export interface ResponseCounts {
  /** By status; 0: no response. */
  responses: Map<number, number>
  /** Responses with status 500, which are defects at any time. */
  internalErrors: string[]
}

/** A client that sends each request to one of the web servers. */
export function clientOf(
  urls: readonly string[],
  token: string,
  random: Random,
  { responses, internalErrors }: ResponseCounts,
): Client {
  const count = (status: number) => responses.set(status, (responses.get(status) ?? 0) + 1)
  const base = 'http://gpuq.invalid'
  return createClient({
    baseUrl: base,
    token,
    fetch: async (address, init) => {
      const url = urls[Math.floor(random() * urls.length)] ?? ''
      const target = String(address).replace(base, url)
      const response = await fetch(target, init).catch((error: unknown) => {
        count(0)
        throw error
      })
      count(response.status)
      if (response.status === 500)
        internalErrors.push(`${init?.method} ${new URL(target).pathname}: ${await response.clone().text()}`)
      return response
    },
  })
}

const deadlineMs = 5 * 60_000
const retryMs = 500

/** Repeats a request while its failure is temporary, as a client with a retry policy does. */
export async function persist<T>(request: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    try {
      return await request()
    } catch (error) {
      const temporary = !(error instanceof ProblemError) || error.isTemporary || isCut(error)
      if (!temporary || performance.now() > deadline) throw error
    }
    await sleep(retryMs)
  }
}

/** A response whose body broke off. */
function isCut(error: ProblemError): boolean {
  return error.code === 'unexpected' && error.status < 400
}
