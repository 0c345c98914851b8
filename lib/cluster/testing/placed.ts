import { uuidv7 } from 'uuidv7'
import { database } from '../../database/client'

interface Placing {
  /** The GPUs of the node, and the share of each. */
  indices?: number[]
  milli?: number
  cpuMilli?: number
  memoryMib?: number
}

/**
 * Places a waiting job on a node without the scheduler, and updates the allocations like a placement. Returns the
 * task id.
 */
export async function placeManually(nodeId: string, jobId: string, placing: Placing = {}): Promise<string> {
  const { indices = [0], milli = 1000, cpuMilli = 1000, memoryMib = 1024 } = placing
  const taskId = uuidv7()
  await database().pool.query(
    `WITH job AS (UPDATE jobs SET status = 'running', attempt = attempt + 1, started_at = now() WHERE id = $2 RETURNING attempt),
          task AS (INSERT INTO tasks (id, job_id, attempt, rank, node_id, status, cpu_milli, memory_mib, started_at)
                   SELECT $3, $2, attempt, 0, $1, 'running', $6, $7, now() FROM job RETURNING id),
          booked AS (UPDATE gpus SET allocated_milli = allocated_milli + $5
                      WHERE node_id = $1 AND index = ANY ($4::int[]) RETURNING id)
     INSERT INTO allocations (task_id, gpu_id, milli) SELECT task.id, booked.id, $5 FROM task, booked`,
    [nodeId, jobId, taskId, indices, milli, cpuMilli, memoryMib],
  )
  return taskId
}
