import type { EndReason, WaitReason } from '../reasons'
import { visibleText } from '../text/sanitize-text'
import { type CauseId, causes, type Fault } from './causes'
import type { Diagnosis, Place } from './diagnosis'
import type { Facts, InstanceEnd, PrintedLine } from './facts'
import { type Failure, findFailure } from './find-failure'
import { adviseCause } from './next-step'
import { lostOther, parseTraceback } from './parse-traceback'
import { quoteValue } from './quote-value'
import { displayPath } from './source-file'
import type { CodeLocation } from './traceback-reader'

/** The causes of ends that no program decides. `null`: no failure, or the output says the cause. */
const causesOfEnds: Readonly<Record<EndReason, CauseId | null>> = {
  finished: null,
  exit_code: null,
  timeout: 'timeout',
  out_of_memory: 'host_out_of_memory',
  idle_gpu: 'no_progress',
  output_limit: 'output_limit',
  checkpoint_limit: 'checkpoint_limit',
  cancelled_by_user: null,
  cancelled_by_admin: null,
  cancelled_by_manager: null,
  token_stopped: null,
  approval_refused: null,
  cancelled_in_slurm: null,
  stopped_early: null,
  budget_used_up: 'budget',
  group_paused: null,
  dependency_failed: 'dependency_failed',
  dependency_completed: null,
  slurm_refused: 'slurm_refused',
  slurm_requeued: 'node_lost',
  slurm_stopped: 'node_lost',
  image_unavailable: 'image_missing',
  workspace_unavailable: 'not_started',
  snapshot_unavailable: 'not_started',
  internet_unavailable: 'not_started',
  node_lost: 'node_lost',
  worker_stopped: 'node_lost',
  engine_restarted: 'node_lost',
  preempted: 'preempted',
  peers_missing: 'not_started',
  peer_failed: 'node_lost',
  not_provisioned: 'not_started',
  internal_error: 'not_started',
  never_fits: 'never_fits',
  not_assignable: 'not_started',
}

/** Waits that end only if a person changes something. */
const causesOfWaits: Readonly<Partial<Record<WaitReason, CauseId>>> = {
  quota: 'quota',
  max_concurrent_gpus: 'quota',
  token_max_gpus: 'quota',
  budget: 'budget',
  never_fits: 'never_fits',
}

/** Whether the diagnosis of a job needs what its program printed. */
export function needsOutput({ status, reason }: Pick<Facts['job'], 'status' | 'reason'>): boolean {
  if (status === 'completed') return reason === 'finished'
  return status === 'failed' && endCause(reason) !== 'never_fits'
}

/** The cause of a failure, without what to do. */
export interface FoundCause {
  failure: Failure
  /** The instance that failed first; null: the job has one. */
  end: InstanceEnd | null
}

/** Why a job failed, or cannot start before somebody changes something. Null: nothing is wrong, as far as the facts tell. Pure. */
export function diagnose(facts: Facts): Diagnosis | null {
  const found = findCause(facts)
  return found && toDiagnosis(facts, found)
}

/** The part of {@link diagnose} that searches the output. */
export function findCause(facts: Facts): FoundCause | null {
  const { job } = facts
  if (job.status === 'failed' || job.reason === 'dependency_failed') {
    const cause = endCause(job.reason)
    return cause === null ? diagnoseProgram(facts) : diagnoseEnd(facts, cause)
  }
  if (job.status === 'pending') {
    const cause = Object.entries(causesOfWaits).find(([reason]) => reason === job.reason)?.[1]
    return cause === undefined ? null : diagnoseEnd({ ...facts, instances: [] }, cause)
  }
  return job.status === 'completed' && facts.hasResult === false ? diagnoseNoResult(facts) : null
}

function endCause(reason: string | null): CauseId | null {
  return Object.entries(causesOfEnds).find(([name]) => name === reason)?.[1] ?? null
}

function diagnoseProgram(facts: Facts): FoundCause {
  const { instances } = facts
  const byProgram = instances.filter(({ reason }) => reason === 'exit_code')
  const { end, failure } = firstFailure(byProgram.length > 0 ? byProgram : instances, facts)
  return { failure: resolvePath(failure), end: instances.length > 1 ? end : null }
}

interface EndOfInstance {
  end: InstanceEnd | null
  failure: Failure
}

/** The failure that came first in time. What follows from a lost process comes after every other one. */
function firstFailure(ends: readonly InstanceEnd[], { job }: Facts): EndOfInstance {
  const known = ends.map((end) => {
    const failure = findFailure(end)
    return {
      end,
      failure,
      time: Date.parse(failure.t ?? end.ended_at ?? ''),
      isLater: isConsequence(failure),
    }
  })
  const [first] = known.toSorted(
    (a, b) =>
      Number(a.isLater) - Number(b.isLater) || compareTimes(a.time, b.time) || a.end.rank - b.end.rank,
  )
  return first ?? { end: null, failure: findFailure({ lines: [], exit_code: job.exit_code }) }
}

