import { expect, it, vi } from 'vitest'
import { call, readPages } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import { competitionDetailSchema, competitionSchema } from '../contract'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { setupRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

async function get({ slug }: Pick<TestCompetition, 'slug'>, person?: Person) {
  const { body, status } = await call(setupRoutes.get, `/api/competitions/${slug}`, {
    ...(person && { cookie: person.cookie }),
    params: { id: slug },
  })
  expect(status).toBe(200)
  return competitionDetailSchema.parse(body)
}

it('participants see public and sample data, public columns and no project; hosts see everything', async () => {
  const [host, member] = [await makePerson(), await makePerson()]
  const competition = await makeCompetition({ hosts: [host] })
  await competition.join(member, { team: 'Owls' })
  await competition.join(await makePerson(), { team: 'Owls' })
  const names = ({ datasets }: { datasets: { name: string }[] }) => datasets.map(({ name }) => name)
  const seen = await get(competition, member)
  expect(names(seen)).toEqual(['sample', 'train'])
  expect(seen.columns.map(({ name }) => name)).toEqual(['acc'])
  expect(seen).toMatchObject({ project: null, missing: [], role: 'participant', teams: 1 })
  expect(seen.phases[0]).toMatchObject({ inputs: ['train', 'test'], outputs: ['pred.csv'], state: 'open' })
  expect(JSON.stringify(seen)).not.toContain('truth')
  const all = await get(competition, host)
  expect(names(all)).toEqual(['sample', 'test', 'train', 'truth'])
  expect(all.columns.map(({ name }) => name)).toEqual(['acc', 'priv'])
  expect(all).toMatchObject({ project: { id: competition.projectId, project_id: competition.slug } })
  expect(all.scorer_version).toBe(1)
})

it('participants see private columns once the board of a phase is revealed', async () => {
  const member = await makePerson()
  const competition = await makeCompetition()
  await db.pool.query('UPDATE competition_phases SET revealed_at = now() WHERE competition_id = $1', [
    competition.id,
  ])
  const seen = await get(competition, member)
  expect(seen.columns.map(({ name }) => name)).toEqual(['acc', 'priv'])
  expect(seen.phases[0]).toMatchObject({ revealed: true })
})

it('hosts see what a competition needs before it can be published', async () => {
  const host = await makePerson()
  const competition = await makeCompetition({ hosts: [host], published: false })
  await db.pool.query('DELETE FROM competition_scorers WHERE competition_id = $1', [competition.id])
  await db.pool.query("DELETE FROM competition_datasets WHERE competition_id = $1 AND name = 'truth'", [
    competition.id,
  ])
  expect((await get(competition, host)).missing).toEqual([
    'The dataset "truth" has no version: push its directory as the snapshot "truth".',
    'The scoring program has no version: push its directory as the snapshot "scorer".',
  ])
})

it('the list has what the caller may see, the latest first, in pages', async () => {
  const [member, other] = [await makePerson(), await makePerson()]
  const competitions: TestCompetition[] = []
  for (const visibility of ['public', 'signed_in', 'members', 'members'] as const)
    competitions.push(await makeCompetition({ config: { visibility } }))
  const [first, second, third, hidden] = competitions.map(({ slug }) => slug)
  await competitions[2]?.join(member)
  const slugs = async (path: string, cookie?: string) => {
    const pages = await readPages(setupRoutes.list, path, cookie === undefined ? {} : { cookie })
    const own = competitions.map(({ slug }) => slug)
    return competitionSchema
      .array()
      .parse(pages.flat())
      .map(({ competition_id }) => competition_id)
      .filter((slug) => own.includes(slug))
  }
  expect(await slugs('/api/competitions')).toEqual([first])
  expect(await slugs('/api/competitions?limit=1', other.cookie)).toEqual([second, first])
  expect(await slugs('/api/competitions', member.cookie)).toEqual([third, second, first])
  expect(await slugs('/api/competitions?joined=true', member.cookie)).toEqual([third])
  const admin = await makePerson('admin')
  expect(await slugs('/api/competitions', admin.cookie)).toEqual([hidden, third, second, first])
})
