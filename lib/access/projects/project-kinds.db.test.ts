import { describe, expect, it, vi } from 'vitest'
import type { AgreedKind } from '../../contract/access/project-kinds'
import { testDatabase } from '../../database/testing/test-database'
import { transaction } from '../../database/transaction'
import { makePerson, type Person } from '../testing/people'
import { updateUser } from '../users/update-user'
import { updateMembership } from './membership'
import { answerProjectInvitation, listProjectInvitations } from './project-invitations'
import { createProject, deleteProject, getProject, listProjects, updateProject } from './projects'
import { findOrCreateProject } from './submission-project'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const meant = async ({ actor }: Person, slug: string) =>
  (await transaction((tx) => findOrCreateProject(tx, actor, slug))).id

/** A project of a new owner, which the people have joined. */
async function shared(slug: string, kind: AgreedKind | undefined, people: readonly Person[]) {
  const owner = await makePerson('admin')
  const members = people.map(({ handle }) => handle)
  const project = await createProject(owner.actor, {
    project_id: slug,
    members,
    ...(kind === undefined ? {} : { kind }),
  })
  for (const { actor } of people)
    for (const { id } of await listProjectInvitations(actor))
      await answerProjectInvitation(actor, id, { accept: true, ...(kind ? { agree_to: kind } : {}) })
  return { owner, id: project.id }
}

const asks = async ({ actor }: Person, slug: string) =>
  (await listProjects(actor, { limit: 50, all: false, project_id: slug })).items.filter((one) => one.asks)
    .length

