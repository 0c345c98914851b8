import { randomBytes } from 'node:crypto'
import { listProjectInvitations } from '../../access/projects/project-invitations'
import { createProject } from '../../access/projects/projects'
import { beginSession } from '../../access/sessions/session'
import { makePerson, makeToken, type Person, someClient } from '../../access/testing/people'
import { createUser } from '../../access/users/users'
import { database } from '../../database/client'
import { createJoinLink } from '../../join-links/join-links'
import { createTarget } from '../../notifications/targets'
import type { MutationCase, People } from './mutation-case'

const word = () => `x${randomBytes(5).toString('hex')}`
const origin = 'http://localhost:8001'
const password = 'seven quiet trams at dusk'

async function invited(admin: Person): Promise<{ handle: string; token: string }> {
  const handle = word()
  const made = await createUser(
    admin.actor,
    { user_id: handle, email: `${handle}@example.org`, role: 'researcher' },
    origin,
  )
  return { handle, token: made.invitation_url?.split('/').at(-1) ?? '' }
}

const projectOf = ({ actor }: Person, members: string[] = []) =>
  createProject(actor, { project_id: word(), members })

async function joinToken({ admin }: People, newAccounts: boolean): Promise<string> {
  const { id } = await projectOf(admin)
  const given = { max_people: 3, expires_in_days: 1, new_accounts: newAccounts }
  return (await createJoinLink(admin.actor, id, given, origin)).url.split('/').at(-1) ?? ''
}

async function targetOf({ actor }: Person): Promise<string> {
  const given = {
    kind: 'webhook',
    url: 'https://example.org/hook',
    name: 'x',
    events: ['job.completed'],
    wait_minutes: 0,
  }
  return (await createTarget(actor, given as Parameters<typeof createTarget>[1])).id
}

async function environment(name = word()): Promise<string> {
  await database().pool.query(
    `INSERT INTO environments (id, name, image) VALUES (gen_random_uuid(), $1, 'gpuq/x:1')`,
    [name],
  )
  return name
}

async function bucket(name = word()): Promise<string> {
  await database().pool.query(
    `INSERT INTO buckets (id, name, region, bucket, keys) VALUES (gen_random_uuid(), $1, 'us-east-1', $1, '\\x00')`,
    [name],
  )
  return name
}

/** A call of each mutation of users, their credentials, projects and settings. */
export const accessMutations: Record<string, MutationCase> = {
  'users.create': async ({ admin }) => ({ who: admin, body: { user_id: word() } }),
  'users.import': async ({ admin }) => ({ who: admin, body: { csv: `user_id\n${word()}`, dry_run: false } }),
  'users.sendInvitationMail': async ({ admin }) => ({
    who: admin,
    body: { user_id: (await invited(admin)).handle },
  }),
  'users.update': async ({ admin, ada }) => ({
    who: admin,
    params: { handle: ada.handle },
    body: { name: 'Ada' },
  }),
  'users.changePassword': async () => {
    const who = await makePerson()
    return { who, body: { current_password: who.password, new_password: password } }
  },
  'users.acceptInvitation': async ({ admin }) => ({
    who: null,
    body: { token: (await invited(admin)).token, password },
  }),
  'sessions.endAll': async () => ({ who: await makePerson() }),
  'sessions.end': async () => {
    const who = await makePerson()
    const other = await beginSession(database().pool, { userId: who.id }, someClient)
    return { who, params: { id: other?.sid ?? '' } }
  },
  'tokens.create': async ({ ada }) => ({ who: ada, body: { name: 'x' } }),
  'tokens.revoke': async ({ ada }) => ({ who: ada, params: { id: (await makeToken(ada)).tokenId } }),
  'tokens.stop': async ({ ada }) => ({ who: ada, params: { id: (await makeToken(ada)).tokenId } }),
  'tokens.createMany': async ({ admin, ada }) => ({
    who: admin,
    body: { users: ada.handle, project_id: word() },
  }),
  'projectBoards.update': async ({ ada }) => ({
    who: ada,
    params: { id: (await createProject(ada.actor, { project_id: 'with-board', members: [] })).id },
    body: { metric: 'loss', goal: 'min' },
  }),
  'projectBoards.updateOwn': async ({ ada }) => ({
    who: ada,
    params: { id: (await createProject(ada.actor, { project_id: 'with-name', members: [] })).id },
    body: { name: 'Ada' },
  }),
  'projects.create': async ({ ada }) => ({ who: ada, body: { project_id: word() } }),
  'projects.update': async ({ ada }) => ({
    who: ada,
    params: { id: (await projectOf(ada)).id },
    body: { name: 'x' },
  }),
  'projects.updateMembership': async ({ ada }) => ({
    who: ada,
    params: { id: (await projectOf(ada)).id },
    body: { preferred: true },
  }),
  'projects.remove': async ({ ada }) => ({ who: ada, params: { id: (await projectOf(ada)).id } }),
  'projectInvitations.answer': async ({ ada, bob }) => {
    await projectOf(ada, [bob.handle])
    const [invitation] = await listProjectInvitations(bob.actor)
    return { who: bob, params: { id: invitation?.id ?? '' }, body: { accept: false } }
  },
  'joinLinks.create': async ({ ada }) => ({ who: ada, params: { id: (await projectOf(ada)).id }, body: {} }),
  'joinLinks.revoke': async ({ ada }) => {
    const { id } = await projectOf(ada)
    const given = { max_people: 3, expires_in_days: 1, new_accounts: false }
    return { who: ada, params: { id, linkId: (await createJoinLink(ada.actor, id, given, origin)).id } }
  },
  'joinLinks.join': async (people) => ({
    who: people.bob,
    params: { token: await joinToken(people, false) },
  }),
  'joinLinks.createAccount': async (people) => ({
    who: null,
    params: { token: await joinToken(people, true) },
    body: { user_id: word(), password },
  }),
  'limits.updateRole': async ({ admin }) => ({
    who: admin,
    params: { role: 'researcher' },
    body: { max_active_jobs: 5 },
  }),
  'environments.create': async ({ admin }) => ({ who: admin, body: { name: word(), image: 'gpuq/x:1' } }),
  'environments.update': async ({ admin }) => ({
    who: admin,
    params: { name: await environment() },
    body: { description: 'x' },
  }),
  'buckets.remove': async ({ admin }) => ({ who: admin, params: { name: await bucket() } }),
  'announcements.set': async ({ admin }) => ({ who: admin, body: { text: 'x' } }),
  'announcements.remove': async ({ admin }) => {
    await database().pool.query(
      `INSERT INTO announcements (id, text) VALUES (gen_random_uuid(), 'x') ON CONFLICT DO NOTHING`,
    )
    return { who: admin }
  },
  'notifications.createTarget': async ({ ada }) => ({
    who: ada,
    body: { kind: 'webhook', url: 'https://example.org/hook', name: 'x', events: ['job.completed'] },
  }),
  'notifications.updateTarget': async ({ ada }) => ({
    who: ada,
    params: { id: await targetOf(ada) },
    body: { paused: true },
  }),
  'notifications.removeTarget': async ({ ada }) => ({ who: ada, params: { id: await targetOf(ada) } }),
  'notifications.createSecret': async ({ ada }) => ({ who: ada }),
}
