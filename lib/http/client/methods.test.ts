import { expect, it } from 'vitest'
import { type Client, createClient } from './client'

/** What the calls send, in order. The server's answers are of no interest here. */
async function sentBy(act: (client: Client) => Promise<unknown>[]): Promise<string[]> {
  const sent: Promise<string>[] = []
  const client = createClient({
    baseUrl: 'http://gpuq.test',
    fetch: async (input, init) => {
      sent.push(describeRequest(new Request(String(input), init)))
      return Response.json({})
    },
  })
  await Promise.allSettled(act(client))
  return Promise.all(sent)
}

async function describeRequest(request: Request): Promise<string> {
  const { pathname, search } = new URL(request.url)
  return `${request.method} ${pathname}${search} ${await request.text()}`.trim()
}

it('sends path, query and body as the operation declares them', async () => {
  const sent = await sentBy(({ cluster, queue, orchestrator, archives, jobs }) => [
    cluster.updateNode(3, { paused: true, reason: 'a new fan' }),
    cluster.updateGpu('a/b', { paused: false }),
    cluster.forgetNode(3),
    cluster.forgetGpu('a/b'),
    cluster.initialize({ node_count: 0 }),
    cluster.replaceModels({ default_requirement: 1, models: { llama: 0.5 } }),
    queue.setPriority('an id', { priority: -7 }),
    queue.cancel('an id'),
    orchestrator.stop(),
    orchestrator.start(),
    orchestrator.updatePolicy({ backfill: false }),
    cluster.history({ nodes: [0, 2] }),
    archives.send(new Uint8Array([111, 107]), { project_id: 'p 1' }),
    jobs.type('a/b', new Uint8Array([120]), { rank: 1 }),
  ])
  expect(sent).toEqual([
    'PATCH /api/nodes/3 {"paused":true,"reason":"a new fan"}',
    'PATCH /api/gpus/a%2Fb {"paused":false}',
    'DELETE /api/nodes/3',
    'DELETE /api/gpus/a%2Fb',
    'POST /api/gpu/initialize {"node_count":0}',
    'PUT /api/models {"default_requirement":1,"models":{"llama":0.5}}',
    'PATCH /api/queue/an%20id/priority {"priority":-7}',
    'DELETE /api/queue/an%20id',
    'POST /api/orchestrator/stop',
    'POST /api/orchestrator/start',
    'PUT /api/orchestrator/policy {"backfill":false}',
    'GET /api/cluster/history?nodes=0%2C2',
    'POST /api/archives/blobs?project_id=p+1 ok',
    'POST /api/jobs/a%2Fb/terminal/input?rank=1 x',
  ])
})
