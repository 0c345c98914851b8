import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import type { Team, TeamInvitation } from '../contract'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { holdEntry } from '../testing/held-entries'
import { callMembers } from './testing/call-members'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [host, ada, bob, eve] = [] as unknown as [Person, Person, Person, Person]
beforeAll(async () => {
  host = await makePerson()
  ;[ada, bob, eve] = [await makePerson(), await makePerson(), await makePerson()]
})

/** A competition in which these people have joined, each alone. */
async function competitionOf(team_max: number, participants: readonly Person[]): Promise<TestCompetition> {
  const competition = await makeCompetition({ hosts: [host], config: { team_max } })
  for (const person of participants) await competition.join(person)
  return competition
}

const updateTeam = (who: Person, { slug }: TestCompetition, body: object) =>
  callMembers('updateTeam', who, slug, { body })
const teamOf = async (who: Person, { slug }: TestCompetition) =>
  (await callMembers('team', who, slug)).body as Team
const invitationsOf = async (who: Person, { slug }: TestCompetition) =>
  (await callMembers('invitations', who, slug)).body as TeamInvitation[]
const accept = (who: Person, { slug }: TestCompetition, invitation: string) =>
  callMembers('acceptInvitation', who, slug, { invitation })
const decline = (who: Person, { slug }: TestCompetition, invitation: string) =>
  callMembers('declineInvitation', who, slug, { invitation })

/** Invites somebody and returns the id of the invitation. */
async function invite(from: Person, competition: TestCompetition, to: Person): Promise<string> {
  expect(await updateTeam(from, competition, { invite: [to.handle] })).toMatchObject({ status: 200 })
  const all = await invitationsOf(to, competition)
  return all.find(({ members }) => members.includes(from.handle))?.id ?? ''
}

describe('a team', () => {
  it('is renamed by a member, which changes the boards', async () => {
    const competition = await competitionOf(3, [ada, bob])
    const versions = async () =>
      (await db.pool.query('SELECT board_version FROM competitions WHERE id = $1', [competition.id])).rows[0]
    const before = await versions()
    expect(await updateTeam(ada, competition, { name: 'Whales' })).toMatchObject({
      status: 200,
      body: { name: 'Whales', members: [ada.handle], invited: [] },
    })
    expect(await versions()).not.toEqual(before)
    expect(await updateTeam(bob, competition, { name: 'WHALES' })).toMatchObject({ status: 409 })
    expect(await updateTeam(ada, competition, { name: 'WHALES' })).toMatchObject({ status: 200 })
  })

  it('has at most as many people as it may, together with those who are invited', async () => {
    const competition = await competitionOf(3, [ada])
    expect(await updateTeam(ada, competition, { invite: ['a1', 'a2', 'a3'] })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('at most 3 people') },
    })
    expect(await updateTeam(ada, competition, { invite: ['a1', 'A1', 'a2', ada.handle] })).toMatchObject({
      body: { invited: ['A1', 'a2'] },
    })
    expect(await updateTeam(ada, competition, { invite: ['a3'] })).toMatchObject({ status: 409 })
    expect(await updateTeam(ada, competition, { invite: ['a3'], withdraw: ['A1'] })).toMatchObject({
      body: { invited: ['a2', 'a3'] },
    })
  })

  it('of a competition for single people invites nobody', async () => {
    const competition = await competitionOf(1, [ada])
    expect(await updateTeam(ada, competition, { invite: [bob.handle] })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('alone') },
    })
  })

  it('a member who leaves before the first entry takes part alone', async () => {
    const competition = await competitionOf(3, [ada, bob])
    await accept(bob, competition, await invite(ada, competition, bob))
    expect(await callMembers('leaveTeam', bob, competition.slug)).toMatchObject({
      status: 200,
      body: { name: bob.handle, members: [bob.handle] },
    })
    expect(await teamOf(ada, competition)).toMatchObject({ members: [ada.handle] })
    const alone = await teamOf(ada, competition)
    expect((await callMembers('leaveTeam', ada, competition.slug)).body).toEqual(alone)
  })
})

