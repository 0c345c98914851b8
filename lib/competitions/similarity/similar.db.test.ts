import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import type { Similar } from '../contract-similarity'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { holdEntry } from '../testing/held-entries'
import { similarityRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [host, ta, ada, bob, eve] = [] as unknown as [Person, Person, Person, Person, Person]
beforeAll(async () => {
  ;[host, ta] = [await makePerson(), await makePerson()]
  ;[ada, bob, eve] = [await makePerson(), await makePerson(), await makePerson()]
})

/** A program that has little in common with that of another operator. */
const program = (sign: string, name = 'value') =>
  Array.from(
    { length: 60 },
    (_, n) => `${name} = ${name}${` ${sign} ${name}[${n}]`.repeat((n % 5) + 1)}${' .x'.repeat(n % 7)}`,
  ).join('\n')

const similar = async (who: Person, { slug }: TestCompetition, query = '', phase = 'main') =>
  call(similarityRoutes.similar, `/api/competitions/${slug}/phases/${phase}/similar${query}`, {
    cookie: who.cookie,
    params: { id: slug, phase },
  })

async function competitionOf(): Promise<{ competition: TestCompetition; teams: Map<Person, string> }> {
  const competition = await makeCompetition({ hosts: [host] })
  await competition.join(ta, { role: 'ta' })
  const teams = new Map<Person, string>()
  for (const who of [ada, bob, eve]) teams.set(who, (await competition.join(who)) ?? '')
  return { competition, teams }
}

describe('similar programs of a phase', () => {
  it('the last program of each team is compared with those of the other teams', async () => {
    const { competition, teams } = await competitionOf()
    const send = (who: Person, code: string, day: number) =>
      holdEntry(competition, {
        userId: who.id,
        teamId: teams.get(who) ?? null,
        code,
        receivedAt: new Date(Date.UTC(2026, 0, day)),
      })
    await send(ada, program('*'), 1)
    const first = await send(ada, program('+'), 2)
    const second = await send(bob, program('+', 'renamed'), 3)
    await send(eve, program('*'), 4)
    const { status, body } = await similar(ta, competition)
    expect(status).toBe(200)
    expect(body).toMatchObject({ phase: 'main', programs: 3, left_out: 0, templates: 0 })
    const { pairs } = body as Similar
    expect(pairs).toMatchObject([
      {
        share: 1,
        a: { entry_id: first, team: ada.handle, lines: 60 },
        b: { entry_id: second, team: bob.handle, lines: 60 },
        matches: [{ a: [1, 60], b: [1, 60] }],
      },
    ])
  })

  it('a baseline of the staff is a template, and a rehearsal is not compared', async () => {
    const { competition, teams } = await competitionOf()
    for (const who of [ada, bob])
      await holdEntry(competition, { userId: who.id, teamId: teams.get(who) ?? null, code: program('+') })
    await holdEntry(competition, {
      userId: eve.id,
      teamId: teams.get(eve) ?? null,
      code: program('+'),
      kind: 'rehearsal',
    })
    expect((await similar(host, competition)).body).toMatchObject({ programs: 2, pairs: [{ share: 1 }] })
    await holdEntry(competition, { userId: host.id, teamId: null, code: program('+') })
    expect((await similar(host, competition)).body).toMatchObject({ programs: 2, templates: 1, pairs: [] })
  })

  it('a program that is too large or was deleted is left out, and the answer says so', async () => {
    const { competition, teams } = await competitionOf()
    await holdEntry(competition, {
      userId: ada.id,
      teamId: teams.get(ada) ?? null,
      code: 'x = 1\n'.repeat(50_000),
    })
    const ended = await holdEntry(competition, { userId: bob.id, teamId: teams.get(bob) ?? null })
    await db.pool.query("UPDATE entries SET code = '', state = 'cancelled', ended_at = now() WHERE id = $1", [
      ended,
    ])
    expect((await similar(host, competition)).body).toMatchObject({ programs: 0, left_out: 2, pairs: [] })
  })

  it('only the staff may look, and an unknown phase or query is refused', async () => {
    const { competition } = await competitionOf()
    expect(await similar(ada, competition)).toMatchObject({ status: 403 })
    expect(await similar(await makePerson(), competition)).toMatchObject({ status: 403 })
    expect(await similar(host, competition, '', 'other')).toMatchObject({ status: 404 })
    for (const query of ['?min_share=0', '?limit=0', '?limit=501', '?min_share=x'])
      expect(await similar(host, competition, query)).toMatchObject({ status: 422 })
  })
})
