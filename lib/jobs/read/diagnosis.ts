import type { Actor } from '../../access/actor'
import { listEnvironments } from '../../access/environments'
import { readSpec } from '../../contract/config/stored-spec'
import { addContext } from '../../contract/diagnosis/add-context'
import { causesWithEnvironments } from '../../contract/diagnosis/advise-environment'
import { findCause, needsOutput, toDiagnosis } from '../../contract/diagnosis/diagnose'
import type { Advice, Diagnosis } from '../../contract/diagnosis/diagnosis'
import type { Facts } from '../../contract/diagnosis/facts'
import { hideSecrets } from '../../contract/diagnosis/hide-secrets'
import type { JobDetail } from '../../contract/jobs'
import { database } from '../../database/client'
import { oneRow } from '../../database/transaction'
import type { OutputReader } from '../../results/reading/output-reader'
import { findObstacle } from '../submission/never-fits'
import { hasCheckpoints } from './has-checkpoints'
import { readJobDetail } from './read'
import { readLastLines } from './read-last-lines'
import { readSourceText } from './read-source-text'
import { readServerLimits } from './server-limits'

type Nearest = NonNullable<JobDetail['nearest']>

interface Explained {
  diagnosis: Diagnosis | null
  advice: Advice | null
  nearest: Nearest | null
}

/** Adds why a job failed, and what to change so that it can succeed or start, as its page and `gpuq` say. */
export async function withDiagnosis<Job extends JobDetail>(
  actor: Actor,
  reader: OutputReader,
  job: Job,
): Promise<Job & Explained> {
  const diagnosis = await diagnoseJob(actor, reader, job)
  return { ...job, diagnosis, advice: adviceOf(job, diagnosis), nearest: await findNearest(job) }
}

/**
 * The diagnosis of an ended job for messages, which do not know what their reader may choose. Messages leave gpuq, so it has neither
 * code nor the values of the job's variables.
 */
export async function diagnoseForMessage(jobId: string, reader: OutputReader): Promise<Diagnosis | null> {
  const job = await readJobDetail(jobId)
  const found = findCause(await readFacts(reader, job))
  if (found === null) return null
  const failure = hideSecrets(found.failure, await readVariables(jobId))
  const { place, ...diagnosis } = toDiagnosis({ job }, { ...found, failure })
  return { ...diagnosis, place: place && { ...place, code: null } }
}

/** The values of the variables that the user set. */
async function readVariables(jobId: string): Promise<string[]> {
  const { spec } = await database().prisma.job.findUniqueOrThrow({
    where: { id: jobId },
    select: { spec: true },
  })
  return Object.values(readSpec(spec).env)
}

async function diagnoseJob(actor: Actor, reader: OutputReader, job: JobDetail): Promise<Diagnosis | null> {
  const facts = await readFacts(reader, job)
  const found = findCause(facts)
  if (found === null) return null
  const { cause } = found.failure
  const environments = causesWithEnvironments.has(cause) ? await listEnvironments(actor) : undefined
  const limits = await readServerLimits(actor, job)
  const diagnosis = toDiagnosis({ job, environments, limits }, found)
  const source = diagnosis.place && (await readSourceText(job.job_id, diagnosis.place.file))
  return source === null ? diagnosis : addContext(diagnosis, source)
}

/** Reads at most the end of each instance's output. */
async function readFacts(reader: OutputReader, job: JobDetail): Promise<Facts> {
  const mayHaveNoResult = job.status === 'completed' && Object.keys(job.metrics).length === 0
  const wanted = needsOutput(job) && (job.status === 'failed' || mayHaveNoResult)
  const printed = wanted ? await readLastLines(reader, job.job_id, job.attempt) : []
  const known = new Map(printed.map((one) => [one.rank, one.lines]))
  const ends = job.resources.got.map(({ rank, node, reason, exit_code, ended_at }) => ({
    rank,
    node,
    reason,
    exit_code,
    ended_at,
    lines: known.get(rank) ?? [],
  }))
  // A command that prints nothing may have written to a shared directory.
  const isQuietCommand = job.command !== null && job.output_bytes === 0
  const hasResult =
    !mayHaveNoResult ||
    isQuietCommand ||
    printed.some((one) => one.hasResult) ||
    job.files_deleted !== null ||
    (await hasFiles(job))
  return { job, instances: ends, hasResult }
}

/** Whether it left results, files in its working directory, or checkpoints. */
async function hasFiles({ job_id, attempt }: JobDetail): Promise<boolean> {
  const { found } = await oneRow<{ found: boolean }>(database().pool, {
    name: 'has-result-files',
    text: `SELECT EXISTS (SELECT FROM artifacts WHERE job_id = $1 AND attempt = $2)
               OR EXISTS (SELECT FROM working_files WHERE job_id = $1)
               OR EXISTS (SELECT FROM jobs j WHERE j.id = $1 AND ${hasCheckpoints('j.named_run_id')}) AS found`,
    values: [job_id, attempt],
  })
  return found
}

/** Nothing for an error that only its program can explain. */
function adviceOf({ status }: JobDetail, diagnosis: Diagnosis | null): Advice | null {
  if (status !== 'failed' || diagnosis === null) return null
  if (diagnosis.cause === 'exception' || diagnosis.cause === 'exit_code') return null
  return { title: diagnosis.summary, text: diagnosis.next_step, fix: diagnosis.fix }
}

/** The nearest request that fits; null also for a job that can start. */
async function findNearest({
  job_id,
  status,
  reason,
  slurm,
  expected_time,
  project_id,
}: JobDetail): Promise<Nearest | null> {
  if (status !== 'pending' || (reason !== 'never_fits' && slurm === null)) return null
  const { pool, prisma } = database()
  const { userId, spec } = await prisma.job.findUniqueOrThrow({
    where: { id: job_id },
    select: { userId: true, spec: true },
  })
  const config = { ...readSpec(spec), expected_time, project_id }
  return (await findObstacle(pool, { userId, restriction: null }, config))?.nearest ?? null
}
