import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { embeddedUrl } from '@/lib/database/embedded'

/** Creates a database from the run's migrated template, and returns its address. */
export async function cloneDatabase(): Promise<string> {
  const postgresDirectory = inject('postgresDirectory')
  const name = `lab_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: embeddedUrl(postgresDirectory, 'postgres') })
  await admin.connect()
  try {
    await admin.query(`CREATE DATABASE ${name} TEMPLATE template_gpuq`)
  } finally {
    await admin.end()
  }
  return embeddedUrl(postgresDirectory, name)
}

/** Records every change of a job's status from now on: a final status that another one replaced is not visible afterwards. */
export async function recordStatusHistory(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  await pool.query(`
    CREATE TABLE IF NOT EXISTS status_history (n bigserial, job_id uuid, attempt int, before text, after text);
    CREATE OR REPLACE FUNCTION note_status() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO status_history (job_id, attempt, before, after) VALUES (NEW.id, NEW.attempt, OLD.status, NEW.status);
        RETURN NULL;
      END $$;
    CREATE OR REPLACE TRIGGER note_status AFTER UPDATE ON jobs FOR EACH ROW
      WHEN (OLD.status <> NEW.status OR OLD.ended_at IS DISTINCT FROM NEW.ended_at) EXECUTE FUNCTION note_status();`)
}
