import type { JobConfig } from '../../contract/config/config'
import { type Dependency, splitDependencies } from '../../contract/config/depends-on'
import { invalidField } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'
import { holdForDependencies } from '../state/hold'
import type { JobOwner } from '../submission/job-owner'
import { describeEnd, describeWait, readPrerequisites, stateOf } from './prerequisites'

/** What a new job or group waits for. */
export interface Wait {
  dependencies: readonly Dependency[]
  /** Says for what. */
  sentence: string
}

/**
 * Finds what a new job or group must wait for; null: nothing. What ends before the submission is durable is found by the leader, because
 * it compares the stored dependencies with the jobs and groups as they are.
 * @throws 422 for a job or a group that neither the owner nor the caller has, and for one that has ended so that this one could never start.
 */
export async function findWait(
  tx: Transaction,
  owner: JobOwner,
  { depends_on }: Pick<JobConfig, 'depends_on'>,
): Promise<Wait | null> {
  const { others } = splitDependencies(depends_on)
  if (others.length === 0) return null
  const { projectId } = owner
  const known = await readPrerequisites(
    tx,
    others.map(({ id }) => id),
    owner,
  )
  const found = others.map((one) => {
    const other = known.get(one.id)
    if (other === undefined)
      throw invalidField(
        'depends_on',
        `there is no job ${one.id} of yours, and no group: name one of your jobs or groups`,
      )
    const end = () => describeEnd(one.id, other, projectId)
    if (stateOf({ ...one, other }) !== 'failed') return { ...one, other }
    const advice =
      one.when === 'failed'
        ? 'It starts only after a failure: name another one, or remove it'
        : 'Run that again, and name the new one, or write any: before the id'
    throw invalidField('depends_on', `the ${end()}, so this could never start. ${advice}`)
  })
  const sentence = describeWait(found, projectId)
  if (sentence === null) return null
  const dependencies = found.filter((one) => stateOf(one) === 'open').map(({ id, when }) => ({ id, when }))
  return { dependencies, sentence }
}

/** Keeps a new job from starting until the leader has seen that the others have ended. */
export async function insertDependencies(tx: Transaction, jobId: string, wait: Wait | null): Promise<void> {
  if (wait === null) return
  const { dependencies, sentence } = wait
  await tx.query({
    name: 'insert-dependencies',
    text: `INSERT INTO job_dependencies (job_id, depends_on, condition)
           SELECT $1, * FROM unnest($2::uuid[], $3::"DependencyCondition"[])`,
    values: [jobId, dependencies.map(({ id }) => id), dependencies.map(({ when }) => when)],
  })
  await holdForDependencies(tx, jobId, sentence)
}
