import type { Engine } from '../contract/cluster/slurm'
import { conflict } from '../contract/errors'
import { env } from '../env'

/** Whether Slurm decides where and when jobs run. */
export function usesSlurm(): boolean {
  return env().GPUQ_ENGINE === 'slurm'
}

/** @throws 409 with `message` if this installation has another engine. */
export function requireEngine(engine: Engine, message: string): void {
  if (env().GPUQ_ENGINE !== engine) throw conflict(message)
}

/** Whether the admin's commands start nodes for jobs, so that the registered ones decide nothing. */
export function startsNodesOnDemand(): boolean {
  const { GPUQ_PROVISION_UP: up, GPUQ_PROVISION_DOWN: down } = env()
  return up !== undefined && down !== undefined
}
