import { beforeAll, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { upload } from '../../routes/testing/upload'
import type { peopleRoutes } from '../members/routes'
import { callMembers } from '../members/testing/call-members'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { openPhase } from '../testing/competition-keys'
import { holdEntry } from '../testing/held-entries'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[ada, bob] = [await makePerson(), await makePerson()]
  // The first job creates an environment.
  await makeJob()
})

const submit = (person: Person, { slug }: TestCompetition, config = '') =>
  upload(person, { competition: slug, config })
const done = async (name: keyof typeof peopleRoutes, person: Person, { slug }: TestCompetition, given = {}) =>
  expect((await callMembers(name, person, slug, given)).status).toBeLessThan(300)

it('whoever leaves a competition or a team has the rehearsals of before, and joining again gives no new ones', async () => {
  const competition = await makeCompetition({ config: { team_max: 2 } })
  await competition.join(ada)
  await competition.join(bob, { team: 'eagles' })
  for (const _ of [1, 2, 3]) expect((await submit(ada, competition, 'rehearse: true\n')).status).toBe(202)
  const refused = {
    status: 403,
    body: { detail: expect.stringContaining('3 rehearsals that have not ended') },
  }
  await done('leave', ada, competition)
  await done('join', ada, competition)
  expect(await submit(ada, competition, 'rehearse: true\n')).toMatchObject(refused)
  await done('updateTeam', bob, competition, { body: { invite: [ada.handle] } })
  const { body } = await callMembers('invitations', ada, competition.slug)
  const [{ id }] = body as unknown as [{ id: string }]
  await done('acceptInvitation', ada, competition, { invitation: id })
  expect(await submit(ada, competition, 'rehearse: true\n')).toMatchObject(refused)
  expect((await submit(bob, competition, 'rehearse: true\n')).status).toBe(202)
  const other = await makeCompetition()
  await other.join(ada)
  expect((await submit(ada, other, 'rehearse: true\n')).status).toBe(202)
})

it('entries that are withdrawn before they start, or fail by no fault of the team, are free but not without end', async () => {
  const competition = await makeCompetition({ config: { phases: [openPhase({ quota: { per_day: 2 } })] } })
  const teamId = await competition.join(ada)
  for (let n = 0; n < 100; n += 1) await holdEntry(competition, { userId: ada.id, teamId })
  await db.pool.query(
    `UPDATE entries SET state = CASE WHEN place <= 60 THEN 'cancelled' ELSE 'failed' END::"EntryState", ended_at = now(),
            cause = CASE WHEN place > 80 THEN 'own_error' WHEN place > 60 THEN 'system' END::"EntryCause"
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM entries WHERE competition_id = $1) p WHERE p.id = entries.id`,
    [competition.id],
  )
  expect(await submit(ada, competition)).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining('100 entries of your team were withdrawn or failed today') },
  })
  await db.pool.query(
    "UPDATE entries SET received_at = now() - interval '2 days' WHERE competition_id = $1",
    [competition.id],
  )
  expect(await submit(ada, competition)).toMatchObject({
    status: 202,
    body: { quota: { per_day: { left: 1 } } },
  })
})
