import { request } from 'node:http'
import type { BrowserContext, Page } from '@playwright/test'
import pg from 'pg'
import { outputOf } from '../job-page'
import type { System } from '../system/start-system'
import { launchBrowser } from './browser'
import { bearer, call, signIn, upload } from './client'
import { untilEnded, withDockerRun } from './first-output'
import { type Figures, figuresOf, measureInTurn } from './measure'
import { readCost } from './process-cost'

/** Not measured: the page has just been opened, and its code is not optimized yet. */
const warmUpLines = 20
const lineIntervalS = 0.1

/** Prints when it prints, in milliseconds since 1970. */
const stampedLines = (lines: number) => `
import time
for n in range(${lines}):
    time.sleep(${lineIntervalS})
    print(f"stamp {time.time() * 1000:.1f}", flush=True)
time.sleep(2)
`

async function submit(system: System, program: string, config = ''): Promise<string> {
  const { status, body } = await call(...upload(system, program, config))
  if (status !== 202) throw new Error(`submit answered ${status}: ${body}`)
  return (JSON.parse(body) as { job_id: string }).job_id
}

/** Measures the time from the print of a line to the frame of Chromium that shows it, on the page of a running job. */
export async function benchLineToScreen(
  system: System,
  lines: number,
  progress: (note: string) => void,
): Promise<Figures> {
  const browser = await launchBrowser(progress)
  try {
    const context = await browser.newContext({ baseURL: system.url, viewport: { width: 1280, height: 800 } })
    await addSession(context, system)
    const page = await context.newPage()
    const jobId = await submit(system, stampedLines(lines + warmUpLines))
    await page.goto(`/jobs/${jobId}`)
    await outputOf(page).getByText('stamp').first().waitFor({ timeout: 60_000 })
    return figuresOf((await watchLines(page, lines)).slice(-lines))
  } finally {
    await browser.close()
  }
}

/** Signs in the admin in a browser. */
export async function addSession(context: BrowserContext, system: System): Promise<void> {
  const cookies = (await signIn(system)).split('; ').map((pair) => {
    const at = pair.indexOf('=')
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url: system.url }
  })
  await context.addCookies(cookies)
}

/** The delays of the lines that appear from now on, until the job prints no more, in milliseconds. */
function watchLines(page: Page, most: number): Promise<number[]> {
  return outputOf(page).evaluate(
    (output, { count, quietMs }) =>
      new Promise<number[]>((resolve) => {
        const seen = new Set(output.textContent?.match(/stamp \d+\.\d/g))
        const delays: number[] = []
        let quiet = setTimeout(() => resolve(delays), quietMs)
        const unpainted: string[] = []
        const channel = new MessageChannel()
        channel.port1.onmessage = () => {
          const shownAt = performance.timeOrigin + performance.now()
          for (const line of unpainted.splice(0)) delays.push(shownAt - Number(line.slice('stamp '.length)))
          if (delays.length >= count) resolve(delays)
        }
        // A function with a name would refer to a helper of the compiler, which the page does not have.
        new MutationObserver(() => {
          const fresh = (output.textContent?.match(/stamp \d+\.\d/g) ?? []).filter((line) => !seen.has(line))
          if (fresh.length === 0) return
          for (const line of fresh) seen.add(line)
          clearTimeout(quiet)
          quiet = setTimeout(() => resolve(delays), quietMs)
          unpainted.push(...fresh)
          // The page changes its output at the beginning of a frame. This message arrives after that frame was painted.
          channel.port2.postMessage(null)
        }).observe(output, { childList: true, characterData: true, subtree: true })
      }),
    { count: most, quietMs: 5_000 },
  )
}

const manyLines = 1_000_000
const manyLinesProgram = `for n in range(${manyLines}): print(n)\n`

/**
 * Measures how long a job takes that prints a million lines at full speed, until all are stored, and `docker run` with the same
 * program, whose output is read and thrown away.
 */