const compareTimes = (a: number, b: number) => (Number.isNaN(a) || Number.isNaN(b) ? 0 : a - b)

/** Whether a process may have failed only because another one did. */
function isConsequence({ cause, error, subject }: Failure): boolean {
  if (cause === 'distributed' || cause === 'connection_refused') return true
  if (cause === 'killed_by_signal') return subject === 'SIGTERM' || subject === 'SIGKILL'
  return (cause === 'exit_code' && error === null) || lostOther.test(error ?? '')
}

/** An end that the output explains only by what the program did last. */
function diagnoseEnd({ job, instances }: Facts, cause: CauseId): FoundCause {
  const end = instances.find(({ reason }) => reason === job.reason) ?? instances[0] ?? null
  const shown = end === null || !showsOutput.has(cause) ? null : findFailure(end)
  const failure: Failure = {
    cause,
    error: job.reason_text,
    subject: null,
    location: shown?.error === null || shown?.cause === 'exit_code' ? null : (shown?.location ?? null),
    evidence: shown?.evidence ?? [],
    t: null,
  }
  return { failure, end: instances.length > 1 ? end : null }
}

const showsOutput: ReadonlySet<CauseId> = new Set([
  'timeout',
  'host_out_of_memory',
  'no_progress',
  'output_limit',
  'checkpoint_limit',
])

/** More lines than this after a traceback: the program caught the exception and went on. */
const mostAfterTraceback = 3

/** A program that ended without an error, printed no result and left no file. Only if it printed nothing, its usage, or an exception at the end. */
function diagnoseNoResult({ instances }: Facts): FoundCause | null {
  const [end] = instances
  if (!end) return null
  const isPrinted = ({ text }: PrintedLine) => text.trim() !== ''
  if (!instances.some(({ lines }) => lines.some(isPrinted))) {
    const failure = { error: null, subject: null, location: null, evidence: [], t: null }
    return { failure: { ...failure, cause: 'no_result' }, end: null }
  }
  const first = end.lines.find(isPrinted)?.text ?? ''
  if (/^usage: /i.test(first)) {
    return {
      failure: { ...findFailure(end), cause: 'no_result', error: first.trim(), location: null },
      end: null,
    }
  }
  const traceback = parseTraceback(end.lines.map(({ text }) => text))
  if (!traceback || end.lines.slice(traceback.end + 1).filter(isPrinted).length > mostAfterTraceback)
    return null
  return { failure: { ...findFailure({ ...end, exit_code: null }), cause: 'no_result' }, end: null }
}

/** The part of {@link diagnose} that says what to do. */
export function toDiagnosis(
  { job, environments, limits }: Omit<Facts, 'instances'>,
  { failure: { cause, error, subject, location, evidence }, end }: FoundCause,
): Diagnosis {
  const place = location && toPlace(location)
  const where = place && `${quoteValue(place.file, 100)}, line ${place.line}`
  const advice = adviseCause(cause, {
    job,
    error,
    subject,
    code: location?.code ?? null,
    place: where,
    environments,
    limits,
  })
  const [summary, fault]: readonly [string, Fault] = causes[cause]
  return {
    cause,
    summary,
    fault,
    error: error === null ? null : visibleText(error, 500),
    rank: end?.rank ?? null,
    node: end?.node ?? null,
    place,
    evidence: evidence.map((line) => visibleText(line, 200)),
    next_step: advice.text,
    fix: advice.fix,
  }
}

const ownDirectories = /^\/(?:work|job|results|tmp|checkpoints|dev|proc|sys|etc|usr|var|opt|bin|lib)(?:\/|$)/

/** A missing file at an absolute path is one of the user's machine, except below directories that every container has. */
function resolvePath(failure: Failure): Failure {
  const { cause, subject } = failure
  const isElsewhere =
    subject !== null && /^(?:\/|[A-Za-z]:[/\\])/.test(subject) && !ownDirectories.test(subject)
  return cause === 'file_missing' && isElsewhere ? { ...failure, cause: 'path_not_in_container' } : failure
}

function toPlace({ file, line, function: name, code }: CodeLocation): Place {
  return {
    file: visibleText(displayPath(file), 300),
    line,
    function: name === null ? null : visibleText(name, 100),
    code: code === null ? null : visibleText(code, 300),
    context: [],
  }
}
