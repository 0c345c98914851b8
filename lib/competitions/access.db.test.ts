import { expect, it, vi } from 'vitest'
import { makePerson } from '../access/testing/people'
import { testDatabase } from '../database/testing/test-database'
import { findCompetition, findPhase } from './access'
import { makeCompetition } from './testing/competition'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
testDatabase()

it('an unpublished competition is seen by its hosts and admins only', async () => {
  const [host, other, admin] = [await makePerson(), await makePerson(), await makePerson('admin')]
  const competition = await makeCompetition({ hosts: [host], published: false })
  await competition.join(other)
  const { slug } = competition
  expect(await findCompetition(host.actor, slug)).toMatchObject({ role: 'host', isHost: true, isStaff: true })
  expect(await findCompetition(admin.actor, slug)).toMatchObject({ role: null, isHost: true, isStaff: true })
  for (const actor of [other.actor, null])
    await expect(findCompetition(actor, slug)).rejects.toMatchObject({ code: 'not_found' })
})

it.each([
  ['public', [true, true, true]],
  ['signed_in', [false, true, true]],
  ['members', [false, false, true]],
] as const)(
  'a published competition with the visibility %s is seen by anyone, users and members: %j',
  async (visibility, seen) => {
    const [member, other] = [await makePerson(), await makePerson()]
    const competition = await makeCompetition({ config: { visibility } })
    const teamId = await competition.join(member, { team: 'Owls' })
    const sees = (actor: typeof other.actor | null) =>
      findCompetition(actor, competition.slug).then(
        () => true,
        () => false,
      )
    expect([await sees(null), await sees(other.actor), await sees(member.actor)]).toEqual(seen)
    expect(await findCompetition(member.actor, competition.slug)).toMatchObject({
      role: 'participant',
      teamId,
      isHost: false,
      isStaff: false,
    })
  },
)

it('a phase is found by its key, and an unknown one is answered with those that exist', async () => {
  const competition = await makeCompetition()
  const seen = await findCompetition((await makePerson()).actor, competition.slug)
  expect(await findPhase(seen, 'main')).toMatchObject({ id: competition.phases.main, state: 'open' })
  await expect(findPhase(seen, 'final')).rejects.toThrow('It has main.')
})
