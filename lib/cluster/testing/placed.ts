import { oneRow, transaction } from '../../database/transaction'
import { placeStartedJob } from '../../jobs/state/place'
import { startJobSql } from '../../jobs/state/start'
import { placeGiven } from '../placement/place'

interface Placing {
  /** The GPUs of the node, and the share of each. */
  indices?: number[]
  milli?: number
  cpuMilli?: number
  memoryMib?: number
}

/** Runs a waiting job on GPUs of a node that no scheduler chose. Returns the id of its task. */
export async function placeManually(nodeId: string, jobId: string, placing: Placing = {}): Promise<string> {
  const { indices = [0], milli = 1000, cpuMilli = 1000, memoryMib = 1024 } = placing
  return transaction(async (tx) => {
    const job = await placeStartedJob(tx, jobId)
    if (!job) throw new Error(`The job ${jobId} does not wait.`)
    const { attempt } = job
    const { rows: gpus } = await tx.query<{ id: string; milli: number }>(
      'SELECT id, $3::int AS milli FROM gpus WHERE node_id = $1 AND index = ANY ($2::int[])',
      [nodeId, indices, milli],
    )
    await placeGiven(tx, { jobId, attempt }, { rank: 0, nodeId, gpus, cpuMilli, memoryMib })
    await tx.query(
      `WITH task AS (UPDATE tasks SET status = 'running', started_at = now() WHERE job_id = $1 AND attempt = $2
                     RETURNING job_id, attempt, started_at) ${startJobSql('NULL')}`,
      [jobId, attempt],
    )
    return (
      await oneRow<{ id: string }>(tx, 'SELECT id FROM tasks WHERE job_id = $1 AND attempt = $2', [
        jobId,
        attempt,
      ])
    ).id
  })
}
