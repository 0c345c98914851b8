import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import { competitionRoles } from '../contract-roles'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { holdEntry } from '../testing/held-entries'
import { callMembers, type PeopleRoute } from './testing/call-members'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const callers = ['admin', ...competitionRoles, 'requested', 'stranger'] as const
type Caller = (typeof callers)[number]

let [people, other, host] = [] as unknown as [Record<Caller, Person>, Person, Person]
beforeAll(async () => {
  const made = await Promise.all(
    callers.map(
      async (caller) => [caller, await makePerson(caller === 'admin' ? 'admin' : 'researcher')] as const,
    ),
  )
  people = Object.fromEntries(made) as Record<Caller, Person>
  ;[other, host] = [await makePerson(), await makePerson()]
})

/** A competition with one member of each role, another host and another participant. */
async function makeMembers(config: object = {}): Promise<TestCompetition> {
  const competition = await makeCompetition({ hosts: [host], config })
  for (const role of competitionRoles) await competition.join(people[role], { role })
  await competition.join(people.requested, { state: 'requested' })
  await competition.join(other, { team: 'other' })
  return competition
}

const callOf: Partial<
  Record<string, { name: PeopleRoute; body?: object; query?: string; user?: () => Person }>
> = {
  'list the members': { name: 'members' },
  'change a section': { name: 'updateMember', body: { section: 'B' }, user: () => other },
  'grant grace days': { name: 'updateMember', body: { grace_days: 2 }, user: () => other },
  'approve a request': { name: 'updateMember', body: { state: 'joined' }, user: () => people.requested },
  'change a role': { name: 'updateMember', body: { role: 'ta' }, user: () => other },
  'remove a participant': { name: 'removeMember', user: () => other },
  'remove somebody of the staff': { name: 'removeMember', user: () => host },
  'replace the roster': { name: 'roster', body: { csv: 'email\nx@example.org' } },
  'try a roster': { name: 'roster', body: { csv: 'email\nx@example.org' }, query: '?dry_run=true' },
  'read the own team': { name: 'team' },
  'rename the own team': { name: 'updateTeam', body: { name: 'renamed' } },
  'leave the own team': { name: 'leaveTeam' },
  'list the own invitations': { name: 'invitations' },
}

const staff = ['admin', 'host', 'instructor', 'ta']
const teachers = ['admin', 'host', 'instructor']
const hosts = ['admin', 'host']
const everybody = callers
const inTeams = ['participant']

describe('the rights of each role', () => {
  it.each([
    ['list the members', staff, 403],
    ['change a section', teachers, 403],
    ['grant grace days', teachers, 403],
    ['approve a request', teachers, 403],
    ['change a role', hosts, 403],
    ['remove a participant', teachers, 403],
    ['remove somebody of the staff', hosts, 403],
    ['replace the roster', teachers, 403],
    ['try a roster', teachers, 403],
    ['read the own team', inTeams, 404],
    ['rename the own team', inTeams, 404],
    ['leave the own team', inTeams, 404],
    ['list the own invitations', everybody, 403],
  ] as const)('to %s, exactly these may: %s', async (what, allowed, refusal) => {
    const { name, user, ...given } = callOf[what] ?? { name: 'members' as const }
    for (const caller of callers) {
      const { slug } = await makeMembers()
      const answer = await callMembers(name, people[caller], slug, { ...given, user: user?.().handle ?? '' })
      const isAllowed = (allowed as readonly string[]).includes(caller)
      expect([caller, isAllowed ? answer.status < 300 : answer.status], JSON.stringify(answer.body)).toEqual([
        caller,
        isAllowed ? true : refusal,
      ])
    }
  })

  it.each(Object.keys(callOf))(
    'for somebody who does not see the competition, there is none to %s',
    async (what) => {
      const { slug } = await makeMembers({ visibility: 'members' })
      const { name, user, ...given } = callOf[what] ?? { name: 'members' as const }
      const answer = await callMembers(name, people.stranger, slug, { ...given, user: user?.().handle ?? '' })
      expect(answer).toMatchObject({
        status: 404,
        body: { detail: expect.stringContaining('no competition') },
      })
    },
  )
})

