import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sleep } from '@/lib/async/sleep'
import { figuresOf } from '../bench/measure'
import type { Ledger } from './ledger'
import { readFamily, readProcess } from './process-figures'
import type { SoakSystem } from './soak-system'

/** Figures by name. A figure that could not be read, such as rows while PostgreSQL was down, is missing. */
export interface Sample {
  /** Seconds since the start of the load. */
  at: number
  values: Record<string, number>
}

export const sampleSeconds = 12

interface Sampling {
  system: SoakSystem
  ledger: Ledger
  samples: Sample[]
  startedAt: number
}

/** Takes samples until the signal. */
export async function takeSamples(sampling: Sampling, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(sampleSeconds * 1000, signal)
    sampling.samples.push(await takeSample(sampling))
  }
}

export async function takeSample({ system, ledger, startedAt }: Sampling): Promise<Sample> {
  const at = (performance.now() - startedAt) / 1000
  const values: Record<string, number> = { 'accepted jobs': ledger.jobs.size }
  const parts = [readProcesses(system), readEngine(system), readDatabase(system), readFiles(system)]
  // A fault may make a part unreadable.
  for (const part of await Promise.all(parts.map((part) => part.catch(() => ({})))))
    Object.assign(values, part)
  const submissions = figuresOf(ledger.submissionMs)
  ledger.submissionMs = []
  if (submissions.count > 0) {
    values['submission p50 (ms)'] = submissions.median
    values['submission p99 (ms)'] = submissions.p99
  }
  for (const [status, count] of ledger.responses) values[`responses ${status || 'none'}`] = count
  return { at, values }
}

async function readProcesses(system: SoakSystem): Promise<Record<string, number>> {
  const values: Record<string, number> = {}
  const families = system.programs.map(({ name, pid }) => [name, readProcess(pid)] as const)
  const postgres = await system.postgresPid().then(readFamily, () => null)
  for (const [name, figures] of [...families, ['PostgreSQL', postgres] as const]) {
    if (!figures) continue
    values[`memory ${name}`] = figures.rssMib
    values[`open files ${name}`] = figures.files
  }
  return values
}

async function readEngine(system: SoakSystem): Promise<Record<string, number>> {
  const { containers, networks, volumes } = await system.countInEngine()
  return { containers, networks, volumes }
}

async function readDatabase({ pool }: SoakSystem): Promise<Record<string, number>> {
  const values: Record<string, number> = {}
  const add = (name: string, value: unknown) => {
    if (value !== null && value !== undefined) values[name] = Number(value)
  }
  const { rows: statuses } = await pool.query('SELECT status, count(*) AS n FROM jobs GROUP BY status')
  for (const { status, n } of statuses) add(`jobs ${status}`, n)
  const { rows: figures } = await pool.query(`
    SELECT (SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND application_name <> 'soak') AS connections,
           (SELECT count(*) FROM jobs WHERE result_stored AND deleted_after_days IS NULL) AS kept,
           (SELECT pg_database_size(current_database()) / 1048576.0) AS size,
           (SELECT count(*) FROM nodes WHERE quarantined_at IS NOT NULL) AS quarantined,
           (SELECT count(*) FROM (
              SELECT g.id FROM gpus g LEFT JOIN allocations a ON a.gpu_id = g.id AND a.released_at IS NULL
               GROUP BY g.id HAVING g.allocated_milli <> coalesce(sum(a.milli), 0) OR g.allocated_milli > 1000
            ) AS wrong) AS wrong_gpus`)
  add('database connections', figures[0]?.connections)
  add('jobs with stored files', figures[0]?.kept)
  add('database size (MiB)', figures[0]?.size)
  add('quarantined nodes', figures[0]?.quarantined)
  add('wrong GPUs', figures[0]?.wrong_gpus)
  const { rows: waits } = await pool.query(`
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY wait) AS p50,
           percentile_cont(0.99) WITHIN GROUP (ORDER BY wait) AS p99
      FROM (SELECT extract(epoch FROM started_at - created_at) AS wait FROM jobs
             WHERE started_at > now() - interval '60 seconds' AND attempt = 1) AS recent`)
  add('queue p50 (s)', waits[0]?.p50)
  add('queue p99 (s)', waits[0]?.p99)
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        AND relname NOT LIKE 'soak%' AND relname NOT LIKE '\\_%' ORDER BY relname`,
  )
  const counts = tables.map(({ name }) => `SELECT '${name}' AS name, count(*) AS n FROM "${name}"`)
  const { rows: counted } = await pool.query(counts.join(' UNION ALL '))
  for (const { name, n } of counted) add(`rows ${name}`, n)
  return values
}

/** Files of the data directory by its top-level directories, without PostgreSQL's own. */
async function readFiles({ dataDir }: SoakSystem): Promise<Record<string, number>> {
  const values: Record<string, number> = { 'stored bytes (MiB)': 0 }
  for (const entry of await readdir(dataDir, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name.startsWith('postgres')) continue
    const { files, bytes } = await measure(join(dataDir, entry.name))
    values[`files ${entry.name}`] = files
    if (entry.name !== 'logs')
      values['stored bytes (MiB)'] = (values['stored bytes (MiB)'] ?? 0) + bytes / 2 ** 20
  }
  return values
}

/** Files and directories below a directory. They may disappear in the meantime. */
async function measure(directory: string): Promise<{ files: number; bytes: number }> {
  const sum = { files: 0, bytes: 0 }
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    const path = join(directory, entry.name)
    sum.files++
    if (entry.isDirectory()) {
      const below = await measure(path)
      sum.files += below.files
      sum.bytes += below.bytes
    } else sum.bytes += (await stat(path).catch(() => null))?.size ?? 0
  }
  return sum
}
