import { uuidv7 } from 'uuidv7'
import type { Person } from '../../access/testing/people'
import { uploadFiles } from '../../archives/testing/upload-files'
import { createLink } from '../../artifacts/download-links'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode, setRun } from '../../cluster/testing/rows'
import { database } from '../../database/client'
import { acceptGroup } from '../../groups/accept-group'
import { groupConfigSchema } from '../../groups/contract'
import { releaseMembers } from '../../groups/release-members'
import { findVisibleJob } from '../../jobs/read/job-visibility'
import { createResultShare } from '../../project-results/result-shares'
import { storeResult } from '../../results/result-files'
import { createShareSchema } from '../../shares/contract'
import { createShare } from '../../shares/shares'
import { pushSnapshot } from '../../snapshots/push-snapshot'
import { createView } from '../../views/saved-views'
import type { MutationCase } from './mutation-case'

const pool = () => database().pool

const groupConfig = { competition_id: 'c', project_id: 'p', expected_time: 10, command: 'true', array: '0-1' }

async function groupOf({ actor }: Person): Promise<string> {
  const keys = groupConfigSchema.parse(groupConfig)
  const request = { code: Buffer.alloc(0), runId: null, bodyHash: Buffer.alloc(32), idempotencyKey: null }
  const { id } = await acceptGroup(actor, { ...request, config: { ...keys, gpusChosen: false } })
  return id
}

async function endedJob({ id: userId }: Person): Promise<string> {
  const id = await makeJob({ userId })
  await pool().query(
    `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, attempt = 1, started_at = now(),
            ended_at = now() WHERE id = $1`,
    [id],
  )
  await storeResult(id)
  return id
}

/** An ended job, and the id of its project. */
async function jobInProject(person: Person): Promise<{ id: string; project: string }> {
  const id = await endedJob(person)
  const { rows } = await pool().query<{ id: string }>('SELECT project_id AS id FROM jobs WHERE id = $1', [id])
  return { id, project: rows[0]?.id ?? '' }
}

/** A run of an ended job with checkpoints, as the address of its checkpoints names it. */
async function endedRun(person: Person): Promise<{ id: string; run: string }> {
  const { id: job, project } = await jobInProject(person)
  const run = await setRun(job, 'run')
  await pool().query('INSERT INTO run_directories (run_id, bytes) VALUES ($1, 1)', [run])
  return { id: project, run }
}

async function terminalOf({ id: userId }: Person): Promise<string> {
  const { nodeId } = await makeNode()
  const id = await makeJob({ userId, spec: { tty: true } })
  await placeManually(nodeId, id, { indices: [0] })
  await pool().query(`UPDATE tasks SET status = 'running', started_at = now() WHERE job_id = $1`, [id])
  return id
}

async function nodeNumber(): Promise<string> {
  const { nodeId } = await makeNode()
  const { rows } = await pool().query<{ number: number }>('SELECT number FROM nodes WHERE id = $1', [nodeId])
  return String(rows[0]?.number)
}

async function lostNode(): Promise<string> {
  const number = await nodeNumber()
  await pool().query(
    `UPDATE nodes SET status = 'lost', lease_expires_at = now() - interval '1 hour' WHERE number = $1`,
    [number],
  )
  return number
}

async function gpuOf({ missing }: { missing: boolean }): Promise<string> {
  const { rows } = await pool().query<{ id: string }>(
    'UPDATE gpus g SET missing = $2, simulated = false FROM nodes n WHERE n.id = g.node_id AND n.number = $1 RETURNING g.id',
    [await nodeNumber(), missing],
  )
  return rows[0]?.id ?? ''
}

let versions = 0
/** A snapshot of a directory with new content. */
async function snapshotOf(person: Person, name = 'code') {
  const { projectId, hash } = await uploadFiles(person, 'p', { a: `${versions++}` })
  return { projectId, hash, id: (await pushSnapshot(person.actor, projectId, { name, archive: hash })).id }
}

const viewOf = async ({ actor }: Person) =>
  (await createView(actor, { name: `view ${uuidv7()}`, all: false, q: '', sort: null, columns: null }))
    .view_id

