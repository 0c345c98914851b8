import { beforeEach, expect, it } from 'vitest'
import { makePerson, type Person } from '@/lib/access/testing/people'
import { updateGpu, updateNode } from '@/lib/cluster/admin/node-actions'
import { makeJob, makeNode } from '@/lib/cluster/testing/rows'
import { channels, listener } from '@/lib/database/listen'
import { testDatabase } from '@/lib/database/testing/test-database'
import { readJob } from '@/lib/jobs/read/read'
import { readQueue, readQueueJob } from '@/lib/queue/list'
import { placeWaiting } from './builtin'

const db = testDatabase()

let [admin, ada, bob] = [] as unknown as [Person, Person, Person]
let job: string
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users, audit_events CASCADE')
  ;[admin, ada, bob] = [await makePerson('admin', 'root-of-lab'), await makePerson(), await makePerson()]
  await makeNode({ name: 'lab-a', gpus: 2 })
  job = await makeJob({ userId: ada.id, spec: { gpu_count: 2 } })
})

async function pauseGpu(reason: string): Promise<void> {
  const { rows } = await db.pool.query('SELECT id FROM gpus WHERE index = 1')
  await updateGpu(admin.actor, rows[0].id, { paused: true, reason })
  await placeWaiting()
}

const numberOf = async () => String((await db.pool.query('SELECT number FROM nodes')).rows[0].number)

it('a job that waits for a paused GPU shows the admin’s reason to its owner everywhere', async () => {
  await pauseGpu('a new fan comes on Tuesday')
  const told = expect.stringMatching(
    /^An admin paused matching GPUs.* An admin paused GPU 1 of lab-a on \d{4}-\d\d-\d\d at \d\d:\d\d UTC: a new fan comes on Tuesday\.$/,
  )
  const shown = { reason: 'gpu_paused', reason_text: told }
  expect(await readJob(ada.actor, job)).toMatchObject(shown)
  expect(await readQueueJob(ada.actor, job)).toMatchObject(shown)
  for (const { actor } of [ada, admin]) expect((await readQueue(actor)).queued).toMatchObject([shown])
  // Only admins may see which admin it was, and only the owner may see why the job waits.
  expect(JSON.stringify(await readJob(ada.actor, job))).not.toContain('root-of-lab')
  const { queued } = await readQueue(bob.actor)
  expect(queued).toMatchObject([{ job_id: null, reason: null, reason_detail: null, reason_text: null }])
})

it('a changed reason is reported at once, an unchanged one is not repeated', async () => {
  await pauseGpu('a new fan')
  const heard: (string | null)[] = []
  const stop = await listener().listen('job', (id) => heard.push(id))
  await placeWaiting()
  await pauseGpu('a new card')
  // Marks the end of all notifications so far.
  await db.pool.query(`NOTIFY ${channels.job}, 'marker'`)
  await expect.poll(() => heard.at(-1)).toBe('marker')
  expect(heard).toEqual([job, 'marker'])
  expect((await readJob(ada.actor, job)).reason_text).toMatch(/: a new card\.$/)
  stop()
})

it('a drained node is explained beside a lost one', async () => {
  await makeNode({ name: 'lab-b', gpus: 2 })
  await db.pool.query("UPDATE nodes SET lease_expires_at = now() - interval '1 minute' WHERE name = 'lab-b'")
  const { rows } = await db.pool.query("SELECT number FROM nodes WHERE name = 'lab-a'")
  await updateNode(admin.actor, String(rows[0].number), { paused: true, reason: 'new disks' })
  await placeWaiting()
  const { reason, reason_text } = await readJob(ada.actor, job)
  expect(reason).toBe('node_unavailable')
  expect(reason_text).toMatch(
    /It waits for lab-a \(paused\), lab-b \(without a worker\)\. An admin paused lab-a on .* UTC: new disks\.$/,
  )
})

it('a quarantined node and a GPU with foreign use are explained as well', async () => {
  await db.pool.query("UPDATE nodes SET quarantined_at = now(), quarantine_reason = 'The image is gone.'")
  await placeWaiting()
  expect((await readJob(ada.actor, job)).reason_text).toMatch(
    /lab-a was quarantined on .*: The image is gone\.$/,
  )
  await updateNode(admin.actor, await numberOf(), { quarantined: false })
  await db.pool.query("UPDATE gpus SET busy_reason = 'Other processes use it: 95 % load.' WHERE index = 0")
  await placeWaiting()
  expect(await readJob(ada.actor, job)).toMatchObject({
    reason: 'gpu_busy_outside',
    reason_text: expect.stringMatching(/ GPU 0 of lab-a: Other processes use it\.$/),
  })
})

it('the explanations do not change the plan', async () => {
  await pauseGpu('x')
  await db.pool.query("UPDATE gpus SET paused_at = NULL, busy_reason = 'a'")
  await placeWaiting()
  expect(await readJob(ada.actor, job)).toMatchObject({ reason: 'gpu_busy_outside', node_name: null })
  await db.pool.query('UPDATE gpus SET busy_reason = NULL')
  await placeWaiting()
  expect(await readJob(ada.actor, job)).toMatchObject({ reason: null, node_name: 'lab-a' })
})
