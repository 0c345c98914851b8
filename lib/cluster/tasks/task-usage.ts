import { EvenSeries, joinMeans, joinPeaks } from '../../contract/cluster/even-series'
import { database } from '../../database/client'
import { findRow } from '../../database/transaction'
import type { Lease } from '../nodes/nodes'
import { ranSeconds, taskHeld } from './tasks'

/** What a task uses at one moment, or used in one part of its run. Null: not known. */
export interface UsagePoint {
  /** Mean. */
  cpuCores: number | null
  /** Peak. */
  memoryMib: number | null
}

/** The use of a task over its whole run. */
export type UsageCurve = EvenSeries<UsagePoint>

/** A row has at most 3 kB. A day has a value for each 320 seconds. */
const maxPoints = 360
/** Longer than the time between two samples, because reading them takes a second or more. */
const firstIntervalS = 10

const join = (first: UsagePoint, second: UsagePoint, counts: readonly [number, number]): UsagePoint => ({
  cpuCores: joinMeans(first.cpuCores, second.cpuCores, counts),
  memoryMib: joinPeaks(first.memoryMib, second.memoryMib),
})

/** The last sample of a task: its CPU time, and the seconds since its start. */
interface LastSample {
  cpuSeconds: number
  sampledSeconds: number
}

interface UsageRow {
  cpuSeconds: number | null
  sampledSeconds: number | null
  intervalS: number | null
  cpuCores: (number | null)[] | null
  memoryMib: (number | null)[] | null
}

/** Reads what an earlier worker recorded of a task. */
export async function readTaskUsage(taskId: string): Promise<{ curve: UsageCurve; last: LastSample }> {
  const row = await findRow<UsageRow>(database().pool, {
    name: 'read-task-usage',
    text: `SELECT t.cpu_seconds AS "cpuSeconds", t.sampled_seconds AS "sampledSeconds", u.interval_s AS "intervalS",
                  u.cpu_cores AS "cpuCores", u.memory_mib AS "memoryMib"
             FROM tasks t LEFT JOIN task_usage u ON u.task_id = t.id WHERE t.id = $1`,
    values: [taskId],
  })
  const values = (row?.cpuCores ?? []).map((cpuCores, at) => {
    const memoryMib = row?.memoryMib?.[at] ?? null
    return cpuCores === null && memoryMib === null ? null : { cpuCores, memoryMib }
  })
  return {
    curve: EvenSeries.of(values, maxPoints, row?.intervalS ?? firstIntervalS, join),
    last: { cpuSeconds: row?.cpuSeconds ?? 0, sampledSeconds: row?.sampledSeconds ?? 0 },
  }
}

/**
 * Replaces the usage sample of a task's container with a newer one. Does nothing without the lease, or after the
 * task has ended.
 * @returns the seconds for which the task has run, without pauses, by the clock of the database; null: it did nothing
 */
export async function recordTaskUsage(
  lease: Lease,
  taskId: string,
  usage: { cpuSeconds: number; memoryPeakMib: number },
): Promise<number | null> {
  const row = await findRow<{ seconds: number | null }>(database().pool, {
    name: 'record-task-usage',
    text: `UPDATE tasks SET cpu_seconds = $4, sampled_seconds = ${ranSeconds('tasks')},
             memory_peak_mib = greatest(memory_peak_mib, $5::int)
            WHERE ${taskHeld} AND status = 'running' RETURNING sampled_seconds AS seconds`,
    values: [lease.nodeId, lease.leaseId, taskId, usage.cpuSeconds, usage.memoryPeakMib],
  })
  return row?.seconds ?? null
}

/** Stores the curve of a task. Does nothing without the lease, or after the task has ended. */
export async function storeUsageCurve(lease: Lease, taskId: string, curve: UsageCurve): Promise<void> {
  const { values, intervalS } = curve
  await database().pool.query({
    name: 'store-usage-curve',
    text: `INSERT INTO task_usage (task_id, interval_s, cpu_cores, memory_mib)
           SELECT id, $4, $5, $6 FROM tasks WHERE ${taskHeld} AND status = 'running'
           ON CONFLICT (task_id) DO UPDATE SET
             interval_s = excluded.interval_s, cpu_cores = excluded.cpu_cores, memory_mib = excluded.memory_mib`,
    values: [
      lease.nodeId,
      lease.leaseId,
      taskId,
      intervalS,
      values.map((point) => point?.cpuCores ?? null),
      values.map((point) => point?.memoryMib ?? null),
    ],
  })
}