/** A call of each mutation of jobs, directories and the cluster. What owners do with their jobs is in the jobs. */
export const jobMutations: Record<string, MutationCase> = {
  'jobs.update': async ({ admin, ada }) => ({
    who: admin,
    params: { id: await endedJob(ada) },
    body: { note: 'x' },
  }),
  'jobs.cancel': async ({ admin, ada }) => ({
    who: admin,
    params: { id: await makeJob({ userId: ada.id }) },
  }),
  'jobs.type': async ({ admin, ada }) => ({ who: admin, params: { id: await terminalOf(ada) }, body: 'ls' }),
  'jobs.resize': async ({ admin, ada }) => ({
    who: admin,
    params: { id: await terminalOf(ada) },
    body: { columns: 80, rows: 24 },
  }),
  'jobs.link': async ({ ada }) => ({
    who: ada,
    params: { id: await endedJob(ada) },
    body: { file: 'result' },
  }),
  'jobs.revokeLink': async ({ ada }) => {
    const job = await findVisibleJob(ada.actor, await endedJob(ada))
    const { id: linkId } = await createLink(ada.actor, job, { file: 'result', expires_in: 60 })
    return { who: ada, params: { id: job.id, linkId } }
  },
  'shares.create': async ({ ada }) => ({ who: ada, params: { id: await endedJob(ada) }, body: {} }),
  'shares.revoke': async ({ ada }) => {
    const id = await endedJob(ada)
    const share = await createShare(ada.actor, { id }, createShareSchema.parse({}), 'http://localhost:8001')
    return { who: ada, params: { id, shareId: share.id } }
  },
  'results.share': async ({ ada }) => {
    const { id, project } = await jobInProject(ada)
    return { who: ada, params: { id: project }, body: { job_ids: [id], columns: ['name'] } }
  },
  'results.revokeShare': async ({ ada }) => {
    const { id, project } = await jobInProject(ada)
    const given = {
      job_ids: [id],
      columns: ['name' as const],
      metrics: [],
      group_by: null,
      expires_in_days: 1,
    }
    const place = { id: project, owner: ada.handle, slug: 'project' }
    const share = await createResultShare(ada.actor, place, given, 'http://localhost:8001')
    return { who: ada, params: { id: share.id } }
  },
  'queue.cancel': async ({ admin, ada }) => ({
    who: admin,
    params: { id: await makeJob({ userId: ada.id }) },
  }),
  'queue.setPriority': async ({ admin, ada }) => ({
    who: admin,
    params: { id: await makeJob({ userId: ada.id }) },
    body: { priority: 7 },
  }),
  'queue.setHeld': async ({ admin, ada }) => ({
    who: admin,
    params: { id: await makeJob({ userId: ada.id }) },
    body: { held: true },
  }),
  'approvals.approve': async ({ ada }) => ({ who: ada, params: { id: await jobToApprove(ada) } }),
  'approvals.refuse': async ({ ada }) => ({ who: ada, params: { id: await jobToApprove(ada) } }),
  'groups.create': async ({ bob }) => ({ who: bob, body: { config: groupConfig } }),
  'groups.cancel': async ({ bob }) => ({ who: bob, params: { id: await groupOf(bob) } }),
  'groups.rerunFailed': async ({ bob }) => {
    const id = await groupOf(bob)
    await database().pool.query('UPDATE users SET max_active_jobs = 100 WHERE id = $1', [bob.id])
    while (await releaseMembers());
    await database().pool.query(
      `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 1, ended_at = now() WHERE group_id = $1`,
      [id],
    )
    return { who: bob, params: { id } }
  },
  'groups.extend': async ({ bob }) => ({
    who: bob,
    params: { id: await groupOf(bob) },
    body: { repeat: 2 },
  }),
  'groups.update': async ({ admin, bob }) => ({
    who: admin,
    params: { id: await groupOf(bob) },
    body: { note: 'x' },
  }),
  'views.create': async ({ ada }) => ({ who: ada, body: { name: 'new' } }),
  'views.update': async ({ ada }) => ({
    who: ada,
    params: { id: await viewOf(ada) },
    body: { name: 'renamed' },
  }),
  'views.remove': async ({ ada }) => ({ who: ada, params: { id: await viewOf(ada) } }),
  'snapshots.create': async ({ ada }) => {
    const { projectId, hash } = await uploadFiles(ada, 'p', { a: `${versions++}` })
    return { who: ada, params: { id: projectId }, body: { name: 'code', archive: hash } }
  },
  'snapshots.removeAll': async ({ ada }) => {
    const { projectId } = await snapshotOf(ada, 'old')
    return { who: ada, params: { id: projectId }, query: '?name=old' }
  },
  'snapshots.update': async ({ admin, ada }) => ({
    who: admin,
    params: { id: (await snapshotOf(ada, 'shared')).id },
    body: { shared: true },
  }),
  'snapshots.remove': async ({ ada }) => ({ who: ada, params: { id: (await snapshotOf(ada)).id } }),
  'storage.deleteJobFiles': async ({ ada }) => ({ who: ada, params: { id: await endedJob(ada) } }),
  'storage.deleteArchive': async ({ ada }) => ({
    who: ada,
    params: { id: (await uploadFiles(ada, 'p', { a: `${versions++}` })).id },
  }),
  'storage.deleteCheckpoints': async ({ ada }) => ({
    who: ada,
    params: await endedRun(ada),
  }),
  'cluster.updateNode': async ({ admin }) => ({
    who: admin,
    params: { id: await nodeNumber() },
    body: { paused: true },
  }),
  'cluster.forgetNode': async ({ admin }) => ({ who: admin, params: { id: await lostNode() } }),
  'cluster.checkNode': async ({ admin }) => ({ who: admin, params: { id: await nodeNumber() } }),
  'cluster.updateGpu': async ({ admin }) => ({
    who: admin,
    params: { id: await gpuOf({ missing: false }) },
    body: { paused: true },
  }),
  'cluster.forgetGpu': async ({ admin }) => ({ who: admin, params: { id: await gpuOf({ missing: true }) } }),
  'cluster.initialize': async ({ admin }) => {
    await makeNode()
    return { who: admin, body: { node_count: 1, gpus_per_node: 1 } }
  },
  'cluster.replaceModels': async ({ admin }) => ({
    who: admin,
    body: { default_requirement: 1, models: {} },
  }),
  'orchestrator.stop': async ({ admin }) => ({ who: admin }),
  'orchestrator.start': async ({ admin }) => {
    await pool().query('UPDATE policies SET running = false')
    return { who: admin }
  },
  'orchestrator.updatePolicy': async ({ admin }) => ({ who: admin, body: { backfill: true } }),
}

/** A waiting job that a person must approve. */
async function jobToApprove({ id: userId }: Person): Promise<string> {
  const jobId = await makeJob({ userId })
  await database().pool.query('INSERT INTO approval_requests (id, job_id, gpu_hours) VALUES ($1, $1, 1)', [
    jobId,
  ])
  return jobId
}
