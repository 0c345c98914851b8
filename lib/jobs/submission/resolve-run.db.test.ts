import { beforeEach, describe, expect, it } from 'vitest'
import { makeJob, makeUser } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { transaction } from '../../database/transaction'
import { resolveRun } from './resolve-run'

const db = testDatabase()
let [projectId, owner, member, other] = ['', '', '', '']

beforeEach(async () => {
  ;[owner, member, other] = [await makeUser(), await makeUser(), await makeUser()]
  await makeJob({ userId: owner })
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM projects WHERE owner_id = $1', [owner])
  projectId = rows[0]?.id ?? ''
})

const resolve = (userId: string, name: string) =>
  transaction((tx) => resolveRun(tx, { userId, projectId, restriction: null }, name))

const shareRuns = (shared: boolean) =>
  db.pool.query('UPDATE projects SET share_runs = $2 WHERE id = $1', [projectId, shared])

async function rowOf(id: string) {
  const { rows } = await db.pool.query('SELECT user_id, name, directory FROM runs WHERE id = $1', [id])
  return rows[0]
}

describe('the run of a submission', () => {
  it("is the user's own, whatever runs other members have", async () => {
    const own = await resolve(owner, 'base')
    expect(await resolve(owner, 'base')).toBe(own)
    const theirs = await resolve(member, 'base')
    expect(theirs).not.toBe(own)
    expect(await resolve(owner, 'other')).not.toBe(own)
    expect(await rowOf(own)).toEqual({ user_id: owner, name: 'base', directory: own })
    expect(await rowOf(theirs)).toEqual({ user_id: member, name: 'base', directory: theirs })
  })

  it('cannot be chosen by its id or its directory', async () => {
    const own = await resolve(owner, 'base')
    await db.pool.query(`UPDATE runs SET directory = 'base' WHERE id = $1`, [own])
    for (const name of [own, 'base', 'Base']) {
      const theirs = await resolve(member, name)
      expect(theirs).not.toBe(own)
      expect((await rowOf(theirs)).directory).toBe(theirs)
    }
  })

  it('is made once by concurrent submissions', async () => {
    const found = await Promise.all(Array.from({ length: 12 }, () => resolve(member, 'base')))
    expect(new Set(found).size).toBe(1)
    await shareRuns(true)
    const shared = await Promise.all([owner, other, owner, other].map((user) => resolve(user, 'base')))
    expect(new Set(shared).size).toBe(1)
    expect(shared[0]).not.toBe(found[0])
  })

  it('belongs to all members while they share runs; an own run of the name comes first', async () => {
    const own = await resolve(member, 'base')
    await shareRuns(true)
    const shared = await resolve(owner, 'base')
    expect((await rowOf(shared)).user_id).toBeNull()
    expect(await resolve(other, 'base')).toBe(shared)
    expect(await resolve(member, 'base')).toBe(own)
    await shareRuns(false)
    expect(await resolve(owner, 'base')).not.toBe(shared)
    expect((await rowOf(await resolve(other, 'base'))).user_id).toBe(other)
  })

  it('is the old one of another member for those who share it, and for nobody else', async () => {
    const old = await resolve(owner, 'base')
    await db.pool.query('INSERT INTO run_users (run_id, user_id) VALUES ($1, $2)', [old, member])
    expect(await resolve(member, 'base')).toBe(old)
    expect(await resolve(other, 'base')).not.toBe(old)
    await db.pool.query('DELETE FROM run_users WHERE run_id = $1', [old])
    expect(await resolve(member, 'base')).not.toBe(old)
  })

  it('has one live job; the run of another member does not count', async () => {
    const spec = { run_name: 'live' }
    await makeJob({ userId: member, ownerId: owner, spec })
    await makeJob({ userId: owner, spec })
    const again = makeJob({ userId: member, ownerId: owner, spec })
    await expect(again).rejects.toMatchObject({ code: '23505', constraint: 'jobs_one_live_run' })
  })
})
