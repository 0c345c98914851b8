import { expect, it } from 'vitest'
import type { Cluster } from '@/lib/contract/cluster/cluster'
import { readRequests, toStateContent } from './state-content'

type Node = Cluster['nodes'][number]

const gpu = (node: string, index: number, state = 'free') => ({
  gpu_id: `${node}-${index}`,
  index,
  uuid: `GPU-${node}-${index}`,
  model: 'H100',
  simulated: false,
  state,
  reason: null,
  allocated: 0,
  memory_mib: 80_000,
  use: null,
  jobs: [],
})
const node = (name: string, states: string[], state = 'ready') =>
  ({ name, state, gpus: states.map((one, index) => gpu(name, index, one)) }) as unknown as Node
const cluster = (...nodes: Node[]) => ({ nodes }) as unknown as Cluster

const one = cluster(node('host', ['free', 'paused', 'free']), node('old', ['free'], 'lost'))
const two = cluster(node('a', ['free', 'paused']), node('b', ['free']))
const requests = (content: unknown, of = one) => readRequests(JSON.stringify(content), of)
const nothing = { pause: [], resume: [], unknown: [] }

it('finds no request in a file that gpuq wrote', () => {
  const queue = {
    queued: [],
    running: [],
    queued_total: 0,
    running_total: 0,
    max_queue_size: 100,
    engine: 'builtin' as const,
  }
  for (const of of [one, two]) {
    const content = toStateContent({ server: 'http://gpuq.test', cluster: of, queue, jobs: [] })
    expect(content.paused_gpus).toHaveLength(1)
    expect(requests(content, of)).toEqual({ ok: true, requests: nothing })
  }
})

it('pauses added GPUs and resumes removed ones', () => {
  expect(requests({ paused_gpus: [0, 2], known_paused_gpus: [1, 2] })).toEqual({
    ok: true,
    requests: { pause: ['host-0'], resume: ['host-1'], unknown: [] },
  })
})

it('pauses the GPUs in a file of another program and resumes none', () => {
  expect(requests({ paused_gpus: [0] })).toEqual({ ok: true, requests: { ...nothing, pause: ['host-0'] } })
  expect(requests({ gpu_status: [1, 2] })).toEqual({ ok: true, requests: nothing })
})

it('finds a GPU by its number, its node and its id', () => {
  const named = { paused_gpus: ['0', 'host:1', 'host-2', 7], known_paused_gpus: [] }
  expect(requests(named)).toEqual({
    ok: true,
    requests: { pause: ['host-0', 'host-1', 'host-2'], resume: [], unknown: [7] },
  })
  expect(requests({ paused_gpus: [0, 'b:0'] }, two)).toEqual({
    ok: true,
    requests: { pause: ['b-0'], resume: [], unknown: [0] },
  })
})

it.each(['{', '{"paused_gpus": 3}', '{"paused_gpus": [{}]}', 'null'])(
  'rejects the invalid content %s',
  (text) => {
    expect(readRequests(text, one)).toMatchObject({ ok: false })
  },
)
