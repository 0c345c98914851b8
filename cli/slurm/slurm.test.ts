import { expect, it } from 'vitest'
import { fakeContext } from '../testing/fake-context'
import { listSlurmNodes, removeTarget, setTarget } from './slurm'

const row = {
  id: '01931111-0000-7000-8000-000000000009',
  owner: 'ada',
  project_id: 'thesis',
  pool: null,
  account: 'lab',
  partition: null,
  qos: null,
  reservation: null,
}

it('lists the nodes and what other jobs occupy, and says if Slurm does not answer', async () => {
  const slurm = {
    version: '22.05.8',
    problem: 'slurmctld did not answer within 10 s.',
    read_at: null,
    accounting: false,
    may_drain: false,
    totals: {
      nodes: 1,
      ready_nodes: 0,
      gpus: 8,
      used_gpus: 4,
      free_gpus: 0,
      without_worker: ['n1'],
      nodes_without_worker: 1,
    },
    matching_nodes: 1,
    nodes: [
      {
        name: 'n1',
        state: 'draining',
        slurm_states: ['MIXED', 'DRAIN'],
        reason: 'new fan',
        partitions: ['gpu', 'long'],
        cpus: 16,
        used_cpus: 8,
        memory_mib: 1024,
        used_memory_mib: 0,
        gpus: [{ type: 'a100', count: 8, used: 4 }],
        worker: 'missing',
        request: null,
      },
    ],
    partitions: [],
    other_jobs: { running: 2, waiting: 5, gpus: 4, largest: [] },
  }
  const context = fakeContext(() => Response.json(slurm))
  await listSlurmNodes(context, {})
  expect(context.written.out).toContain('Slurm does not answer: slurmctld did not answer within 10 s.')
  expect(context.written.out).toMatch(/n1 +draining +gpu,long +a100 4\/8 +8\/16 +missing +new fan/)
  expect(context.written.out).toContain('Other Slurm jobs: 2 running on 4 GPUs, 5 waiting.')
})

it('replaces the row of a project, and adds another one', async () => {
  const sent: string[] = []
  const context = fakeContext(async (request: Request) => {
    sent.push(`${request.method} ${new URL(request.url).pathname}`)
    return request.method === 'GET'
      ? Response.json([row])
      : Response.json(row, { status: request.method === 'PUT' ? 200 : 201 })
  })
  await setTarget(context, { project: 'ADA/thesis', qos: 'high' })
  await setTarget(context, { project: 'ada/thesis', pool: 'reserved', qos: 'high' })
  expect(sent).toEqual([
    'GET /api/slurm/targets',
    `PUT /api/slurm/targets/${row.id}`,
    'GET /api/slurm/targets',
    'POST /api/slurm/targets',
  ])
  await expect(removeTarget(context, { pool: 'reserved' })).rejects.toThrow('There is no such row')
})
