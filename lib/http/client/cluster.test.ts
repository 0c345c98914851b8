import { expect, it } from 'vitest'
import { createClient } from './client'

/** What the calls send, in order. */
async function sentBy(act: (client: ReturnType<typeof createClient>) => Promise<unknown>): Promise<string[]> {
  const sent: string[] = []
  const client = createClient({
    baseUrl: 'http://gpuq.test',
    fetch: async (input, init) => {
      const request = new Request(String(input), init)
      sent.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`.trim())
      return Response.json({})
    },
  })
  await act(client)
  return sent
}

it('asks for changes of the cluster where its routes are', async () => {
  const sent = await sentBy(async ({ cluster, queue, orchestrator }) => {
    await cluster.updateNode(3, { paused: true, reason: 'a new fan' })
    await cluster.updateGpu('a/b', { paused: false })
    await cluster.forgetNode(3)
    await cluster.forgetGpu('a/b')
    await cluster.initialize({ node_count: 0 })
    await cluster.replaceModels({ default_requirement: 1, models: { llama: 0.5 } })
    await queue.setPriority('an id', -7)
    await queue.cancel('an id')
    await orchestrator.stop()
    await orchestrator.start()
    await orchestrator.updatePolicy({ backfill: false })
  })
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
  ])
})
