import type { Actor } from '@/lib/access/actor'
import { connect, type Database, setDatabase } from '@/lib/database/client'
import { listJobs } from '@/lib/jobs/read/list'
import type { System } from '../system/start-system'
import { type Figures, figuresOf } from './measure'

const storedJobs = 1_000_000

/** Each is measured for the jobs of all users and for those of the user with the most jobs. */
const searches = [
  ...[
    '',
    'status:failed',
    'status:failed,cancelled',
    'tag:baseline',
    'tag:tag17',
    'tag:baseline,best',
    'is:starred',
  ],
  ...[
    'competition:cifar10',
    'competition:atari',
    'environment:jax',
    'project:project1-user7',
    'metric.loss<0.2',
  ],
  ...[
    'metric.loss<0.0005',
    'metric.loss>4.99',
    'metric.accuracy>0.999',
    'metric.none>1',
    'run_time>1h',
    'run_time>16h',
  ],
  ...[
    'wait>10m',
    'wait>119m',
    'gpu_hours>111',
    'gpu_hours>10',
    'age<1d',
    'age>300d',
    'resnet50',
    'run 77',
    'warmup',
  ],
  ...[
    'resnet50 seed',
    'zzz',
    'bert fold 999',
    '7',
    'a',
    'status:failed tag:baseline',
    'competition:atari tag:best bert',
  ],
  ...['status:failed tag:baseline resnet50', 'status:failed tag:baseline metric.loss<0.2 resnet50'],
  ...[
    'status:cancelled metric.loss<0.2',
    'tag:camera-ready metric.accuracy>0.99',
    'is:starred status:failed tag:paper',
  ],
  ...[
    'tag:camera-ready status:failed run_time>10h',
    'warmup status:cancelled tag:debug',
    'resnet50 lr 77 tag:best',
  ],
  ...[
    'status:failed metric.loss<0.2 metric.accuracy>0.9 wait>1h gpu_hours>20',
    'environment:torch metric.loss<0.01 vit',
  ],
  ...[
    'run_time>10h wait>100m',
    'metric.loss<0.2 metric.accuracy>0.9',
    'metric.loss<0.001 metric.accuracy>0.999',
  ],
  ...['status:failed run 77 metric.loss<0.1', 'tag:final metric.loss<0.2 zzz', 'age>200d tag:debug warmup'],
]

/** Each is measured in each of the orders. */
const sortedSearches = [
  ...[
    '',
    'tag:baseline',
    'status:failed',
    'resnet50',
    'status:failed tag:camera-ready resnet50',
    'competition:atari',
  ],
  ...['project:project1-user7', 'run_time>16h', 'is:starred'],
]
const orders = ['active', '-run_time', 'metric.loss', '-gpu_hours', '-wait', 'submitted']

