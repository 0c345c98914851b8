import { expect, it, vi } from 'vitest'
import { deleteProject, updateProject } from '../../access/projects/projects'
import { makePerson } from '../../access/testing/people'
import { createToken } from '../../access/tokens/tokens'
import { findOrCreateUser } from '../../access/users/submission-user'
import { updateUser } from '../../access/users/update-user'
import { listUsers } from '../../access/users/users'
import { createTokenSchema, listUsersSchema } from '../../contract/access/access'
import { testDatabase } from '../../database/testing/test-database'
import { transaction } from '../../database/transaction'
import { createJoinLink } from '../../join-links/join-links'
import { createTokensSchema } from '../../people/contract-token-batches'
import { createTokens } from '../../people/create-tokens'
import { planImport } from '../../people/plan-import'
import { deleteSnapshot, deleteVersions } from '../../snapshots/delete-snapshots'
import { shareSnapshot } from '../../snapshots/share-snapshot'
import { makeCompetition } from '../testing/competition'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
const origin = 'http://localhost:8001'

async function make() {
  const [host, admin] = [await makePerson(), await makePerson('admin')]
  const competition = await makeCompetition({ hosts: [host] })
  return { host, admin, competition, account: `competition-${competition.slug}` }
}

it('snapshots that a competition has are neither deleted nor shared, and other ones of its project are', async () => {
  const { host, admin, competition } = await make()
  const { snapshots, projectId, slug } = competition
  const used = { code: 'conflict', message: expect.stringContaining(`competition "${slug}"`) }
  for (const name of ['truth', 'scorer']) {
    await expect(deleteSnapshot(admin.actor, snapshots[name]?.id ?? '')).rejects.toMatchObject(used)
    await expect(deleteVersions(admin.actor, projectId, name)).rejects.toMatchObject(used)
  }
  await expect(shareSnapshot(admin.actor, snapshots.truth?.id ?? '', true)).rejects.toMatchObject(used)
  await db.pool.query("DELETE FROM competition_datasets WHERE name = 'sample' AND competition_id = $1", [
    competition.id,
  ])
  await deleteVersions(admin.actor, projectId, 'sample')
  await expect(deleteVersions(host.actor, projectId, 'train')).rejects.toMatchObject({ code: 'forbidden' })
})

it('the project of a competition is not deleted, and its members and retention are not changed', async () => {
  const { host, admin, competition } = await make()
  const { projectId } = competition
  const conflict = { code: 'conflict', message: expect.stringContaining('the data and the entries') }
  await expect(deleteProject(admin.actor, projectId)).rejects.toMatchObject(conflict)
  for (const changes of [
    { add_members: ['ada'] },
    { remove_managers: [host.handle] },
    { retention_days: 1 },
    { kind: 'class' as const },
  ])
    await expect(updateProject(admin.actor, projectId, changes)).rejects.toMatchObject(conflict)
  await expect(updateProject(host.actor, projectId, { add_members: ['ada'] })).rejects.toMatchObject(conflict)
  await expect(updateProject(host.actor, projectId, { remove_members: [host.handle] })).rejects.toMatchObject(
    conflict,
  )
  const link = { max_people: 3, expires_in_days: 1, new_accounts: false }
  await expect(createJoinLink(host.actor, projectId, link, origin)).rejects.toMatchObject(conflict)
  const limited = await updateProject(admin.actor, projectId, { retention_days: 0, limits: { max_gpus: 2 } })
  expect(limited.limits.max_gpus).toBe(2)
})

it('nobody gets a token, an invitation or a job of the account of a competition, and no list of users has it', async () => {
  const { admin, account } = await make()
  const conflict = { code: 'conflict', message: expect.stringContaining('is the account of the competition') }
  for (const changes of [
    { new_invitation: true as const },
    { email: 'a@example.org' },
    { role: 'admin' as const },
    { disabled: true },
  ])
    await expect(updateUser(admin.actor, account, changes, origin)).rejects.toMatchObject(conflict)
  expect(await updateUser(admin.actor, account, { gpu_hour_budget: 100 }, origin)).toMatchObject({
    gpu_hour_budget: 100,
  })
  const token = createTokenSchema.parse({ name: 'x', user_id: account })
  await expect(createToken(admin.actor, token)).rejects.toMatchObject(conflict)
  const batch = createTokensSchema.parse({ users: account, project_id: 'p' })
  await expect(createTokens(admin.actor, batch)).rejects.toMatchObject(conflict)
  await expect(transaction((tx) => findOrCreateUser(tx, admin.actor, account))).rejects.toMatchObject(
    conflict,
  )
  const { items } = await listUsers(admin.actor, listUsersSchema.parse({ limit: 200 }))
  expect(items.map(({ user_id }) => user_id)).toContain(admin.handle)
  expect(items.map(({ user_id }) => user_id)).not.toContain(account)
})

it('an import of users changes no account of a competition, and adds nobody to its project', async () => {
  const { competition, account } = await make()
  const csv = `user_id,email,projects\n${account},a@example.org,\nnew-user,b@example.org,${account}/${competition.slug}\n`
  const { users, problems } = await transaction((tx) => planImport(tx, csv, { lock: true }))
  expect(users).toEqual([])
  expect(problems).toMatchObject([
    { line: 2, column: 'user_id', message: expect.stringContaining('the account of a competition') },
    { line: 3, column: 'projects', message: expect.stringContaining('There is no project') },
  ])
})

it('admins give and take the right to host competitions', async () => {
  const [admin, ada] = [await makePerson('admin'), await makePerson()]
  expect(await updateUser(admin.actor, ada.handle, { may_host_competitions: true }, origin)).toMatchObject({
    may_host_competitions: true,
  })
  expect(await updateUser(admin.actor, ada.handle, { may_host_competitions: false }, origin)).toMatchObject({
    may_host_competitions: false,
  })
})
