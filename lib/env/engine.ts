import { env } from '../env'

/** Whether the admin's commands start nodes for jobs, so that the registered ones decide nothing. */
export function startsNodesOnDemand(): boolean {
  const { GPUQ_PROVISION_UP: up, GPUQ_PROVISION_DOWN: down } = env()
  return up !== undefined && down !== undefined
}
