import { afterAll, beforeAll, expect } from 'vitest'
import { it as base } from '../testing/lab-test'
import { SlurmCluster } from './testing/slurm-cluster'
import { SlurmLab } from './testing/slurm-lab'

let slurm: SlurmCluster
beforeAll(async () => {
  slurm = await SlurmCluster.start()
})
afterAll(() => slurm?.stop())

const it = base.extend<{ openSlurmLab: () => Promise<SlurmLab> }>({
  openSlurmLab: ({ afterwards }, use) =>
    use(async () => {
      const lab = await SlurmLab.open(slurm)
      afterwards(() => lab.lab.close())
      return lab
    }),
})

/** As an admin asks for it on the cluster page. */
function ask(lab: SlurmLab, node: string, reason: string | null): Promise<unknown> {
  return lab.lab.database.pool.query(
    `INSERT INTO slurm_node_requests (node, drained, reason) VALUES ($1, $2, $3)
     ON CONFLICT (node) DO UPDATE SET drained = excluded.drained, reason = excluded.reason, problem = NULL`,
    [node, reason !== null, reason],
  )
}

const showNode = (name: string) => slurm.run('scontrol', ['show', 'node', name])

interface Known {
  states: string[]
  reason: string | null
}

/** What gpuq knows of a node. */
async function known(lab: SlurmLab, name: string): Promise<Known | undefined> {
  const { rows } = await lab.lab.database.pool.query<{ node: Known }>(
    `SELECT node FROM slurm_cluster, jsonb_array_elements(nodes) AS node WHERE node->>'name' = $1`,
    [name],
  )
  return rows[0]?.node
}

it('drains and resumes a node of a real Slurm, where the leader may', async ({ openSlurmLab }) => {
  const lab = await openSlurmLab()
  const leader = await lab.startWorker('n0', { variables: { GPUQ_SLURM_ADMIN: 'true' } })
  await lab.jobs.until('the worker leads', async () => leader.log.includes('leading the scheduler'))
  await ask(lab, 'n1', 'new fan; $(touch /tmp/never)')
  await lab.jobs.until('Slurm drained the node', async () => (await showNode('n1')).includes('DRAIN'))
  expect(await showNode('n1')).toContain('Reason=new fan; $(touch /tmp/never)')
  const drained = await lab.jobs.until('gpuq knows it', async () => {
    const node = await known(lab, 'n1')
    return node?.states.includes('DRAIN') && node
  })
  expect(drained.reason).toContain('new fan')
  await ask(lab, 'n1', null)
  await lab.jobs.until('Slurm resumed the node', async () => !(await showNode('n1')).includes('DRAIN'))
  const { rows } = await lab.lab.database.pool.query('SELECT node FROM slurm_node_requests')
  expect(rows).toEqual([])
})

it('keeps a request with the reason if the leader may not drain', async ({ openSlurmLab }) => {
  const lab = await openSlurmLab()
  await lab.startWorker('n0')
  await ask(lab, 'n2', 'new fan')
  const problem = await lab.jobs.until('the request has a problem', async () => {
    const { rows } = await lab.lab.database.pool.query<{ problem: string | null }>(
      'SELECT problem FROM slurm_node_requests',
    )
    return rows[0]?.problem
  })
  expect(problem).toContain('GPUQ_SLURM_ADMIN=true')
  expect(await showNode('n2')).not.toContain('DRAIN')
})
