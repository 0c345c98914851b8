import type { Actor } from '@/lib/access/actor'
import { cancelJob } from '@/lib/jobs/lifecycle/cancel'
import type { Lab } from './lab'

type ActingLab = Pick<Lab, 'database' | 'inDatabase'>

/** Cancels a job as its owner does, or an admin, by the same function that the web calls. */
export async function cancel(lab: ActingLab, jobId: string, by: 'owner' | 'admin' = 'owner'): Promise<void> {
  const actor = await actorOf(lab, jobId, by)
  await lab.inDatabase(() => cancelJob(actor, jobId))
}

/** The owner of a job, or an admin, with all rights of a session. */
export async function actorOf(
  lab: Pick<ActingLab, 'database'>,
  jobId: string,
  by: 'owner' | 'admin' = 'owner',
): Promise<Actor> {
  const { rows } = await lab.database.pool.query<{ userId: string; handle: string }>(
    `SELECT u.id AS "userId", u.handle FROM users u JOIN jobs j ON j.user_id = u.id WHERE j.id = $1`,
    [jobId],
  )
  const [owner] = rows
  if (!owner) throw new Error(`no job ${jobId}`)
  return by === 'owner' ? inSession(owner) : { ...inSession(await makeAdmin(lab)), role: 'admin' }
}

/** A user with all rights of a session. */
export function inSession(user: Pick<Actor, 'userId' | 'handle'>): Actor {
  const rights = { scopes: [], via: 'session', tokenId: null, sessionId: null, restriction: null } as const
  const limits = { submissionsPerMinute: null, maxActiveJobs: null }
  return { ...user, ...rights, role: 'researcher', limits }
}

async function makeAdmin(lab: Pick<ActingLab, 'database'>): Promise<{ userId: string; handle: string }> {
  const { rows } = await lab.database.pool.query<{ userId: string; handle: string }>(
    `INSERT INTO users (id, handle, role) VALUES (gen_random_uuid(), 'admin', 'admin')
     ON CONFLICT (handle) DO UPDATE SET role = 'admin' RETURNING id AS "userId", handle`,
  )
  const [admin] = rows
  if (!admin) throw new Error('no admin')
  return admin
}
