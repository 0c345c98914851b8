import { isForeignKeyViolation, type Transaction } from '../../database/transaction'

/** The folder of all jobs in the bucket of their project. */
export const bucketFolder = 'gpuq'

/** The columns of a new job, and of what is inserted with it, with their types in SQL. */
const required = {
  id: 'uuid',
  user_id: 'uuid',
  project_id: 'uuid',
  environment_id: 'uuid',
  competition_id: 'text',
  spec: 'jsonb',
  code: 'bytea',
  priority: 'int',
  max_retries: 'int',
  expected_time_s: 'float8',
  time_limit_s: 'int',
  content_hash: 'bytea',
  tags: 'jsonb',
  /** Whose idempotency key it has. */
  caller_id: 'uuid',
  body_hash: 'bytea',
} as const
const optional = {
  name: 'text',
  command: 'text',
  run_id: 'text',
  archive_id: 'uuid',
  token_id: 'uuid',
  group_id: 'uuid',
  named_run_id: 'uuid',
  workspace: 'text',
  note: 'text',
  /** The idempotency key. */
  key: 'text',
} as const
const columns = Object.entries({ ...required, ...optional }) as [keyof NewJob, string][]

interface Values {
  uuid: string
  text: string
  /** JSON text. */
  jsonb: string
  bytea: Buffer
  int: number
  float8: number
}

/** A job to insert. */
export type NewJob = { [Column in keyof typeof required]: Values[(typeof required)[Column]] } & {
  [Column in keyof typeof optional]: Values[(typeof optional)[Column]] | null | undefined
}

/**
 * Inserts waiting jobs with their programs, idempotency keys and uploads, by one statement. Nobody is notified: the caller wakes the
 * leader. Programs are inserted in the order of their hashes, so that two statements with the same ones do not wait for each other
 * in a circle.
 * @throws a violation of `jobs_program_hash_fkey` if the last other job with one of the programs lost its own meanwhile: see {@link withProgram}
 */
export async function submitJobs(tx: Transaction, jobs: readonly NewJob[]): Promise<void> {
  await tx.query({
    name: 'submit-jobs',
    text: `WITH given AS (
             SELECT *, CASE WHEN code <> '' THEN sha256(code) END AS program_hash FROM unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`)})
               AS j (${columns.map(([column]) => column)})
           ), program AS (
             INSERT INTO programs (hash, content)
             SELECT DISTINCT ON (program_hash) program_hash, code FROM given WHERE program_hash IS NOT NULL ORDER BY program_hash
             ON CONFLICT DO NOTHING
           ), job AS (
             INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, name, spec, program_hash, priority,
                               max_retries, expected_time_s, time_limit_s, command, run_id, content_hash, archive_id,
                               named_run_id, token_id, group_id, workspace, note, tags)
             SELECT id, user_id, project_id, environment_id, competition_id, name, spec, program_hash, priority, max_retries,
                    expected_time_s, time_limit_s, command, run_id, content_hash, archive_id, named_run_id, token_id, group_id, workspace,
                    note, ARRAY(SELECT jsonb_array_elements_text(tags))
               FROM given
           ), upload AS (
             INSERT INTO job_uploads (job_id, bucket_id, url)
             SELECT g.id, b.id, 's3://' || b.bucket || '/${bucketFolder}/' || g.id
               FROM given g JOIN projects p ON p.id = g.project_id JOIN buckets b ON b.id = p.bucket_id
           )
           INSERT INTO idempotency_keys (user_id, key, body_hash, job_id)
           SELECT caller_id, key, body_hash, id FROM given WHERE key IS NOT NULL`,
    values: columns.map(([column]) => jobs.map((job) => job[column])),
  })
}

/**
 * Repeats a transaction that inserts jobs if one of their programs was stored, and was deleted before its job referred to it: the only
 * other job with the program lost its own. The next attempt stores it again.
 */
export async function withProgram<T>(submit: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await submit()
    } catch (error) {
      if (!isForeignKeyViolation(error, 'jobs_program_hash_fkey')) throw error
    }
  }
}