/** Fifty users with 1,000,000 ended jobs in a year. The words, tags and numbers are random, the frequent ones more frequent. */
const fill = `
  INSERT INTO environments (id, name, image) SELECT gen_random_uuid(), name, 'image' FROM unnest(ARRAY['jax', 'torch']) name ON CONFLICT DO NOTHING;
  INSERT INTO users (id, handle) SELECT gen_random_uuid(), 'user' || n FROM generate_series(1, 50) n;
  INSERT INTO projects (id, slug, owner_id) SELECT gen_random_uuid(), 'project' || n || '-' || handle, id FROM users, generate_series(1, 2) n;
  CREATE TEMP TABLE p AS SELECT id, owner_id, row_number() OVER (ORDER BY slug) - 1 AS k FROM projects;
  CREATE TEMP TABLE e AS SELECT id, row_number() OVER (ORDER BY name) - 1 AS k FROM environments;
  SELECT setseed(0.42);
  CREATE TEMP TABLE r AS SELECT n, random() a, random() b, random() c, random() d, random() f, random() g, random() h, random() i, random() j, random() m, random() l
    FROM generate_series(1, ${storedJobs}) n;
  ANALYZE p, e, r;
  INSERT INTO programs (hash, content) VALUES (sha256('print(1)'), 'print(1)');
  INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, name, note, starred, tags, status, reason, exit_code, spec, program_hash,
                    expected_time_s, time_limit_s, attempt, created_at, started_at, ended_at, result_stored, final_metrics)
  SELECT gen_random_uuid(), p.owner_id, p.id, e.id,
    (ARRAY['cifar10', 'imagenet', 'squad', 'librispeech', 'wmt14', 'coco', 'mnist', 'kitti', 'glue', 'atari'])[1 + floor(c ^ 2 * 10)::int],
    CASE WHEN d < 0.9 THEN (ARRAY['resnet50', 'vit', 'unet', 'bert', 'gpt', 'baseline', 'ablation', 'sweep', 'finetune', 'mixer'])[1 + floor(b * 10)::int]
      || ' ' || (ARRAY['lr', 'wd', 'seed', 'run', 'fold'])[1 + floor(f * 5)::int] || ' ' || n % 1000 END,
    CASE WHEN g < 0.05 THEN 'diverged after epoch ' || n % 90 || ', try warmup' END, h < 0.01,
    CASE WHEN i < 0.4 THEN ARRAY[(ARRAY['baseline', 'best', 'v2', 'paper', 'debug', 'night', 'final', 'camera-ready'])[1 + floor(m ^ 3 * 8)::int]]
      || CASE WHEN j < 0.3 THEN ARRAY['tag' || floor(b * 200)::int] ELSE '{}' END ELSE '{}' END,
    s.status::"JobStatus", CASE s.status WHEN 'completed' THEN 'finished' WHEN 'failed' THEN 'exit_code' ELSE 'cancelled_by_user' END,
    CASE s.status WHEN 'completed' THEN 0 WHEN 'failed' THEN 1 END, jsonb_build_object('gpu_count', 1 + floor(f ^ 4 * 8)::int), sha256('print(1)'), 600, 1200, 1,
    now() - n * interval '30 seconds', now() - (n * 30 - h ^ 3 * 7200) * interval '1 second', now() - (n * 30 - h ^ 3 * 7200 - exp(j * 11)) * interval '1 second',
    true, CASE WHEN g < 0.6 THEN jsonb_build_object('loss', round((b ^ 2 * 5)::numeric, 4), 'accuracy', round(m::numeric, 4)) ELSE '{}' END
  FROM r JOIN p ON p.k = floor(a ^ 2 * 100)::int JOIN e ON e.k = floor(d ^ 2 * (SELECT count(*) FROM e))::int
    CROSS JOIN LATERAL (SELECT CASE WHEN l < 0.87 THEN 'completed' WHEN l < 0.96 THEN 'failed' ELSE 'cancelled' END AS status) s;
  VACUUM ANALYZE jobs;
  VACUUM ANALYZE job_metrics;
`

export interface MeasuredSearch {
  /** "all" or "own", the search, and its order. */
  name: string
  figures: Figures
}

/** Measures searches of the job list with 1,000,000 jobs in PostgreSQL, without HTTP. The slowest comes first. */
export async function benchJobSearch(system: System, rounds: number): Promise<MeasuredSearch[]> {
  const database = connect(system.databaseUrl, 2)
  setDatabase(database)
  try {
    await storeJobs(database)
    const actors = await readActors(database)
    const measured: MeasuredSearch[] = []
    for (const [whose, actor] of Object.entries(actors)) {
      const measure = async (q: string, sort?: string) => {
        const took = () => timeOf(actor, { q, sort, all: whose === 'all', limit: 50 })
        await took()
        const samples: number[] = []
        while (samples.length < rounds) samples.push(await took())
        measured.push({ name: [whose, q, sort].filter(Boolean).join(' | '), figures: figuresOf(samples) })
      }
      for (const q of searches) await measure(q)
      for (const q of sortedSearches) for (const sort of orders) await measure(q, sort)
    }
    return measured.sort((a, b) => b.figures.p95 - a.figures.p95)
  } finally {
    await database.pool.end()
  }
}

async function storeJobs({ pool }: Database): Promise<void> {
  // On one connection, because of the temporary tables.
  const client = await pool.connect()
  try {
    for (const statement of fill.split(';\n')) await client.query(statement)
  } finally {
    client.release()
  }
}

async function timeOf(actor: Actor, filters: Parameters<typeof listJobs>[1]): Promise<number> {
  const began = performance.now()
  await listJobs(actor, filters)
  return performance.now() - began
}

async function readActors({ pool }: Database): Promise<Record<'all' | 'own', Actor>> {
  const { rows } = await pool.query<Pick<Actor, 'userId' | 'handle'>>(
    `SELECT id AS "userId", handle FROM users
      ORDER BY (SELECT count(*) FROM jobs WHERE user_id = users.id) DESC LIMIT 1`,
  )
  const [user] = rows
  if (!user) throw new Error('there is no user')
  const none = { tokenId: null, sessionId: null, restriction: null }
  const session = { ...user, ...none, scopes: [], via: 'session' } as const
  const limits = { submissionsPerMinute: null, maxActiveJobs: null }
  return { all: { ...session, limits, role: 'admin' }, own: { ...session, limits, role: 'researcher' } }
}
