import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makePerson, makeToken, type Person } from '@/lib/access/testing/people'
import { createLink } from '@/lib/artifacts/download-links'
import { makeJob } from '@/lib/cluster/testing/rows'
import { database } from '@/lib/database/client'
import { findVisibleJob } from '@/lib/jobs/read/job-visibility'
import { createJoinLink } from '@/lib/join-links/join-links'
import { createShareSchema } from '@/lib/shares/contract'
import { createShare } from '@/lib/shares/shares'
import { pushSnapshot } from '@/lib/snapshots/push-snapshot'
import { attachArchive, projectOf } from './attached-archive'

/** Projects whose members do not know each other, and what they share. */
export interface Neighbours {
  /** A member of both projects. */
  bob: { token: string }
  /** Project ids: `lab` has members whom its owner invited, `course` has a join link. Ada owns both. */
  projects: { lab: string; course: string }
  /**
   * Ended jobs of named runs. In each project, ada and then bob used `common`, which was one run until runs belonged to
   * users, and each has a run of their own, with an uploaded directory of its user. The snapshot `data` is pushed by ada.
   */
  runs: { project: 'lab' | 'course'; user: 'ada' | 'bob'; name: string; job: string }[]
  /** Addresses without the origin: a download of ada's job, and its page without a login. */
  links: { download: string; share: string; join: string }
}

/** Adds a second user, a project with a join link and one without, and named runs of both users in each. */
export async function addNeighbours(dataDir: string, ada: Person, completedJob: string): Promise<Neighbours> {
  const { pool } = database()
  const bob = await makePerson('researcher', 'bob')
  const people = { ada, bob }
  const runs: Neighbours['runs'] = []
  const projects = { lab: '', course: '' }
  for (const project of ['lab', 'course'] as const) {
    const uses = [
      ['ada', 'common'],
      ['bob', 'common'],
      ['ada', 'only-ada'],
      ['bob', 'only-bob'],
    ] as const
    for (const [user, name] of uses) {
      const job = await makeJob({
        userId: people[user].id,
        ownerId: ada.id,
        project,
        spec: { run_name: name },
      })
      await pool.query(
        `UPDATE jobs SET name = $2, status = 'cancelled', reason = 'cancelled_by_user', ended_at = now(),
                         cancelled_while_waiting = true WHERE id = $1`,
        [job, name],
      )
      runs.push({ project, user, name, job })
    }
    projects[project] = await projectOf(ada, project)
    await pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [
      projects[project],
      bob.id,
    ])
    const { rows } = await pool.query<{ name: string; directory: string }>(
      'SELECT name, directory FROM runs WHERE project_id = $1',
      [projects[project]],
    )
    for (const { name, directory } of rows) {
      const path = join(dataDir, 'checkpoints', projects[project], directory)
      await mkdir(path, { recursive: true })
      await writeFile(join(path, 'last.pt'), `weights of ${name} in ${project}\n`)
    }
    for (const { user, name, job } of runs.filter((run) => run.project === project && run.name !== 'common'))
      await attachArchive(projects[project], job, `secret of ${user}: ${name}\n`)
    const data = await attachArchive(projects[project], runs[0]?.job ?? '', 'data for everybody\n')
    await pushSnapshot(ada.actor, data.project, { name: 'data', archive: data.hash })
  }
  const request = { max_people: 100, expires_in_days: 30, new_accounts: false }
  const joined = await createJoinLink(ada.actor, projects.course, request, 'http://localhost:8001')
  const job = await findVisibleJob(ada.actor, completedJob)
  const download = await createLink(ada.actor, job, { file: 'result', expires_in: 3600 })
  const share = await createShare(
    ada.actor,
    job,
    createShareSchema.parse({ expires_in_days: 30, source: true }),
    'http://localhost:8001',
  )
  const path = (url: string) => url.replace(/^https?:\/\/[^/]+/, '')
  return {
    bob: { token: (await makeToken(bob, ['submit', 'read'], '100 years')).token },
    projects,
    runs,
    links: { download: path(download.url), share: path(share.url), join: path(joined.url) },
  }
}
