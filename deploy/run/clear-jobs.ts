import { env } from '@/lib/env'
import { removeAllMemoryDirectories } from '@/worker/files/memory-directory'
import { EngineRuntime } from '@/worker/runtime/docker/engine-runtime'
import { listJobContainers, removeLeftovers } from '../checks/leftovers'

/**
 * Removes what a worker that was killed leaves behind: containers, the network of jobs with internet access with its firewall
 * rules, and directories in memory. Jobs that outlive gpuq still use them.
 */
export async function clearJobs(engineHost: string, dataDir: string): Promise<void> {
  if (env().GPUQ_KEEP_JOBS && (await listJobContainers(engineHost, dataDir)).length > 0) return
  await removeLeftovers(engineHost, dataDir)
  await removeInternetNetwork(engineHost)
  await removeAllMemoryDirectories(dataDir)
}

async function removeInternetNetwork(engineHost: string): Promise<void> {
  const socketPath = engineHost.startsWith('unix://') ? engineHost.slice('unix://'.length) : undefined
  const firewall = { enabled: env().GPUQ_JOB_FIREWALL, allowed: env().GPUQ_ALLOWED_NETWORKS ?? [] }
  await new EngineRuntime({ outputLimitBytes: 1, socketPath, firewall }).internet.release()
}
