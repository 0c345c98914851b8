import { createHash } from 'node:crypto'
import { finalStatuses } from '@/lib/contract/status'
import { persist } from './client'
import type { AcceptedJob, Ledger } from './ledger'

const isEnded = (status: string) => (finalStatuses as readonly string[]).includes(status)
const short = (value: unknown) => JSON.stringify(value).slice(0, 300)

/**
 * Compares an ended job with what must be true of it, through the API. Returns false if the job has not ended or its
 * result is not stored yet.
 */
export async function verify(job: AcceptedJob, ledger: Ledger): Promise<boolean> {
  const { id, client, scenario } = job
  const { expected, kind } = scenario
  const detail = await persist(() => client.jobs.get(id))
  if (!isEnded(detail.status) || detail.result_file === null) return false
  const check = (what: string, actual: unknown, wanted: unknown) => {
    if (JSON.stringify(actual) === JSON.stringify(wanted)) return
    ledger.problem(
      `job ${id} (${kind}, attempt ${detail.attempt}): ${what} is ${short(actual)}, expected ${short(wanted)}`,
    )
  }
  check('status', [detail.status, detail.reason], [expected.status, expected.reason])
  if (expected.exitCode !== undefined) check('exit code', detail.exit_code, expected.exitCode)
  await checkOutput(job, check)
  if (expected.artifacts) await checkArtifacts(job, check)
  job.verified = true
  return true
}

type Check = (what: string, actual: unknown, wanted: unknown) => void

async function checkOutput({ id, client, scenario: { expected, kind } }: AcceptedJob, check: Check) {
  const result = await persist(() => client.jobs.result(id))
  if (expected.results) check('results', result.results, expected.results)
  if (expected.stdout === null) return
  const [first = ''] = expected.stdout
  if (expected.stdout.length > 1) {
    check(
      'output of the ranks',
      result.ranks?.map(({ stdout }) => stdout),
      expected.stdout,
    )
  } else if (kind === 'much output') {
    const text = await persist(async () => (await client.jobs.download(id, 'text')).text())
    check('downloaded output', digest(text), digest(first))
  } else check('output', result.stdout, first)
}

async function checkArtifacts({ id, client, scenario: { expected } }: AcceptedJob, check: Check) {
  const wanted = expected.artifacts ?? []
  const { artifacts } = await persist(() => client.jobs.artifacts(id))
  check(
    'artifacts',
    artifacts.map(({ path, sha256 }) => ({ path, sha256 })),
    wanted,
  )
  const [first] = artifacts
  if (!first) return
  const bytes = await persist(async () => (await client.jobs.artifact(id, first.artifact_id)).text())
  check('downloaded artifact', digest(bytes), wanted[0]?.sha256)
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
