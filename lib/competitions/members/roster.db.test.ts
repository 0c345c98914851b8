import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { callMembers } from './testing/call-members'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [host, ada, bob] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  host = await makePerson()
  ;[ada, bob] = [await makePerson(), await makePerson()]
})

const competitionOf = () => makeCompetition({ hosts: [host], config: { join: 'roster' } })
const send = ({ slug }: TestCompetition, body: object, query = '') =>
  callMembers('roster', host, slug, { body, query })
const stored = async ({ id }: TestCompetition) =>
  (
    await db.pool.query<{ email: string; section: string | null }>(
      'SELECT email, section FROM competition_roster WHERE competition_id = $1 ORDER BY email',
      [id],
    )
  ).rows
const sectionOf = async ({ slug }: TestCompetition, who: Person) =>
  ((await callMembers('members', host, slug)).body as { user_id: string; section: string | null }[]).find(
    ({ user_id }) => user_id === who.handle,
  )?.section

describe('the roster of a competition', () => {
  it('is replaced as a whole, and says what changes before and after', async () => {
    const competition = await competitionOf()
    const first = { csv: 'email,section\na@example.org,A\nb@example.org,A' }
    const counts = { added: 2, changed: 0, removed: 0, unchanged: 0, moved: 0, problems: [], hints: [] }
    expect((await send(competition, first, '?dry_run=true')).body).toEqual({ dry_run: true, ...counts })
    expect(await stored(competition)).toEqual([])
    expect((await send(competition, first)).body).toEqual({ dry_run: false, ...counts })
    expect((await send(competition, first)).body).toMatchObject({ added: 0, changed: 0, unchanged: 2 })
    const second = { csv: 'email,section\nB@example.org,B\nc@example.org,C' }
    expect((await send(competition, second)).body).toMatchObject({
      added: 1,
      changed: 1,
      removed: 1,
      unchanged: 0,
    })
    expect(await stored(competition)).toEqual([
      { email: 'b@example.org', section: 'B' },
      { email: 'c@example.org', section: 'C' },
    ])
  })

  it('moves members to their sections, and keeps those who are no longer on it', async () => {
    const competition = await competitionOf()
    await send(competition, { csv: `email,section\n${ada.email},A\n${bob.email},A` })
    for (const who of [ada, bob]) await callMembers('join', who, competition.slug)
    expect((await send(competition, { csv: `email,section\n${ada.email},B` })).body).toMatchObject({
      removed: 1,
      moved: 1,
    })
    expect([await sectionOf(competition, ada), await sectionOf(competition, bob)]).toEqual(['B', 'A'])
    const answer = await send(competition, { csv: `email\n${ada.email}` })
    expect(answer.body).toMatchObject({ moved: 0, hints: [expect.stringContaining('no column section')] })
    expect(await sectionOf(competition, ada)).toBe('B')
    expect(await callMembers('join', bob, competition.slug)).toMatchObject({ status: 200 })
  })

  it('with a wrong line stores nothing, and names at most a hundred of them', async () => {
    const competition = await competitionOf()
    await send(competition, { csv: 'email\na@example.org' })
    const wrong = { csv: `email\nb@example.org\n${'nobody\n'.repeat(150)}` }
    const refused = await send(competition, wrong)
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/^Line 3: .*150 lines are wrong\. Nothing was stored\.$/) },
    })
    expect((refused.body as { errors: unknown[] }).errors).toHaveLength(100)
    expect((refused.body as { errors: unknown[] }).errors[0]).toMatchObject({ path: 'csv', line: 3 })
    const tried = await send(competition, wrong, '?dry_run=true')
    expect(tried).toMatchObject({ status: 200, body: { added: 1, removed: 1 } })
    expect((tried.body as { problems: unknown[] }).problems).toHaveLength(100)
    expect(await stored(competition)).toEqual([{ email: 'a@example.org', section: null }])
  })

  it('is read from the bytes of a spreadsheet too, and only from one of both', async () => {
    const competition = await competitionOf()
    const file = Buffer.from('email;name\nb@example.org;José', 'latin1').toString('base64')
    expect((await send(competition, { file })).body).toMatchObject({
      added: 1,
      hints: [expect.stringContaining('Latin-1'), expect.any(String)],
    })
    for (const body of [{}, { file, csv: 'email' }, { file: 'no Base64!' }])
      expect(await send(competition, body)).toMatchObject({ status: 422 })
  })

  it('of a competition that everybody may join says that it restricts nobody', async () => {
    const open = await makeCompetition({ hosts: [host] })
    expect((await send(open, { csv: 'email,section\na@example.org,A' })).body).toMatchObject({
      hints: [expect.stringContaining('join: open')],
    })
  })

  it('of a hundred thousand people is stored, and two that arrive at once are stored one after the other', async () => {
    const competition = await competitionOf()
    const rows = (domain: string) =>
      Array.from({ length: 100_000 }, (_, n) => `user-${n}@${domain}.org,${n % 7}`).join('\n')
    expect((await send(competition, { csv: `email,section\n${rows('a')}` })).body).toMatchObject({
      added: 100_000,
    })
    const answers = await Promise.all(
      ['b', 'c'].map((domain) => send(competition, { csv: `email\nx@${domain}.org\ny@${domain}.org` })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const left = (await stored(competition)).map(({ email }) => email)
    expect([
      ['x@b.org', 'y@b.org'],
      ['x@c.org', 'y@c.org'],
    ]).toContainEqual(left)
  })
})