describe('the members of a competition', () => {
  const update = (who: Person, { slug }: TestCompetition, user: Person, body: object) =>
    callMembers('updateMember', who, slug, { user: user.handle, body })
  const remove = (who: Person, { slug }: TestCompetition, user: Person) =>
    callMembers('removeMember', who, slug, { user: user.handle })
  const managersOf = async ({ projectId }: TestCompetition) =>
    (
      await db.pool.query<{ user_id: string }>(
        "SELECT user_id FROM memberships WHERE project_id = $1 AND role = 'manager'",
        [projectId],
      )
    ).rows
      .map(({ user_id }) => user_id)
      .sort()

  it('are listed in pages by user id, and by state', async () => {
    const { slug } = await makeMembers()
    const first = await callMembers('members', host, slug, { query: '?limit=5' })
    const next = /cursor=([^&>]+)/.exec(first.headers.get('link') ?? '')?.[1]
    const second = await callMembers('members', host, slug, { query: `?limit=5&cursor=${next}` })
    const handles = [first, second].flatMap(({ body }) =>
      (body as { user_id: string }[]).map(({ user_id }) => user_id),
    )
    expect(handles).toHaveLength(8)
    expect(handles).toEqual(handles.toSorted())
    const waiting = await callMembers('members', host, slug, { query: '?state=requested' })
    expect(waiting.body).toMatchObject([{ user_id: people.requested.handle, team: null }])
  })

  it('a host who is made or unmade manages the project of the competition, or no longer does', async () => {
    const competition = await makeCompetition({ hosts: [host] })
    await competition.join(other)
    expect(await update(host, competition, other, { role: 'host' })).toMatchObject({
      status: 200,
      body: { role: 'host', team: null },
    })
    expect(await managersOf(competition)).toEqual([host.id, other.id].sort())
    expect(await update(other, competition, host, { role: 'ta' })).toMatchObject({ status: 200 })
    expect(await managersOf(competition)).toEqual([other.id])
    expect(await remove(other, competition, host)).toMatchObject({ status: 204 })
  })

  it('the last host is neither demoted nor removed, also not by an admin, and disabled hosts do not count', async () => {
    const competition = await makeCompetition({ hosts: [host, other] })
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [other.id])
    expect(await update(people.admin, competition, host, { role: 'ta' })).toMatchObject({ status: 409 })
    expect(await remove(people.admin, competition, host)).toMatchObject({ status: 409 })
    await db.pool.query('UPDATE users SET disabled_at = NULL WHERE id = $1', [other.id])
    expect(await managersOf(competition)).toContain(host.id)
  })

  it('two hosts who demote each other at once: one stays a host', async () => {
    for (let round = 0; round < 5; round += 1) {
      const competition = await makeCompetition({ hosts: [host, other] })
      const answers = await Promise.all([
        update(host, competition, other, { role: 'ta' }),
        update(other, competition, host, { role: 'ta' }),
      ])
      expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
      expect(await managersOf(competition)).toHaveLength(1)
    }
  })

  it('a role follows the approval: a request gets no role before', async () => {
    const competition = await makeMembers()
    expect(await update(host, competition, people.requested, { role: 'ta' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('state') },
    })
    expect(await update(host, competition, people.requested, { role: 'ta', state: 'joined' })).toMatchObject({
      body: { role: 'ta', state: 'joined', team: null },
    })
  })

  it('somebody of the staff who becomes a participant gets a team, and loses it again', async () => {
    const competition = await makeMembers()
    expect(await update(host, competition, people.ta, { role: 'participant' })).toMatchObject({
      body: { team: people.ta.handle },
    })
    expect(await update(host, competition, people.ta, { role: 'observer' })).toMatchObject({
      body: { team: null },
    })
    const { rows } = await db.pool.query(
      'SELECT 1 FROM competition_teams WHERE competition_id = $1 AND name = $2',
      [competition.id, people.ta.handle],
    )
    expect(rows).toEqual([])
  })

  it('a participant with entries keeps the role and the membership', async () => {
    const competition = await makeCompetition({ hosts: [host] })
    const teamId = await competition.join(other)
    await holdEntry(competition, { userId: other.id, teamId })
    expect(await remove(host, competition, other)).toMatchObject({ status: 409 })
    expect(await update(host, competition, other, { role: 'ta' })).toMatchObject({ status: 409 })
    expect(await update(host, competition, other, { section: 'C', grace_days: 3 })).toMatchObject({
      status: 200,
      body: { section: 'C', grace_days: 3, role: 'participant' },
    })
  })

  it('a member of a team with entries who has sent none can be removed by the staff, and the entries stay with the team', async () => {
    const competition = await makeCompetition({ hosts: [host] })
    const teamId = await competition.join(other, { team: 'pair' })
    await competition.join(people.participant, { team: 'pair' })
    await holdEntry(competition, { userId: other.id, teamId })
    expect(await remove(host, competition, people.participant)).toMatchObject({ status: 204 })
    expect((await callMembers('team', other, competition.slug)).body).toMatchObject({
      members: [other.handle],
    })
  })

  it('a user who is no member answers as one that does not exist', async () => {
    const competition = await makeMembers()
    const texts = await Promise.all(
      [people.stranger.handle, 'nobody'].map(async (user) => {
        const { status, body } = await callMembers('removeMember', host, competition.slug, { user })
        expect(status).toBe(404)
        return JSON.stringify(body).replaceAll(user, 'USER')
      }),
    )
    expect(texts[0]).toBe(texts[1])
  })
})
