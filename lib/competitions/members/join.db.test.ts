import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { openPhase } from '../testing/competition-keys'
import { holdEntry } from '../testing/held-entries'
import { callMembers } from './testing/call-members'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [host, ada, bob] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  host = await makePerson()
  ;[ada, bob] = [await makePerson(), await makePerson()]
})

const competitionOf = (config: Parameters<typeof makeCompetition>[0] = {}) =>
  makeCompetition({ hosts: [host], ...config })
const join = (who: Person, { slug }: TestCompetition, body?: object) =>
  callMembers('join', who, slug, { body })
const leave = (who: Person, { slug }: TestCompetition) => callMembers('leave', who, slug)
const teamsOf = async ({ id }: TestCompetition) =>
  (
    await db.pool.query<{ name: string }>(
      'SELECT name FROM competition_teams WHERE competition_id = $1 ORDER BY name',
      [id],
    )
  ).rows.map(({ name }) => name)
const rosterOf = ({ id }: TestCompetition, email: string, section: string | null = null) =>
  db.pool.query('INSERT INTO competition_roster (competition_id, email, section) VALUES ($1, $2, $3)', [
    id,
    email,
    section,
  ])

describe('joining a competition', () => {
  it('an open competition: a user becomes a participant in a team of one, once', async () => {
    const open = await competitionOf()
    const first = await join(ada, open)
    expect(first).toMatchObject({
      status: 200,
      body: { user_id: ada.handle, role: 'participant', state: 'joined', team: ada.handle },
    })
    expect((await join(ada, open, { team: 'another name' })).body).toEqual(first.body)
    expect(await teamsOf(open)).toEqual([ada.handle])
  })

  it('ten requests of one user to join at once: one team is made', async () => {
    const open = await competitionOf()
    const answers = await Promise.all(Array.from({ length: 10 }, () => join(ada, open)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await teamsOf(open)).toEqual([ada.handle])
  })

  it('the staff stays what it is and has no team', async () => {
    const open = await competitionOf()
    expect(await join(host, open)).toMatchObject({ status: 200, body: { role: 'host', team: null } })
    expect(await teamsOf(open)).toEqual([])
  })

  it('a name of a team is unique in any letter case, and the refusal proposes a free one', async () => {
    const open = await competitionOf()
    await join(ada, open, { team: 'The Whales' })
    const refused = await join(bob, open, { team: 'the whales' })
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('"the whales-2"') },
    })
    expect(await join(bob, open, { team: 'the whales-2' })).toMatchObject({ status: 200 })
    expect(await teamsOf(open)).toEqual(['The Whales', 'the whales-2'])
  })

  it('a team that took the user id of somebody as its name does not keep this user out', async () => {
    const open = await competitionOf()
    await join(ada, open, { team: bob.handle })
    expect(await join(bob, open)).toMatchObject({ status: 200, body: { team: `${bob.handle}-2` } })
  })

  it('ten users who ask for one name at once: one gets it', async () => {
    const open = await competitionOf()
    const people = await Promise.all(Array.from({ length: 10 }, () => makePerson()))
    const answers = await Promise.all(people.map((who) => join(who, open, { team: 'wanted' })))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array(9).fill(409)])
    expect(await teamsOf(open)).toEqual(['wanted'])
  })

  it('terms must be accepted by name', async () => {
    const withTerms = await competitionOf({ config: { terms: 'Be fair.' } })
    expect(await join(ada, withTerms)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'accept_terms' }] },
    })
    expect(await join(ada, withTerms, { accept_terms: true })).toMatchObject({ status: 200 })
    const { rows } = await db.pool.query(
      'SELECT terms_accepted_at IS NOT NULL AS accepted FROM competition_members WHERE competition_id = $1 AND user_id = $2',
      [withTerms.id, ada.id],
    )
    expect(rows).toEqual([{ accepted: true }])
  })

  it('terms that came after somebody had joined are accepted by joining again', async () => {
    const open = await competitionOf()
    await join(ada, open)
    await db.pool.query("UPDATE competitions SET terms = 'Be fair.' WHERE id = $1", [open.id])
    const accepted = async () =>
      (
        await db.pool.query<{ at: Date | null }>(
          'SELECT terms_accepted_at AS at FROM competition_members WHERE competition_id = $1 AND user_id = $2',
          [open.id, ada.id],
        )
      ).rows[0]?.at
    expect(await join(ada, open)).toMatchObject({ status: 200 })
    expect(await accepted()).toBeNull()
    expect(await join(ada, open, { accept_terms: true })).toMatchObject({
      status: 200,
      body: { team: ada.handle },
    })
    const first = await accepted()
    expect(first).toBeInstanceOf(Date)
    await join(ada, open, { accept_terms: true })
    expect(await accepted()).toEqual(first)
  })

  it('a competition whose phases have all ended cannot be joined, and one with a later phase can', async () => {
    const past = openPhase({ key: 'past', start: '2020-01-01T00:00', end: '2020-02-01T00:00' })
    const over = await competitionOf({ config: { phases: [past] } })
    expect(await join(ada, over)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('ended') },
    })
    const later = openPhase({ key: 'later', start: '2100-01-01T00:00', end: '2100-02-01T00:00' })
    expect(await join(ada, await competitionOf({ config: { phases: [past, later] } }))).toMatchObject({
      status: 200,
    })
  })

  it('a competition that somebody does not see answers as one that does not exist', async () => {
    const hidden = await competitionOf({ published: false })
    const members = await competitionOf({ config: { visibility: 'members' } })
    for (const { slug } of [hidden, members]) {
      const answer = await callMembers('join', ada, slug, { body: 'no JSON' })
      const unknown = await callMembers('join', ada, 'no-such-competition', { body: 'no JSON' })
      expect(answer.status).toBe(404)
      expect(JSON.stringify(answer.body)).toBe(
        JSON.stringify(unknown.body).replaceAll('no-such-competition', slug),
      )
    }
  })

  it('a competition with approval: a request waits for the staff, keeps the wanted name, and repeats itself without effect', async () => {
    const asked = await competitionOf({ config: { join: 'approve' } })
    for (const _ of [1, 2])
      expect(await join(ada, asked, { team: 'Later' })).toMatchObject({
        status: 200,
        body: { state: 'requested', team: null },
      })
    expect(await callMembers('team', ada, asked.slug)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('approve') },
    })
    const approve = () =>
      callMembers('updateMember', host, asked.slug, { user: ada.handle, body: { state: 'joined' } })
    for (const _ of [1, 2])
      expect(await approve()).toMatchObject({ status: 200, body: { state: 'joined', team: 'Later' } })
    expect(await teamsOf(asked)).toEqual(['Later'])
  })

  it('a request is approved although another team has taken the wanted name', async () => {
    const asked = await competitionOf({ config: { join: 'approve' } })
    for (const who of [ada, bob]) await join(who, asked, { team: 'Both' })
    for (const [who, team] of [
      [ada, 'Both'],
      [bob, bob.handle],
    ] as const)
      expect(
        await callMembers('updateMember', host, asked.slug, { user: who.handle, body: { state: 'joined' } }),
      ).toMatchObject({ status: 200, body: { team } })
  })

  it('a roster admits the addresses that are on it in any letter case, with their section', async () => {
    const listed = await competitionOf({ config: { join: 'roster', visibility: 'members' } })
    const upper = await makePerson('researcher', `Upper-${ada.handle}`)
    await rosterOf(listed, upper.email.toLowerCase(), 'A')
    expect(await join(upper, listed)).toMatchObject({
      status: 200,
      body: { section: 'A', team: upper.handle },
    })
  })

  it('a roster refuses others without saying who is on it, and says whom to ask', async () => {
    const listed = await competitionOf({ config: { join: 'roster' } })
    await rosterOf(listed, ada.email)
    const refused = await join(bob, listed)
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining(host.handle) } })
    expect(JSON.stringify(refused.body)).not.toContain(ada.handle)
    const { rows } = await db.pool.query(
      'SELECT 1 FROM competition_members WHERE competition_id = $1 AND user_id = $2',
      [listed.id, bob.id],
    )
    expect(rows).toEqual([])
    await db.pool.query('UPDATE users SET email = NULL WHERE id = $1', [bob.id])
    expect(await join(bob, listed)).toMatchObject({
      body: { detail: expect.stringContaining('yours has none') },
    })
  })
})

