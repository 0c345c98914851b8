import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { JobStep } from '@/lib/logger'
import type { System } from '../system/start-system'
import { untilWarm, watchSubmission } from './first-output'
import { type Figures, figuresOf, ms } from './measure'
import { runInTurn } from './next-job'
import type { Measured, Part } from './runner/run-parts'
import { withSystem } from './with-system'

/** A step, when it was reached after the first one, and how long after the step before, in milliseconds. */
interface TracedStep {
  step: string
  at: Figures
  took: Figures
}

/** A time in milliseconds since 1970; undefined: the log does not have it. */
type Moment = readonly [step: string, ms: number | undefined]

/** Measures each step from the request of a client to the first line that it receives. */
async function traceSubmission(system: System, rounds: number): Promise<TracedStep[]> {
  await watchSubmission(system)
  const rows: Moment[][] = []
  for (let round = 0; round < rounds; round++) {
    await untilWarm(system)
    const { jobId, sentAt, acceptedAt, firstLineAt } = await watchSubmission(system)
    const at = await readSteps(system, jobId)
    const sinceEpoch = (ms: number) => performance.timeOrigin + ms
    rows.push([
      ['POST', sinceEpoch(sentAt)],
      ['received', at('received')],
      ['durable', at('durable')],
      ['accepted at the client', sinceEpoch(acceptedAt)],
      ['planning', at('planning')],
      ['snapshot read', at('snapshot')],
      ['planned', at('planned')],
      ['claimed', at('claimed')],
      ['files prepared', at('prepared')],
      ['container assigned', at('assigned')],
      ['started', at('started')],
      ['first byte', at('first byte')],
      ['stored', at('stored')],
      ['event', at('event')],
      ['line at the client', sinceEpoch(firstLineAt)],
    ])
  }
  return toSteps(rows)
}

/** Measures each step from the last line of a job to the first line of the next one on the same GPU. */
async function traceNextJob(system: System, rounds: number): Promise<TracedStep[]> {
  const jobs = await runInTurn(system, rounds)
  const rows: Moment[][] = []
  for (const [index, next] of jobs.slice(1).entries()) {
    const job = jobs[index]
    if (job === undefined) continue
    const [ended, began] = [await readSteps(system, job.id), await readSteps(system, next.id)]
    rows.push([
      ['last line of the job', job.endedMs],
      ['program exited', ended('exited')],
      ['output ended', ended('output ended')],
      ['exit known', ended('exit known')],
      ['output stored', ended('output stored')],
      ['files stored', ended('files stored')],
      ['ended, GPU given on', ended('ended')],
      ['claimed', began('claimed')],
      ['files prepared', began('prepared')],
      ['container assigned', began('assigned')],
      ['started', began('started')],
      ['first line of the next', next.beganMs],
      ['container removed', ended('removed')],
    ])
  }
  return toSteps(rows)
}

/** Reads when a job reached each step, from the logs of worker and web server. */
async function readSteps(system: System, jobId: string): Promise<(step: JobStep) => number | undefined> {
  const logs = ['web.log', 'worker.log'].map((name) => readFile(join(system.dataDir, name), 'utf8'))
  const lines = (await Promise.all(logs)).flatMap((log) => log.split('\n'))
  const steps = lines.filter((line) => line.includes(jobId) && line.includes('"atMs"'))
  const times = new Map<JobStep, number>()
  for (const line of steps) {
    const { step, job, atMs } = JSON.parse(line) as { step: JobStep; job: string; atMs: number }
    // A step may be logged again, such as an event.
    if (job === jobId) times.set(step, Math.min(atMs, times.get(step) ?? atMs))
  }
  return (step) => times.get(step)
}

function toSteps(rows: readonly Moment[][]): TracedStep[] {
  const [first = []] = rows
  return first.map(([step], column) => {
    const since = (from: number) =>
      figuresOf(
        rows.flatMap((row) => {
          const [start, end] = [row[from]?.[1], row[column]?.[1]]
          return start === undefined || end === undefined ? [] : [end - start]
        }),
      )
    return { step, at: since(0), took: since(Math.max(0, column - 1)) }
  })
}

const env = { GPUQ_LOG_LEVEL: 'trace' }

/** The parts of `--trace`. */
export const traceParts: readonly Part[] = [
  {
    name: 'submission',
    estimateS: 40,
    async run({ rounds }) {
      const steps = await withSystem({ env }, (system) => traceSubmission(system, rounds))
      return describeSteps('Submit → first line, with a warm container', 'trace_submission', rounds, steps)
    },
  },
  {
    name: 'next-job',
    estimateS: 50,
    async run({ rounds }) {
      const steps = await withSystem({ simulatedGpus: 1, env }, (system) => traceNextJob(system, rounds))
      return describeSteps(
        'End of a job → first line of the next on the same GPU',
        'trace_next_job',
        rounds,
        steps,
      )
    },
  },
]

function describeSteps(title: string, key: string, rounds: number, steps: readonly TracedStep[]): Measured {
  const load = loadavg().map((average) => average.toFixed(1))
  return {
    lines: [
      `${title}: medians of ${rounds} rounds, load average ${load.join(', ')}`,
      `  ${'step'.padEnd(26)}${'at'.padStart(8)}${'after the one before'.padStart(24)}${'p95'.padStart(10)}`,
      ...steps.map(
        ({ step, at, took }) =>
          `  ${step.padEnd(26)}${ms(at.median).padStart(8)}${ms(took.median).padStart(24)}${ms(took.p95).padStart(10)}`,
      ),
    ],
    figures: Object.fromEntries(
      steps.map(({ step, at }) => [`${key}_${step.replaceAll(/\W+/g, '_')}_ms`, at.median]),
    ),
  }
}
