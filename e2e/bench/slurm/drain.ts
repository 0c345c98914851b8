import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inParallel } from '@/lib/async/pool'
import type { System } from '../../system/start-system'
import { call, upload } from '../client'

/** What every job of the comparison runs. */
export const jobProgram = 'print("done")\n'
/** Clients that submit at the same time, for all contenders. */
export const submitters = 4
const pollMs = 100

/** Milliseconds since the first submission. */
export interface Drain {
  /** When the last job was submitted. */
  submitted: number
  /** When the last job had ended. */
  drained: number
}

/** Submits jobs by the upload API, and waits until all have completed. */
export async function drainGpuq(system: System, jobs: number): Promise<Drain> {
  const pool = new pg.Pool({ connectionString: system.databaseUrl, max: 1 })
  const count = async (status: string) => {
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM jobs WHERE status ${status}`,
    )
    return rows[0]?.n ?? 0
  }
  try {
    const before = await count(`= 'completed'`)
    const began = performance.now()
    const numbers = Array.from({ length: jobs }, (_, index) => index)
    const submit = async () => {
      const { status, body } = await call(...upload(system, jobProgram))
      if (status !== 202) throw new Error(`submit answered ${status}: ${body}`)
    }
    await inParallel(numbers, submitters, submit, new AbortController().signal)
    const submitted = performance.now() - began
    while ((await count(`IN ('pending', 'scheduled', 'running')`)) > 0) await sleep(pollMs)
    const drained = performance.now() - began
    const completed = (await count(`= 'completed'`)) - before
    if (completed !== jobs) throw new Error(`${completed} of ${jobs} jobs completed`)
    return { submitted, drained }
  } finally {
    await pool.end()
  }
}

/** Waits until the workers of all nodes are ready. */
export async function untilNodesReady(system: System, nodes: number): Promise<void> {
  const pool = new pg.Pool({ connectionString: system.databaseUrl, max: 1 })
  try {
    for (;;) {
      const { rows } = await pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM nodes WHERE status = 'ready'`,
      )
      if ((rows[0]?.n ?? 0) >= nodes) return
      await sleep(pollMs)
    }
  } finally {
    await pool.end()
  }
}
