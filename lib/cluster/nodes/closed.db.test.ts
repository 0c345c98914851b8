import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { plan } from '../../scheduling/plan'
import { commitPlacement } from '../placement/place'
import { takeSnapshot } from '../placement/snapshot'
import { jobState, makeJob, makeNode, readBooks } from '../testing/rows'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})

/** Ways to close a node or block a GPU, with the reason shown for a waiting job and the refusal of an earlier plan. */
const closings = [
  ['a paused node', 'UPDATE nodes SET paused_at = now()', 'node_unavailable', 'node'],
  ['a quarantined node', 'UPDATE nodes SET quarantined_at = now()', 'node_unavailable', 'node'],
  ['a node whose worker is draining', "UPDATE nodes SET status = 'draining'", 'node_unavailable', 'node'],
  ['a lost node', "UPDATE nodes SET status = 'lost'", 'no_node', 'node'],
  [
    'a node with an expired lease',
    "UPDATE nodes SET lease_expires_at = now() - interval '1 second'",
    'no_node',
    'node',
  ],
  ['a paused GPU', 'UPDATE gpus SET paused_at = now()', 'gpu_paused', 'gpu'],
  [
    'a GPU with foreign use',
    "UPDATE gpus SET busy_reason = 'Other processes use it.'",
    'gpu_busy_outside',
    'gpu',
  ],
  ['a missing GPU', 'UPDATE gpus SET missing = true', 'never_fits', 'gpu'],
] as const

describe.each(closings)('%s', (_, close, reason, dimension) => {
  it('is not allocated, not even by an earlier plan', async () => {
    await makeNode()
    const job = await makeJob()
    const [placement] = plan((await takeSnapshot()).snapshot).placements
    if (!placement) throw new Error('Nothing was planned.')
    await db.pool.query(close)
    expect(plan((await takeSnapshot()).snapshot)).toMatchObject({
      placements: [],
      waiting: [{ jobId: job, reason }],
    })
    expect(await commitPlacement(placement)).toEqual({ ok: false, dimension })
    expect(await jobState(job)).toMatchObject({ status: 'pending', attempt: 0 })
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })
})
