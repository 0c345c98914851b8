import pg from 'pg'
import type { System } from '../system/start-system'
import { bearer, call, signIn } from './client'
import { type Figures, measureInTurn } from './measure'

const few = 100
const many = 100_000

/** Measures the job list, as an API response and as a page, with few and with many stored jobs. */
export async function benchJobList(
  system: System,
  rounds: number,
): Promise<Record<'api' | 'page', { few: Figures; many: Figures }>> {
  const cookie = await signIn(system)
  const measure = () =>
    measureInTurn(rounds, {
      api: () => timeOf(`${system.url}/api/jobs`, bearer(system), '"job_id"'),
      page: () => timeOf(`${system.url}/jobs`, { cookie }, 'bench'),
    })
  await storeJobs(system, few)
  const withFew = await measure()
  await storeJobs(system, many - few)
  const withMany = await measure()
  return { api: { few: withFew.api, many: withMany.api }, page: { few: withFew.page, many: withMany.page } }
}

export async function timeOf(url: string, headers: Record<string, string>, holds: string): Promise<number> {
  const began = performance.now()
  const { status, body } = await call(url, { headers })
  const took = performance.now() - began
  if (status !== 200 || !body.includes(holds)) throw new Error(`${url} answered ${status}`)
  return took
}

/** Inserts jobs of the admin directly into the database, as many submissions would have left them: ended, or waiting. */
export async function storeJobs(system: System, count: number, waiting = false): Promise<void> {
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  await client.query(
    `INSERT INTO projects (id, slug, owner_id) SELECT gen_random_uuid(), 'bench', id FROM users WHERE handle = 'admin' ON CONFLICT DO NOTHING`,
  )
  await client.query(
    `INSERT INTO programs (hash, content) VALUES (sha256('print(1)'), 'print(1)') ON CONFLICT DO NOTHING`,
  )
  await client.query(
    `INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, status, reason, exit_code, spec, program_hash, expected_time_s,
                       time_limit_s, attempt, created_at, started_at, ended_at, result_stored)
     SELECT gen_random_uuid(), p.owner_id, p.id, e.id, 'bench', ${waiting ? `'pending', 'no_free_gpu', NULL` : `'completed', 'finished', 0`},
            '{"gpu_count": 1}', sha256('print(1)'), 60, 120, ${waiting ? 0 : 1}, now() - make_interval(secs => n),
            ${waiting ? 'NULL, NULL, false' : 'now() - make_interval(secs => n), now() - make_interval(secs => n), true'}
       FROM generate_series(1, $1) AS n, projects p, environments e WHERE p.slug = 'bench' AND e.is_default`,
    [count],
  )
  await client.query('VACUUM ANALYZE jobs')
  await client.end()
}