describe('an invitation to a team', () => {
  it('is answered alike whether or not the user exists, has joined, or has declined', async () => {
    const competition = await competitionOf(5, [ada, bob])
    const { body } = await updateTeam(ada, competition, { invite: [bob.handle, eve.handle, 'nobody-at-all'] })
    const invited = [bob.handle, eve.handle, 'nobody-at-all'].toSorted()
    expect(body).toMatchObject({ invited })
    const [own] = await invitationsOf(bob, competition)
    expect(await decline(bob, competition, own?.id ?? '')).toMatchObject({ status: 204 })
    expect(await teamOf(ada, competition)).toMatchObject({ invited })
    expect(await invitationsOf(bob, competition)).toEqual([])
    expect(await accept(bob, competition, own?.id ?? '')).toMatchObject({ status: 404 })
  })

  it('is for its user only, in its competition only, until it expires or is withdrawn', async () => {
    const competition = await competitionOf(5, [ada, bob, eve])
    const elsewhere = await competitionOf(5, [bob])
    const id = await invite(ada, competition, bob)
    for (const answer of [accept, decline]) {
      expect(await answer(eve, competition, id)).toMatchObject({ status: 404 })
      expect(await answer(bob, elsewhere, id)).toMatchObject({ status: 404 })
      expect(await answer(bob, competition, 'no-id')).toMatchObject({ status: 404 })
    }
    await db.pool.query(
      "UPDATE team_invitations SET expires_at = now() - interval '1 second' WHERE id = $1",
      [id],
    )
    expect(await accept(bob, competition, id)).toMatchObject({ status: 404 })
    expect(await teamOf(ada, competition)).toMatchObject({ invited: [] })
    const again = await invite(ada, competition, bob)
    await updateTeam(ada, competition, { withdraw: [bob.handle.toUpperCase()] })
    expect(await accept(bob, competition, again)).toMatchObject({ status: 404 })
  })

  it('lasts two weeks', async () => {
    const competition = await competitionOf(5, [ada, bob])
    const id = await invite(ada, competition, bob)
    const { rows } = await db.pool.query(
      "SELECT date_trunc('second', expires_at - created_at) = interval '14 days' AS two_weeks FROM team_invitations WHERE id = $1",
      [id],
    )
    expect(rows).toEqual([{ two_weeks: true }])
  })

  it('an accepted invitation makes a member and ends the team of one', async () => {
    const competition = await competitionOf(3, [ada, bob])
    const answer = await accept(bob, competition, await invite(ada, competition, bob))
    expect(answer).toMatchObject({
      status: 200,
      body: { name: ada.handle, members: [ada.handle, bob.handle].toSorted(), invited: [] },
    })
    const { rows } = await db.pool.query('SELECT name FROM competition_teams WHERE competition_id = $1', [
      competition.id,
    ])
    expect(rows).toEqual([{ name: ada.handle }])
  })

  it('somebody whose team has sent entries cannot change teams, and a team with entries can take others in', async () => {
    const competition = await competitionOf(3, [ada])
    const teamId = await competition.join(bob)
    const id = await invite(ada, competition, bob)
    await holdEntry(competition, { userId: bob.id, teamId })
    expect(await accept(bob, competition, id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('stay with it') },
    })
    expect(await accept(ada, competition, await invite(bob, competition, ada))).toMatchObject({ status: 200 })
    expect(await teamOf(bob, competition)).toMatchObject({ members: [ada.handle, bob.handle].toSorted() })
  })

  it('somebody who has not joined, waits for approval or is of the staff is told what to do', async () => {
    const competition = await competitionOf(9, [ada])
    const ta = await makePerson()
    await competition.join(ta, { role: 'ta' })
    await competition.join(eve, { state: 'requested' })
    for (const [who, text] of [
      [bob, 'Join '],
      [eve, 'approve'],
      [ta, 'Only participants'],
    ] as const)
      expect(await accept(who, competition, await invite(ada, competition, who))).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining(text) },
      })
  })

  it('fifty users who accept at once for two places: two are admitted', async () => {
    const competition = await competitionOf(3, [ada])
    const crowd = await Promise.all(Array.from({ length: 50 }, () => makePerson()))
    const teamId = (await teamOf(ada, competition)).id
    for (const person of crowd) await competition.join(person)
    await db.pool.query(
      `INSERT INTO team_invitations (id, team_id, handle, expires_at)
       SELECT gen_random_uuid(), $1, unnest($2::text[]), now() + interval '1 day'`,
      [teamId, crowd.map(({ handle }) => handle)],
    )
    const ids = await Promise.all(crowd.map((person) => invitationsOf(person, competition)))
    const answers = await Promise.all(
      crowd.map((person, n) => accept(person, competition, ids[n]?.[0]?.id ?? '')),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(48)
    expect((await teamOf(ada, competition)).members).toHaveLength(3)
  })

  it('two users who accept each other at once are in one team, and no team is empty', async () => {
    for (let round = 0; round < 5; round += 1) {
      const competition = await competitionOf(3, [ada, bob])
      const [forBob, forAda] = [await invite(ada, competition, bob), await invite(bob, competition, ada)]
      const answers = await Promise.all([accept(bob, competition, forBob), accept(ada, competition, forAda)])
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 404])
      const { rows } = await db.pool.query(
        `SELECT (SELECT count(*)::int FROM competition_members m WHERE m.team_id = t.id) AS members
           FROM competition_teams t WHERE t.competition_id = $1`,
        [competition.id],
      )
      expect(rows).toEqual([{ members: 2 }])
    }
  })

  it('an entry that is stored while its sender changes teams: the sender stays', async () => {
    const competition = await competitionOf(3, [ada, bob])
    const old = await teamOf(bob, competition)
    const id = await invite(ada, competition, bob)
    const client = await db.pool.connect()
    try {
      // As a submission does: it locks the team, counts, and inserts the entry.
      await client.query('BEGIN')
      await client.query('SELECT 1 FROM competition_teams WHERE id = $1 FOR UPDATE', [old.id])
      const answer = accept(bob, competition, id)
      await client.query(
        `INSERT INTO entries (id, competition_id, phase_id, team_id, user_id, kind, code, source_hash, mounts, labels, spec, scorer_id, seed, body_hash)
         VALUES (gen_random_uuid(), $1, $2, $3, $4, 'entry', 'x', 'x', '{}', '{}', '{}', $5, 's', 'x')`,
        [competition.id, competition.phases.main, old.id, bob.id, competition.scorerId],
      )
      await client.query('COMMIT')
      expect(await answer).toMatchObject({ status: 409 })
    } finally {
      client.release()
    }
    expect(await teamOf(bob, competition)).toMatchObject({ id: old.id })
  })
})
