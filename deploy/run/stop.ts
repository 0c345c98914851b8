/** `gpuq stop`: stops the gpuq of a data directory, and the jobs that it or an earlier one left running. */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { database } from '@/lib/database/client'
import { env } from '@/lib/env'
import { ensureEngine } from '../engine/engine.mjs'
import { clearJobs } from './clear-jobs'
import { findHolder, lockDataDir } from './instance-lock.mjs'
import { processIdentity, runCommand } from './processes.mjs'
import { workerProgram } from './programs'
import { createReport } from './report.mjs'
import { startDatabase } from './run-database'
import { stopOnSignals } from './signals.mjs'
import { explainError, type Undo, undoAll } from './undo'

const pollMs = 200
const report = createReport()
const signal = stopOnSignals({ onFirst: () => {}, onSecond: () => process.exit(130) })

/** Stops a gpuq that runs, as Ctrl-C does. Its jobs may go on. */
async function stopServer(dataDir: string): Promise<boolean> {
  const holder = findHolder(dataDir)
  if (holder === null) return false
  await report.step('gpuq stopped', async () => {
    process.kill(holder.pid, 'SIGINT')
    while (processIdentity(holder.pid) === holder.identity) await sleep(pollMs, undefined, { signal })
  })
  return true
}

/** The running jobs, and the names of the nodes whose workers ran them: not those of this command's environment. */
async function readRunning(): Promise<{ jobs: number; nodes: string[] }> {
  const { rows } = await database().pool.query<{ job: string; node: string }>(
    `SELECT t.job_id AS job, coalesce(host.name, n.name) AS node
       FROM tasks t JOIN nodes n ON n.id = t.node_id LEFT JOIN nodes host ON host.id = n.host_node_id
      WHERE t.status IN ('starting', 'running')`,
  )
  return {
    jobs: new Set(rows.map(({ job }) => job)).size,
    nodes: [...new Set(rows.map(({ node }) => node))],
  }
}

/** A worker takes over what runs, stops it and puts its jobs back into the queue. */
async function endJobs(dataDir: string): Promise<number> {
  const undo: Undo[] = []
  try {
    await startDatabase({ report, signal, dataDir }, undo)
    const { jobs, nodes } = await readRunning()
    if (jobs === 0) return 0
    const engine = await ensureEngine({ dataDir, progress: () => {}, signal })
    undo.push({
      async work() {
        const problem = await engine.stop()
        if (problem) report.warn(problem)
      },
    })
    process.env.DOCKER_HOST = engine.host
    const worker = workerProgram('production', dataDir, ['--end-jobs'])
    await report.step('Jobs stopped', async () => {
      for (const GPUQ_NODE_NAME of nodes)
        await runCommand(process.execPath, worker.args, {
          label: 'The worker',
          env: { ...worker.env, GPUQ_NODE_NAME },
          signal,
        })
    })
    await clearJobs(engine.host, dataDir)
    return jobs
  } finally {
    await undoAll(undo, report)
  }
}

async function main(): Promise<void> {
  const { GPUQ_DATA_DIR: dataDir, PORT, DATABASE_URL } = env()
  const stopped = await stopServer(dataDir)
  if (DATABASE_URL !== undefined) {
    report.line(stopped ? '  gpuq is stopped.' : '  gpuq does not run.')
    return
  }
  if (!existsSync(dataDir)) {
    report.line(
      `  gpuq was never started with the data directory ${dataDir}, so nothing runs there. To name another: gpuq stop --data-dir PATH`,
    )
    return
  }
  const lock = lockDataDir(dataDir, PORT)
  try {
    const jobs = await endJobs(dataDir)
    const what = jobs === 1 ? '1 job was running and' : `${jobs} jobs were running and`
    const after = `${what} ended. The next start runs ${jobs === 1 ? 'it' : 'them'} again; cancel what is not wanted then.`
    report.line(
      `  ${jobs > 0 ? after : stopped ? 'gpuq is stopped. No job runs.' : 'gpuq does not run, and no job runs.'}`,
    )
  } finally {
    lock.release()
  }
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`\n${explainError(error)}\n\n`)
    process.exit(1)
  },
)
