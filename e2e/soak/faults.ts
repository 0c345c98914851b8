import { setTimeout as wait } from 'node:timers/promises'
import { sleep } from '@/lib/async/sleep'
import type { Client } from '@/lib/http/client/client'
import { persist } from './client'
import type { Ledger } from './ledger'
import { probe, type Random } from './scenarios'
import { leaseSeconds, type SoakSystem } from './soak-system'
import { submit } from './submit'
import { verify } from './verify'

/** A fault that was injected. Times in seconds. */
export interface Injected {
  name: string
  detail: string
  /** Since the start of the load. */
  at: number
  /** From the injection until all programs are ready and both nodes have a lease; null: not within the limit. */
  readyAfter: number | null
  /** From the injection until a job that was submitted after it completed; null: not within the limit. */
  jobAfter: number | null
}

type Inject = (system: SoakSystem, random: Random) => Promise<string>

const limitMs = 4 * 60_000
const upTo = (random: Random, most: number) => Math.floor(random() * most)

/** Each fault returns what exactly it did. */
export const faults: Record<string, Inject> = {
  'kill -9 of the worker': async ({ workers }) => {
    await workers[0]?.kill()
    return ''
  },
  'worker stopped beyond its lease (SIGSTOP)': async ({ workers }, random) => {
    const seconds = leaseSeconds + 2 + upTo(random, 12)
    workers[0]?.signal('SIGSTOP')
    await wait(seconds * 1000)
    workers[0]?.signal('SIGCONT')
    return `for ${seconds} s`
  },
  'worker stopped briefly (SIGSTOP)': async ({ workers }, random) => {
    const seconds = 2 + upTo(random, 6)
    workers[0]?.signal('SIGSTOP')
    await wait(seconds * 1000)
    workers[0]?.signal('SIGCONT')
    return `for ${seconds} s`
  },
  'kill -9 of the web server': async ({ webs }) => {
    await webs[0]?.kill()
    return ''
  },
  'kill -9 of PostgreSQL': async (system, random) => {
    const seconds = upTo(random, 5)
    await system.endPostgres('kill')
    await wait(seconds * 1000)
    await system.startPostgres()
    return `started again after ${seconds} s`
  },
  'restart of PostgreSQL': async (system) => {
    await system.endPostgres('stop')
    await system.startPostgres()
    return ''
  },
  'restart of the engine (SIGTERM)': async ({ engine }) => {
    await engine.end('SIGTERM')
    await engine.startAgain()
    return ''
  },
  'kill -9 of the engine': async ({ engine }, random) => {
    const seconds = upTo(random, 5)
    await engine.end('SIGKILL')
    await wait(seconds * 1000)
    await engine.startAgain()
    return `started again after ${seconds} s`
  },
  'docker rm -f of a running container': async ({ engine }, random) => {
    const ours = await engine.engine.containers('gpuq.node')
    const running = ours.filter(({ state, taskId }) => state === 'running' && taskId !== '')
    const chosen = running[upTo(random, running.length)]
    if (!chosen) return 'no container ran'
    await engine.engine.remove(chosen.id)
    return `of job ${chosen.jobId}`
  },
}

interface Injecting {
  system: SoakSystem
  random: Random
  ledger: Ledger
  client: Client
  project: string
  injected: Injected[]
  startedAt: number
  everySeconds: number
}

/** Injects one random fault in each period, at a random moment of its first third, until the signal. */
export async function injectFaults(injecting: Injecting, signal: AbortSignal): Promise<void> {
  const { random, everySeconds } = injecting
  const names = Object.keys(faults)
  let order: string[] = []
  while (!signal.aborted) {
    const periodEnd = performance.now() + everySeconds * 1000
    await sleep((random() * everySeconds * 1000) / 3, signal)
    if (signal.aborted) return
    // All faults in a new random order, so that also a short run has each.
    if (order.length === 0) order = shuffle(names, random)
    await injectOne(injecting, order.pop() ?? '')
    await sleep(Math.max(0, periodEnd - performance.now()), signal)
  }
}

function shuffle(names: readonly string[], random: Random): string[] {
  return names
    .map((name) => ({ name, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ name }) => name)
}

async function injectOne(injecting: Injecting, name: string): Promise<void> {
  const { system, random, ledger, injected, startedAt } = injecting
  const started = performance.now()
  const seconds = () => Math.round((performance.now() - started) / 100) / 10
  const entry: Injected = {
    name,
    detail: '',
    at: (started - startedAt) / 1000,
    readyAfter: null,
    jobAfter: null,
  }
  injected.push(entry)
  process.stderr.write(`  ${new Date().toISOString()} fault: ${name}\n`)
  try {
    entry.detail = (await faults[name]?.(system, random)) ?? ''
  } catch (error) {
    ledger.problem(`the fault "${name}" could not be injected: ${error}`)
    return
  }
  const within = <T>(work: Promise<T>) => Promise.race([work, wait(limitMs, null, { ref: false })])
  const probing = probeJob(injecting).then(
    () => {
      entry.jobAfter = seconds()
    },
    (error: unknown) => ledger.problem(`no job could be submitted after the fault "${name}": ${error}`),
  )
  await within(untilReady(system, new Date()))
  if (seconds() * 1000 < limitMs) entry.readyAfter = seconds()
  await within(probing)
  if (entry.readyAfter === null || entry.jobAfter === null)
    ledger.problem(`gpuq did not recover within ${limitMs / 1000} s from the fault: ${name} ${entry.detail}`)
}

async function probeJob({ client, project, ledger }: Injecting): Promise<void> {
  const job = await submit({ client, project, ledger }, probe())
  while ((await persist(() => client.jobs.get(job.id))).completed_at === null) await wait(200)
  while (!(await verify(job, ledger))) await wait(500)
}

/** All programs run, both web servers are ready, and both nodes have renewed their lease since then. */
async function untilReady(system: SoakSystem, since: Date): Promise<void> {
  const isReady = async () => {
    if (system.programs.some(({ pid }) => pid === null)) return false
    const answers = await Promise.all(system.urls.map((url) => fetch(`${url}/readyz`)))
    return answers.every(({ ok }) => ok) && (await system.nodesAreReady(since))
  }
  while (!(await isReady().catch(() => false))) await wait(200)
}
