import { expect, it } from 'vitest'
import { type CountedNode, countCluster } from './count-cluster'

const node = (gpus: number, simulated: boolean): CountedNode => ({
  state: 'ready',
  gpus: Array.from({ length: gpus }, () => ({ state: 'free', allocated: 0, simulated, use: null })),
})
const counted = (...nodes: CountedNode[]) => countCluster(nodes).cluster_status

it('counts nodes, and not the machine that only hosts simulated ones', () => {
  expect(counted(node(0, false), node(8, true), node(8, true))).toMatchObject({
    nodes: 2,
    ready_nodes: 2,
    total_gpus: 16,
  })
  expect(counted(node(0, false), node(8, false))).toMatchObject({ nodes: 2, ready_nodes: 2 })
  expect(counted(node(0, false))).toMatchObject({ nodes: 1 })
})
