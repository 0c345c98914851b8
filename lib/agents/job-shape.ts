/** How many GPUs an instance may be given. */
export const gpuCounts = [1, 2, 4, 8] as const
type GpuCount = (typeof gpuCounts)[number]

const gpusOfInstance = 8

type ShapeVerdict =
  | { ok: true; gpuCount: GpuCount; instanceCount: number; warnings: string[] }
  | { ok: false; path: 'instance_count'; message: string }

/**
 * What GPUs a job gets. Up to eight are asked for on one instance; more are whole instances, of eight each: whoever asks
 * for less of several is given eight, and told.
 */
export function decideShape(gpuCount: GpuCount, instanceCount: number): ShapeVerdict {
  if (instanceCount === 1) return { ok: true, gpuCount, instanceCount, warnings: [] }
  const total = gpuCount * instanceCount
  if (total <= gpusOfInstance) {
    const mend = gpuCounts.find((count) => count >= total) ?? gpusOfInstance
    return {
      ok: false,
      path: 'instance_count',
      message: `8 GPUs or fewer in all must use one instance, and this asks for ${total} on ${instanceCount}: set instance_count to 1 and gpu_count to ${mend}`,
    }
  }
  const warnings =
    gpuCount === gpusOfInstance
      ? []
      : [
          `More than one instance forces 8 GPUs on each: gpu_count was raised from ${gpuCount} to 8, ${gpusOfInstance * instanceCount} GPUs in all.`,
        ]
  return { ok: true, gpuCount: gpusOfInstance, instanceCount, warnings }
}
