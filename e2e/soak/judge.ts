import type { Injected } from './faults'
import { findLeaks, type LeakResult } from './leak-rules'
import type { Ledger } from './ledger'
import type { Sample } from './samples'

/** One row of the result: what was checked, how often, and whether it holds. */
export interface Row {
  name: string
  moments: number
  passed: boolean
  note?: string
}

/** What was found when all jobs had ended. */
export interface LeftBehind {
  finalStatuses: readonly string[]
  atRest: readonly string[]
  inEngine: { containers: number; networks: number; volumes: number }
}

interface Outcome {
  ledger: Ledger
  injected: readonly Injected[]
  samples: readonly Sample[]
  unexpectedEnds: readonly string[]
  /** Undefined while the run goes on. */
  left: LeftBehind | undefined
}

/** All rows of the result, and the comparison of each figure. */
export function judge(outcome: Outcome): { rows: Row[]; leaks: LeakResult[] } {
  const { ledger, injected, samples, unexpectedEnds, left } = outcome
  const jobs = ledger.jobs.size
  const open = left
    ? ledger.unverified.map(({ id, scenario }) => `job ${id} (${scenario.kind}) did not end`)
    : []
  const twice = samples.filter(({ values }) => (values['wrong GPUs'] ?? 0) > 0)
  // A run that is too short for a comparison has no such rows.
  const leaks = findLeaks(samples) ?? []
  const rows = [
    toRow('each accepted job reached the expected final status with exact output', jobs, [
      ...ledger.problems,
      ...open,
    ]),
    toRow(
      'no GPU was allocated twice',
      samples.length,
      twice.map(({ at }) => `after ${Math.round(at)} s`),
    ),
    toRow('no response had status 500', jobs, ledger.internalErrors),
    toRow('no program ended by itself', samples.length, unexpectedEnds),
    ...(left ? judgeLeft(left, jobs) : []),
    ...judgeFaults(injected),
    ...(leaks.length > 0 ? judgeLeaks(leaks, samples.length) : []),
  ]
  return { rows, leaks }
}

function judgeLeft({ finalStatuses, atRest, inEngine }: LeftBehind, jobs: number): Row[] {
  const objects = Object.entries(inEngine).filter(([, count]) => count > 0)
  return [
    toRow('each job has one final status, and none is lost', jobs, finalStatuses),
    toRow('nothing is left when all jobs have ended', 1, atRest),
    toRow(
      'nothing is left in the engine after the stop',
      1,
      objects.map(([what, count]) => `${count} ${what}`),
    ),
  ]
}

function judgeFaults(injected: readonly Injected[]): Row[] {
  return [...new Set(injected.map(({ name }) => name))].map((name) => {
    const all = injected.filter((fault) => fault.name === name)
    const never = all.filter(({ readyAfter, jobAfter }) => readyAfter === null || jobAfter === null)
    return toRow(
      `recovers from: ${name}`,
      all.length,
      never.map(({ at }) => `not after ${Math.round(at)} s`),
    )
  })
}

const figures: readonly [name: string, pattern: RegExp][] = [
  ['memory does not grow', /^memory /],
  ['open files do not grow', /^open files /],
  ['database connections do not grow', /^database connections$/],
  ['containers, networks and volumes do not grow', /^(containers|networks|volumes)$/],
  ['stored files do not grow', /^files /],
  ['rows do not grow', /^rows /],
]

function judgeLeaks(leaks: readonly LeakResult[], samples: number): Row[] {
  return figures.map(([what, pattern]) => {
    const grown = leaks.filter(({ name, passed }) => !passed && pattern.test(name))
    return toRow(
      what,
      samples,
      grown.map(({ name, first, last }) => `${name}: ${first.toFixed(1)} → ${last.toFixed(1)}`),
    )
  })
}

function toRow(name: string, moments: number, problems: readonly string[]): Row {
  const note = problems.slice(0, 5).join('; ').slice(0, 1000)
  return { name, moments, passed: problems.length === 0, ...(problems.length > 0 && { note }) }
}
