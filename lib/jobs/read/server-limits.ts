import type { Actor } from '../../access/actor'
import { readOwnLimits } from '../../access/role-limits'
import type { ServerLimits } from '../../contract/diagnosis/facts'
import type { JobDetail } from '../../contract/jobs'
import { database } from '../../database/client'
import { externalEngine, type NodeSize } from '../../engine/external-engine'
import { startsNodesOnDemand } from '../../env/engine'
import { readRegisteredNodes } from '../config/registered-nodes'
import { timeCeilingS } from '../submission/job-limits'

/** Reads the most that the server has for a job like this one. Nodes that are started on demand may have any size. */
export async function readServerLimits(
  actor: Actor,
  { project_id, resources }: JobDetail,
): Promise<ServerLimits> {
  const max_time = timeCeilingS(await readOwnLimits(actor, project_id))
  const nodes = startsNodesOnDemand() ? [] : await readNodeSizes()
  if (nodes.length === 0) return { memory_gb: null, gpus: null, gpu_memory_mib: null, max_time }
  const gpusOfJob = Math.max(0, ...resources.got.map(({ gpus }) => gpus.length))
  const fitting = nodes.filter(({ gpus }) => gpus.length >= gpusOfJob)
  const memory = Math.max(0, ...fitting.map(({ memoryMib }) => memoryMib))
  const gpus = nodes.flatMap((node) => node.gpus)
  return {
    memory_gb: memory === 0 ? null : Math.floor((memory / 1024) * 10) / 10,
    gpus: Math.max(...nodes.map((node) => node.gpus.length)),
    gpu_memory_mib: gpus.includes(null) ? null : Math.max(0, ...gpus.map(Number)),
    max_time,
  }
}

async function readNodeSizes(): Promise<NodeSize[]> {
  const engine = externalEngine()
  if (engine) return engine.readNodeSizes()
  const nodes = await readRegisteredNodes(database().pool)
  return nodes.map(({ memoryMib, gpus }) => ({ memoryMib, gpus: gpus.map((gpu) => gpu.memoryMib) }))
}
