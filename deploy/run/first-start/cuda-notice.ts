import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { env } from '@/lib/env'
import { readDefaultImage } from '@/lib/node-checks/node-checks'
import { checkSettings, readSmiFor } from '@/worker/node-checks/check-node'
import { describeCuda, hasGpus } from '@/worker/node-checks/judge-gpus'
import { tryImage } from '@/worker/node-checks/try-image'
import { EngineRuntime } from '@/worker/runtime/docker/engine-runtime'

/**
 * Returns one line if this machine has NVIDIA GPUs that the default image cannot use, otherwise null. The page Health
 * says more.
 */
export async function cudaNotice(): Promise<string | null> {
  const config = env()
  const smi = await readSmiFor(checkSettings(config))
  if (!hasGpus(smi)) return null
  const runtime = new EngineRuntime({
    outputLimitBytes: 1024 * 1024,
    ociRuntime: config.GPUQ_CONTAINER_RUNTIME,
    directory: join(config.GPUQ_DATA_DIR, 'podman'),
  })
  const id = `notice-${randomUUID()}`
  const host = { runtime, directory: join(config.GPUQ_DATA_DIR, 'tasks', id), nodeId: id }
  const image = await tryImage(host, await readDefaultImage())
  if (image.kind !== 'ran' || describeCuda(image.content) !== null) return null
  return `The image ${image.image} has no CUDA, so its jobs cannot compute on this machine's GPUs. Set an image with CUDA under Environments.`
}
