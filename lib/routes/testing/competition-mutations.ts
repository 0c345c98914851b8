import { stringify } from 'yaml'
import type { Person } from '../../access/testing/people'
import { putExtension, putOverride } from '../../competitions/grades/change-grades'
import { acceptInvitation, listInvitations } from '../../competitions/members/invitations'
import { updateTeam } from '../../competitions/members/teams'
import { createRescore } from '../../competitions/rescoring/create-rescore'
import { makeCompetition, type TestCompetition } from '../../competitions/testing/competition'
import { competitionKeys } from '../../competitions/testing/competition-keys'
import { holdEntry } from '../../competitions/testing/held-entries'
import { insertScored } from '../../competitions/testing/scored-entries'
import { storeOutputs } from '../../competitions/testing/stored-outputs'
import { database } from '../../database/client'
import type { MutationCase } from './mutation-case'

const competitionOf = (host: Person): Promise<TestCompetition> =>
  makeCompetition({ hosts: [host], config: { team_max: 3 } })

/** A competition in which ada has invited bob to a team. */
async function invited(host: Person, ada: Person, bob: Person): Promise<{ id: string; invitation: string }> {
  const { slug, join } = await competitionOf(host)
  await join(ada)
  await join(bob)
  await updateTeam(ada.actor, slug, async () => ({ invite: [bob.handle], withdraw: [] }))
  const [invitation] = await listInvitations(bob.actor, slug)
  return { id: slug, invitation: invitation?.id ?? '' }
}

/** An entry of ada's team that waits. */
async function entryOf(host: Person, ada: Person): Promise<string> {
  const competition = await competitionOf(host)
  const teamId = await competition.join(ada)
  return holdEntry(competition, { userId: ada.id, teamId })
}

/** A phase with a scored entry of ada's team, whose outputs are stored. */
async function scoredPhase(host: Person, ada: Person): Promise<{ id: string; phase: string }> {
  const competition = await competitionOf(host)
  const teamId = await competition.join(ada)
  await storeOutputs(
    competition,
    await insertScored(competition, [{ teamId, userId: ada.id, scores: { acc: 1, priv: 1 } }]),
  )
  return { id: competition.slug, phase: 'main' }
}

/** A set over the entry of {@link scoredPhase}. */
async function rescoreOf(host: Person, ada: Person): Promise<string> {
  const { id, phase } = await scoredPhase(host, ada)
  return (await createRescore(host.actor, id, phase)).id
}

/** The place of ada's grade. */
async function participant(host: Person, ada: Person) {
  const { slug, join } = await competitionOf(host)
  await join(ada)
  return { id: slug, phase: 'main', user: ada.handle }
}

/** A call of each mutation of competitions. */
export const competitionMutations: Record<string, MutationCase> = {
  'competitions.put': async ({ admin }) => {
    const keys = competitionKeys()
    return { who: admin, params: { id: keys.slug }, body: { config: stringify(keys) } }
  },
  'boards.reveal': async ({ admin }) => {
    const { id, slug } = await competitionOf(admin)
    await database().pool.query(
      `UPDATE competition_phases SET starts_at = now() - interval '2 hours', ends_at = now() - interval '1 hour' WHERE competition_id = $1`,
      [id],
    )
    return { who: admin, params: { id: slug, phase: 'main' } }
  },
  'competitions.join': async ({ admin, ada }) => ({
    who: ada,
    params: { id: (await competitionOf(admin)).slug },
    body: {},
  }),
  'competitions.leave': async ({ admin, ada }) => {
    const { slug, join } = await competitionOf(admin)
    await join(ada)
    return { who: ada, params: { id: slug } }
  },
  'competitions.updateMember': async ({ admin, ada }) => {
    const { slug, join } = await competitionOf(admin)
    await join(ada)
    return { who: admin, params: { id: slug, user: ada.handle }, body: { role: 'host' } }
  },
  'competitions.removeMember': async ({ admin, ada }) => {
    const { slug, join } = await competitionOf(admin)
    await join(ada)
    return { who: admin, params: { id: slug, user: ada.handle } }
  },
  'competitions.roster': async ({ admin }) => ({
    who: admin,
    params: { id: (await competitionOf(admin)).slug },
    body: { csv: 'email\na@example.org' },
  }),
  'competitions.updateTeam': async ({ admin, ada }) => {
    const { slug, join } = await competitionOf(admin)
    await join(ada)
    return { who: ada, params: { id: slug }, body: { name: 'renamed' } }
  },
  'competitions.leaveTeam': async ({ admin, ada, bob }) => {
    const { id, invitation } = await invited(admin, ada, bob)
    await acceptInvitation(bob.actor, id, invitation)
    return { who: bob, params: { id } }
  },
  'competitions.acceptInvitation': async ({ admin, ada, bob }) => ({
    who: bob,
    params: await invited(admin, ada, bob),
  }),
  'competitions.declineInvitation': async ({ admin, ada, bob }) => ({
    who: bob,
    params: await invited(admin, ada, bob),
  }),
  'grades.putExtension': async ({ admin, ada }) => ({
    who: admin,
    params: await participant(admin, ada),
    body: { until: '2100-01-01', reason: 'Ill.' },
  }),
  'grades.removeExtension': async ({ admin, ada }) => {
    const params = await participant(admin, ada)
    const { id: slug, phase, user } = params
    await putExtension(admin.actor, { slug, phase, user }, async () => ({
      until: '2100-01-01',
      reason: 'Ill.',
    }))
    return { who: admin, params }
  },
  'grades.putOverride': async ({ admin, ada }) => ({
    who: admin,
    params: await participant(admin, ada),
    body: { value: 90, reason: 'A talk.' },
  }),
  'grades.removeOverride': async ({ admin, ada }) => {
    const params = await participant(admin, ada)
    const { id: slug, phase, user } = params
    await putOverride(admin.actor, { slug, phase, user }, async () => ({ value: 90, reason: 'A talk.' }))
    return { who: admin, params }
  },
  'entries.withdraw': async ({ admin, ada }) => ({ who: admin, params: { id: await entryOf(admin, ada) } }),
  'entries.disqualify': async ({ admin, ada }) => ({
    who: admin,
    params: { id: await entryOf(admin, ada) },
    body: { reason: 'It copies.' },
  }),
  'rescores.create': async ({ admin, ada }) => ({ who: admin, params: await scoredPhase(admin, ada) }),
  'rescores.apply': async ({ admin, ada }) => {
    const id = await rescoreOf(admin, ada)
    const { pool } = database()
    await pool.query(
      `UPDATE score_runs SET state = 'scored', scores = '{"acc": 0, "priv": 0}', ended_at = now() WHERE rescore_id = $1`,
      [id],
    )
    await pool.query(`UPDATE rescores SET state = 'ready' WHERE id = $1`, [id])
    return { who: admin, params: { id } }
  },
  'rescores.discard': async ({ admin, ada }) => ({ who: admin, params: { id: await rescoreOf(admin, ada) } }),
}
