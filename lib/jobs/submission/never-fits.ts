import type { Submitter } from '../../access/projects/submission-project'
import type { JobConfig } from '../../contract/config/config'
import { GpuqError, type NearestValue } from '../../contract/errors'
import { cannotStart } from '../../contract/reasons'
import { adviseNearest } from '../../contract/submission/nearest'
import type { Transaction } from '../../database/transaction'
import { externalEngine, type Obstacle, type SizedConfig } from '../../engine/external-engine'
import { startsNodesOnDemand } from '../../env/engine'
import { NodeKinds } from '../../scheduling/node-kinds'
import { judgeSize } from '../../scheduling/size/judge-size'
import { nearestFit } from '../../scheduling/size/nearest-fit'
import type { NodeState } from '../../scheduling/types'
import { readRegisteredNodes } from '../config/registered-nodes'
import { changedKeys, requestOf } from '../config/resource-request'

/**
 * Refuses a job that can never start: no set of the nodes has what it asks for, even if all of them were open and idle. Accepts
 * every job as long as no node is registered, or an external engine does not answer, and where nodes are started on demand.
 * @param submitter the owner of the job, whose project decides where the job goes in an external engine.
 * @throws 422 with the nearest request that fits.
 */
export async function requireCanStart(
  executor: Transaction,
  submitter: Submitter,
  config: JobConfig,
  readNodes?: () => Promise<NodeState[]>,
): Promise<void> {
  const obstacle = await findObstacle(executor, submitter, config, readNodes)
  if (obstacle) throw neverFits(obstacle)
}

/** Finds why a job can never start, as {@link requireCanStart} does. Null: it can. */
export async function findObstacle(
  executor: Transaction,
  submitter: Submitter,
  config: SizedConfig,
  readNodes = () => readRegisteredNodes(executor),
): Promise<Obstacle | null> {
  const engine = externalEngine()
  if (engine) return engine.findObstacle(executor, submitter, config)
  return startsNodesOnDemand() ? null : findSizeObstacle(config, await readNodes())
}

function findSizeObstacle(config: SizedConfig, nodes: readonly NodeState[]): Obstacle | null {
  if (nodes.length === 0) return null
  const request = requestOf(config, null)
  const { tooLarge } = judgeSize(request, nodes, new NodeKinds(nodes))
  if (tooLarge === null) return null
  const fitting = nearestFit(request, nodes)
  return {
    message: tooLarge,
    key: null,
    nearest: fitting && changedKeys(request, fitting),
  }
}

function neverFits({ message, key, nearest }: Obstacle): GpuqError {
  const changes = Object.entries(nearest ?? {})
  const errors = changes.map(([path, value]) => ({ path, message: correction(value) }))
  return new GpuqError('never_fits', `${cannotStart}: ${message}.${adviseNearest(nearest)}`, {
    errors: errors.length > 0 || key === null ? errors : [{ path: key, message }],
    ...(nearest !== null && { nearest }),
  })
}

function correction(value: NearestValue): string {
  if (value === null) return 'must be left out: no node has these GPUs'
  return typeof value === 'number'
    ? `must be at most ${value}: no node has more`
    : `must be "${value}": no node has this`
}
