import * as z from 'zod'
import { clusterQuerySchema } from '../contract/cluster/cluster'
import {
  created,
  defineOperations,
  done,
  get,
  ok,
  patch,
  post,
  put,
  remove,
} from '../contract/operations/operation'
import * as slurm from './contract'

const otherEngine = { 409: { description: 'This gpuq does not use Slurm' } }

/** The Slurm cluster, under `GPUQ_ENGINE=slurm`. */
export const slurmOperations = defineOperations('slurm', 'cluster', {
  get: get('/api/slurm', 'read', "Slurm's nodes and partitions, and what other jobs occupy", {
    query: clusterQuerySchema,
    responses: { ...ok(slurm.slurmClusterSchema), ...otherEngine },
  }),
  updateNode: patch('/api/slurm/nodes/{name}', 'admin', 'Drain or resume a node in Slurm', {
    body: slurm.updateSlurmNodeSchema,
    responses: {
      202: {
        description: 'The leader passes it on to Slurm in a few seconds',
        schema: slurm.slurmNodeSchema,
      },
      409: { description: 'This gpuq does not use Slurm, or may not drain its nodes' },
    },
  }),
  targets: get('/api/slurm/targets', 'admin', 'Where the jobs of projects and pools go in Slurm', {
    responses: { ...ok(z.array(slurm.slurmTargetSchema)), ...otherEngine },
  }),
  createTarget: post('/api/slurm/targets', 'admin', 'Say where the jobs of a project or pool go', {
    body: slurm.createSlurmTargetSchema,
    responses: {
      ...created(slurm.slurmTargetSchema),
      409: { description: 'This project and pool has a row' },
    },
  }),
  updateTarget: put('/api/slurm/targets/{id}', 'admin', 'Replace account, partition, QOS and reservation', {
    body: slurm.updateSlurmTargetSchema,
    responses: { ...ok(slurm.slurmTargetSchema), ...otherEngine },
  }),
  removeTarget: remove('/api/slurm/targets/{id}', 'admin', 'Delete a row: the next general row applies', {
    responses: { ...done, ...otherEngine },
  }),
})
