/** Allowed numbers of GPUs per instance. */
export const gpuCounts = [1, 2, 4, 8] as const
type GpuCount = (typeof gpuCounts)[number]

const gpusOfInstance = 8

type ShapeVerdict =
  | { ok: true; gpuCount: GpuCount; instanceCount: number; warnings: string[] }
  | { ok: false; path: 'instance_count'; message: string }

/**
 * Decides the GPUs and instances of a job. Up to eight GPUs must be on one instance. With several instances, each
 * gets eight, with a warning if fewer were requested.
 */
export function decideShape(gpuCount: GpuCount, instanceCount: number): ShapeVerdict {
  if (instanceCount === 1) return { ok: true, gpuCount, instanceCount, warnings: [] }
  const total = gpuCount * instanceCount
  if (total <= gpusOfInstance) {
    const correctCount = gpuCounts.find((count) => count >= total) ?? gpusOfInstance
    return {
      ok: false,
      path: 'instance_count',
      message: `up to 8 GPUs in total must be on one instance, but this requests ${total} on ${instanceCount}: set instance_count to 1 and gpu_count to ${correctCount}`,
    }
  }
  const warnings =
    gpuCount === gpusOfInstance
      ? []
      : [
          `Several instances require 8 GPUs on each: gpu_count was raised from ${gpuCount} to 8, ${gpusOfInstance * instanceCount} GPUs in total.`,
        ]
  return { ok: true, gpuCount: gpusOfInstance, instanceCount, warnings }
}
