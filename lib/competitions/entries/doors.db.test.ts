import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import type { ApiRoute } from '../../http/route'
import { routes } from '../../routes/routes'
import { upload } from '../../routes/testing/upload'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { startEntry } from '../testing/entries'
import { holdEntry } from '../testing/held-entries'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [host, ta, ada, eve] = [] as unknown as [Person, Person, Person, Person]
let competition: TestCompetition
let [entry, job] = ['', '']
beforeAll(async () => {
  ;[host, ta, ada, eve] = [await makePerson(), await makePerson(), await makePerson(), await makePerson()]
  // The first job creates an environment.
  await makeJob()
  competition = await makeCompetition({ hosts: [host] })
  await competition.join(ta, { role: 'ta' })
  await competition.join(eve)
  const teamId = await competition.join(ada)
  entry = await holdEntry(competition, { userId: ada.id, teamId })
  job = await startEntry(competition, entry)
})

/** Each operation on one job, whatever feature it belongs to. */
const jobRoutes = Object.entries(routes as unknown as Record<string, Record<string, ApiRoute>>)
  .flatMap(([group, all]) =>
    Object.entries(all).map(([name, route]) => ({ name: `${group}.${name}`, route })),
  )
  .filter(({ route }) =>
    /^\/api\/(?:jobs|queue|status|result|cancel)\/\{[a-z_]+\}/.test(route.operation.path),
  )

async function ask({ cookie }: Person, route: ApiRoute, id: string): Promise<number> {
  const { path, method } = route.operation
  const names = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name)
  // The queries that some operations need.
  const { status } = await call(route, `/x?since=${id}&names=loss`, {
    cookie,
    method: method.toUpperCase(),
    params: Object.fromEntries(names.map((name) => [name, id])),
    ...(method === 'get' ? {} : { body: {} }),
  })
  return status
}

describe('the job of an entry', () => {
  it('does not exist for its team, other teams and a TA, whatever operation they try, and neither does the entry for other teams', async () => {
    expect(jobRoutes.length).toBeGreaterThan(20)
    const open: string[] = []
    for (const { name, route } of jobRoutes)
      for (const [who, person] of Object.entries({ ada, eve, ta }))
        for (const [what, id] of Object.entries(person === eve ? { job, entry } : { job })) {
          const status = await ask(person, route, id)
          if (status !== 404) open.push(`${name} of ${what} for ${who}: ${status}`)
        }
    expect(open).toEqual([])
  })

  it('is in lists of the queue without a name, and in no list of jobs', async () => {
    const { body } = await call(routes.queue.list, '/api/queue', { cookie: ada.cookie })
    const text = JSON.stringify(body)
    for (const word of [job, entry, competition.slug]) expect(text, word).not.toContain(word)
    expect(text).toContain('"job_id":null')
    expect((await call(routes.jobs.list, '/api/jobs', { cookie: ada.cookie })).body).toEqual([])
    const { body: cluster } = await call(routes.cluster.get, '/api/cluster', { cookie: ada.cookie })
    for (const word of [job, entry, competition.slug])
      expect(JSON.stringify(cluster), word).not.toContain(word)
  })
})

it('no job of a participant reads data of a competition, by name, by hash, or after a job of it', async () => {
  const { rows } = await db.pool.query<{ hash: string }>(
    "SELECT encode(a.hash, 'hex') AS hash FROM snapshots s JOIN archives a ON a.id = s.archive_id WHERE s.id = $1",
    [competition.snapshots.truth?.id],
  )
  for (const config of [
    'mounts: {/data/truth: truth@1}\n',
    `archive: ${rows[0]?.hash}\n`,
    'archive: truth@1\n',
    `depends_on: [${job}]\n`,
    `depends_on: [${entry}]\n`,
  ]) {
    const answer = await upload(ada, { config })
    expect(answer.status, `${config} ${JSON.stringify(answer.body)}`).toBe(422)
    expect(JSON.stringify(answer.body)).not.toContain(competition.slug)
    const asEntry = await upload(ada, { config, competition: competition.slug })
    expect(asEntry, config).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('the phase of the competition decides') },
    })
  }
})
