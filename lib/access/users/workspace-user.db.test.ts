import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makeJob } from '../../cluster/testing/rows'
import { parseConfig } from '../../contract/config/config'
import { queueSubmitSchema } from '../../contract/queue'
import { testDatabase } from '../../database/testing/test-database'
import { accept } from '../../jobs/submission/accept'
import { submitToQueue } from '../../queue/submit'
import { makePerson, type Person } from '../testing/people'
import { updateUser } from './update-user'
import { workspaceOfJob } from './workspace-user'

vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_WORKSPACES', 'ada/thesis=/data/thesis,*/default=/data/team')
})
const db = testDatabase()

let [ada, bob, admin] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  ;[ada, bob, admin] = [await makePerson('researcher', 'ada'), await makePerson(), await makePerson('admin')]
  await makeJob()
})

const unlimited = ({ actor }: Person) => ({
  ...actor,
  limits: { submissionsPerMinute: 100_000, maxActiveJobs: 100_000 },
})

const queue = (person: Person, project_id: string) =>
  submitToQueue(unlimited(person), queueSubmitSchema.parse({ command: 'true', project_id }), null)

async function upload(person: Person, project: string) {
  const parsed = parseConfig(`competition_id: c\nproject_id: ${project}\nexpected_time: 60\n`)
  if (!parsed.ok) throw new Error('The config is invalid.')
  const { config } = parsed
  const rest = { command: null, runId: null, bodyHash: Buffer.alloc(32), idempotencyKey: null }
  return accept(unlimited(person), { code: Buffer.from('print(1)'), config, ...rest })
}

const setUid = (uid: number | null) =>
  updateUser(admin.actor, 'ada', { unix_uid: uid, unix_gid: uid }, 'http://localhost')

async function accepted(jobId: string): Promise<string | null | undefined> {
  const { rows } = await db.pool.query<{ workspace: string | null }>(
    'SELECT workspace FROM jobs WHERE id = $1',
    [jobId],
  )
  return rows[0]?.workspace
}

it('a directory of all users accepts jobs of users without a uid', async () => {
  for (const person of [ada, bob]) {
    const { jobId } = await queue(person, 'default')
    expect(await accepted(jobId)).toBe('/data/team')
    expect(await workspaceOfJob(jobId)).toBe('/data/team')
  }
})

describe('a project with a shared directory', () => {
  it('refuses jobs of a user without a uid, and says who can set it', async () => {
    for (const send of [queue, upload, upload]) {
      await expect(send(ada, 'thesis')).rejects.toMatchObject({
        code: 'invalid_fields',
        message: expect.stringMatching(/\/data\/thesis, and ada has no uid .* An admin can set the uid/),
      })
    }
    const { rows } = await db.pool.query("SELECT 1 FROM projects WHERE slug = 'thesis'")
    expect(rows, 'the project of the refused job must not exist').toEqual([])
  })

  it('accepts jobs after an admin has set a uid, and refuses them after it is removed', async () => {
    expect(await setUid(1234)).toMatchObject({ unix_uid: 1234, unix_gid: 1234 })
    for (const send of [queue, upload, upload]) {
      const { jobId } = await send(ada, 'thesis')
      expect(await workspaceOfJob(jobId)).toBe('/data/thesis')
      expect(await accepted(jobId), 'workers without the directory must refuse the job').toBe('/data/thesis')
    }
    expect(await setUid(null)).toMatchObject({ unix_uid: null, unix_gid: null })
    for (const send of [queue, upload]) await expect(send(ada, 'thesis')).rejects.toThrow(/no uid/)
  })

  it('is the project of that owner, not another one of the same name', async () => {
    const { jobId } = await queue(bob, 'thesis')
    expect(await workspaceOfJob(jobId)).toBeNull()
    expect(await accepted(jobId)).toBeNull()
    expect(await workspaceOfJob((await queue(ada, 'other')).jobId)).toBeNull()
  })
})