describe('a name means', () => {
  it.each(['class', 'team'] as const)(
    'a %s that the user has joined before their own project',
    async (kind) => {
      const [student, other] = [await makePerson(), await makePerson()]
      const own = await meant(student, 'course')
      const { id, owner } = await shared('course', kind, [student])
      expect(await meant(student, 'course')).toBe(id)
      expect(await meant(owner, 'course')).toBe(id)
      // Nobody who has not joined is affected.
      expect([own, id]).not.toContain(await meant(other, 'course'))
    },
  )

  it("the user's own project before one without a kind that others share with them", async () => {
    const [first, second] = [await makePerson(), await makePerson()]
    const own = await meant(first, 'old')
    const { id } = await shared('old', undefined, [first, second])
    expect(await meant(first, 'old')).toBe(own)
    expect(await meant(second, 'old')).toBe(id)
  })

  it('what the user answered, which they can change, and they are asked once', async () => {
    const student = await makePerson()
    const own = await meant(student, 'course')
    expect(await asks(student, 'course')).toBe(0)
    const { id } = await shared('course', 'class', [student])
    expect(await asks(student, 'course')).toBe(2)
    await updateMembership(student.actor, own, { preferred: true })
    expect(await meant(student, 'course')).toBe(own)
    expect(await asks(student, 'course')).toBe(0)
    expect(await updateMembership(student.actor, id, { preferred: true })).toMatchObject({ means: true })
    expect(await meant(student, 'course')).toBe(id)
    expect(await getProject(student.actor, own)).toMatchObject({ means: false, asks: false })
  })

  it('the first class until the user, asked again, answers for a second one of the name', async () => {
    const student = await makePerson()
    const first = await shared('course', 'class', [student])
    expect(await asks(student, 'course')).toBe(0)
    const second = await shared('course', 'team', [student])
    expect(await meant(student, 'course')).toBe(first.id)
    expect(await asks(student, 'course')).toBe(2)
    await updateMembership(student.actor, second.id, { preferred: true })
    const third = await shared('course', 'class', [student])
    expect(await meant(student, 'course')).toBe(second.id)
    expect(await asks(student, 'course')).toBe(3)
    await updateMembership(student.actor, third.id, { preferred: true })
    expect(await asks(student, 'course')).toBe(0)
  })

  it('the own project again after the class has ended or the user has left it', async () => {
    const student = await makePerson()
    const own = await meant(student, 'course')
    const { id, owner } = await shared('course', 'class', [student])
    await updateMembership(student.actor, id, { preferred: true })
    await updateProject(student.actor, id, { remove_members: [student.handle] })
    expect(await meant(student, 'course')).toBe(own)
    expect(await asks(student, 'course')).toBe(0)
    const again = await shared('course', 'class', [student])
    expect(await meant(student, 'course')).toBe(again.id)
    await deleteProject(again.owner.actor, again.id)
    expect(await meant(student, 'course')).toBe(own)
    await deleteProject(owner.actor, id)
  })

  it('is answered only by those who belong to the project', async () => {
    const [student, stranger, admin] = [await makePerson(), await makePerson(), await makePerson('admin')]
    const { id } = await shared('course', 'class', [student])
    const answer = { preferred: true } as const
    await expect(updateMembership(stranger.actor, id, answer)).rejects.toMatchObject({ code: 'not_found' })
    await expect(updateMembership(admin.actor, id, answer)).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('teams and classes', () => {
  const grant = (admin: Person, { handle }: Person, may: boolean) =>
    updateUser(admin.actor, handle, { may_create_classes: may }, 'http://localhost:8001')

  it('are made and made of private projects by admins, and by users with the right', async () => {
    const [admin, teacher] = [await makePerson('admin'), await makePerson()]
    const make = (kind: AgreedKind) =>
      createProject(teacher.actor, { project_id: `a-${kind}`, kind, members: [] })
    const plain = await createProject(teacher.actor, { project_id: 'plain', members: [] })
    const turn = (kind: AgreedKind) => updateProject(teacher.actor, plain.id, { kind })
    await expect(make('class')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(turn('team')).rejects.toMatchObject({ code: 'forbidden' })
    expect(await grant(admin, teacher, true)).toMatchObject({ may_create_classes: true })
    expect(await make('class')).toMatchObject({ kind: 'class', members: [] })
    expect(await make('team')).toMatchObject({ kind: 'team' })
    expect(await turn('class')).toMatchObject({ kind: 'class' })
    for (const kind of ['team', 'class'] as const)
      await expect(turn(kind)).rejects.toMatchObject({ code: 'conflict' })
    await grant(admin, teacher, false)
    await expect(make('team')).rejects.toMatchObject({ code: 'forbidden' })
    expect(await createProject(admin.actor, { project_id: 'c', kind: 'class', members: [] })).toMatchObject({
      kind: 'class',
    })
  })

  it('are joined by people who agree to the kind that they read about, with time and kind recorded', async () => {
    const [admin, student] = [await makePerson('admin'), await makePerson()]
    const project = await createProject(admin.actor, { project_id: 'p', members: [student.handle] })
    const [invitation] = await listProjectInvitations(student.actor)
    expect(invitation).toMatchObject({ kind: 'private' })
    const id = invitation?.id ?? ''
    await updateProject(admin.actor, project.id, { kind: 'class' })
    const answer = (agree_to?: AgreedKind) =>
      answerProjectInvitation(student.actor, id, { accept: true, agree_to })
    await expect(answer()).rejects.toMatchObject({
      code: 'invalid_fields',
      errors: [
        { path: 'agree_to', message: expect.stringContaining('its owner and its managers see your jobs') },
      ],
    })
    await expect(answer('team')).rejects.toMatchObject({ code: 'conflict' })
    await answer('class')
    expect(await getProject(admin.actor, project.id)).toMatchObject({ agreed: [student.handle] })
    const { rows } = await db.pool.query(
      `SELECT m.agreed_kind, m.agreed_at <= now() AS past, e.detail FROM memberships m
         JOIN audit_events e ON e.actor_id = m.user_id AND e.action = 'project_joined' WHERE m.user_id = $1`,
      [student.id],
    )
    expect(rows).toEqual([{ agreed_kind: 'class', past: true, detail: { agreed_to: 'class' } }])
  })

  it('have nobody who agreed after a private project became one, and each agrees for themselves', async () => {
    const [one, two] = [await makePerson(), await makePerson()]
    const own = await meant(one, 'old')
    const { id, owner } = await shared('old', undefined, [one, two])
    await updateProject(owner.actor, id, { kind: 'class' })
    expect(await getProject(owner.actor, id)).toMatchObject({ agreed: [] })
    expect(await meant(one, 'old')).toBe(own)
    expect(await meant(two, 'old')).toBe(id)
    await expect(updateMembership(one.actor, id, { agree_to: 'team' })).rejects.toMatchObject({
      code: 'conflict',
    })
    await updateMembership(one.actor, id, { agree_to: 'class' })
    expect(await getProject(owner.actor, id)).toMatchObject({ agreed: [one.handle] })
    expect(await meant(one, 'old')).toBe(id)
  })

  it('have managers: a class those that its owner or an admin chooses, a team none', async () => {
    const [admin, teacher, tutor] = [await makePerson('admin'), await makePerson(), await makePerson()]
    await grant(admin, teacher, true)
    for (const kind of ['class', 'team'] as const) {
      const { id } = await createProject(teacher.actor, { project_id: kind, kind, members: [tutor.handle] })
      for (const invitation of await listProjectInvitations(tutor.actor))
        await answerProjectInvitation(tutor.actor, invitation.id, { accept: true, agree_to: kind })
      const choose = (who: Person) => updateProject(who.actor, id, { add_managers: [tutor.handle] })
      await expect(choose(tutor)).rejects.toMatchObject({ code: 'forbidden' })
      if (kind === 'class') expect(await choose(teacher)).toMatchObject({ managers: [tutor.handle] })
      else await expect(choose(admin)).rejects.toMatchObject({ code: 'invalid_fields' })
    }
  })
})