describe('leaving a competition', () => {
  it('a participant who leaves takes the team of one along, and may come back', async () => {
    const open = await competitionOf()
    await join(ada, open)
    for (const _ of [1, 2]) expect(await leave(ada, open)).toMatchObject({ status: 204 })
    expect(await teamsOf(open)).toEqual([])
    expect(await join(ada, open)).toMatchObject({ status: 200, body: { team: ada.handle } })
  })

  it('a team with members or entries is never deleted', async () => {
    const open = await competitionOf()
    const teamId = await open.join(ada, { team: 'pair' })
    await open.join(bob, { team: 'pair' })
    expect(await leave(bob, open)).toMatchObject({ status: 204 })
    await holdEntry(open, { userId: ada.id, teamId })
    expect(await leave(ada, open)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('stay with it') },
    })
    expect(await teamsOf(open)).toEqual(['pair'])
  })

  it('a member who has sent nothing cannot leave a team with entries, because coming back would bring another quota', async () => {
    const open = await competitionOf()
    const teamId = await open.join(ada, { team: 'pair' })
    await open.join(bob, { team: 'pair' })
    await holdEntry(open, { userId: ada.id, teamId })
    expect(await leave(bob, open)).toMatchObject({ status: 409 })
    expect(await callMembers('leaveTeam', bob, open.slug)).toMatchObject({ status: 409 })
  })

  it('rehearsals bind nobody: they stay with the team, whose name is free again', async () => {
    const open = await competitionOf()
    await join(ada, open)
    const { rows } = await db.pool.query<{ id: string }>(
      'SELECT id FROM competition_teams WHERE competition_id = $1',
      [open.id],
    )
    await holdEntry(open, { userId: ada.id, teamId: rows[0]?.id ?? null, kind: 'rehearsal' })
    expect(await leave(ada, open)).toMatchObject({ status: 204 })
    expect(await join(ada, open)).toMatchObject({ body: { team: ada.handle } })
    expect(await teamsOf(open)).toEqual([ada.handle, expect.stringContaining('(dissolved ')])
  })

  it('somebody who asked to join takes the request back', async () => {
    const asked = await competitionOf({ config: { join: 'approve' } })
    await join(ada, asked)
    expect(await leave(ada, asked)).toMatchObject({ status: 204 })
    expect((await callMembers('members', host, asked.slug)).body).toHaveLength(1)
  })

  it('the last host cannot leave; one of two can, who loses the rights in the project', async () => {
    const second = await makePerson()
    const open = await competitionOf({ hosts: [host, second] })
    expect(await leave(host, open)).toMatchObject({ status: 204 })
    const { rows } = await db.pool.query('SELECT user_id FROM memberships WHERE project_id = $1', [
      open.projectId,
    ])
    expect(rows).toEqual([{ user_id: second.id }])
    expect(await leave(second, open)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('last host') },
    })
  })
})