export async function benchManyLines(
  system: System,
  rounds: number,
): Promise<Record<'gpuq' | 'dockerRun', Figures>> {
  return withDockerRun(manyLinesProgram, (run) =>
    measureInTurn(rounds, {
      gpuq: async () => {
        const beganMs = performance.now()
        const jobId = await submit(system, manyLinesProgram)
        await untilEnded(system, jobId)
        const tookMs = performance.now() - beganMs
        const { body } = await call(`${system.url}/api/results/${jobId}?format=text`, {
          headers: bearer(system),
        })
        const stored = body.split('\n').length - 1
        if (stored !== manyLines) throw new Error(`${stored} of ${manyLines} lines were stored`)
        return tookMs
      },
      dockerRun: async () => (await run()).endMs,
    }),
  )
}

/** Nodes of {@link benchManyJobs}, on one machine: a job asks for at least a tenth of a core. */
export const manyJobsNodes = 5
const manyJobs = 100
const followed = 5
const startTimeoutMs = 180_000

interface ManyJobsFigures {
  /** From the print of a line until a client of the job's live stream has it. */
  delay: Figures
  /** CPU time of a thousand lines, in milliseconds. */
  webCpuMs: number
  databaseCpuMs: number
  workerCpuMs: number
}

/** Measures a hundred jobs that print ten lines per second each, for `seconds`, on {@link manyJobsNodes} nodes. */
export async function benchManyJobs(system: System, seconds: number): Promise<ManyJobsFigures> {
  const program = stampedLines((startTimeoutMs / 1000 + seconds) / lineIntervalS)
  const config = 'gpu_count: 0\ncpu: 0.1\nmemory_gb: 0.1\nmax_time: 900\n'
  const jobs: string[] = []
  for (let job = 0; job < manyJobs; job++) jobs.push(await submit(system, program, config))
  try {
    await untilRunning(system)
    const { web, database, worker } = system.pids
    const read = async () =>
      (await Promise.all([web, database, worker ?? 0].map(readCost))).map(({ cpuMs }) => cpuMs)
    const before = await read()
    const delays = await Promise.all(
      jobs.slice(0, followed).map((job) => followDelays(system, job, seconds * 1000)),
    )
    const [webMs = 0, databaseMs = 0, workerMs = 0] = (await read()).map(
      (cpuMs, index) => cpuMs - (before[index] ?? 0),
    )
    const thousands = (manyJobs * seconds) / lineIntervalS / 1000
    return {
      delay: figuresOf(delays.flat()),
      webCpuMs: webMs / thousands,
      databaseCpuMs: databaseMs / thousands,
      workerCpuMs: (workerMs * manyJobsNodes) / thousands,
    }
  } finally {
    for (const job of jobs)
      await call(`${system.url}/api/cancel/${job}`, { method: 'POST', headers: bearer(system) })
  }
}

async function untilRunning(system: System): Promise<void> {
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  const deadline = performance.now() + startTimeoutMs
  try {
    for (;;) {
      const { rows } = await client.query(`SELECT 1 FROM jobs WHERE status = 'running'`)
      if (rows.length === manyJobs) return
      if (performance.now() > deadline) throw new Error(`only ${rows.length} of ${manyJobs} jobs run`)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  } finally {
    await client.end()
  }
}

/** The delays of the lines that a job's live stream delivers within a time. Lines of before are not counted. */
function followDelays(system: System, jobId: string, durationMs: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const sinceMs = Date.now()
    const delays: number[] = []
    const sent = request(`${system.url}/api/jobs/${jobId}/events`, { headers: bearer(system) }, (answer) => {
      answer.setEncoding('utf8')
      let text = ''
      answer.on('data', (piece: string) => {
        const nowMs = Date.now()
        text += piece
        const end = text.lastIndexOf('\n')
        for (const [, stamp] of text.slice(0, end + 1).matchAll(/stamp (\d+\.\d)/g)) {
          if (Number(stamp) >= sinceMs) delays.push(nowMs - Number(stamp))
        }
        text = text.slice(end + 1)
      })
      answer.on('error', () => {})
      setTimeout(() => {
        sent.destroy()
        resolve(delays)
      }, durationMs)
    })
    sent.on('error', reject)
    sent.end()
  })
}
