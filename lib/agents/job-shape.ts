/** Allowed numbers of GPUs per instance. */
export const gpuCounts = [1, 2, 4, 8] as const
type GpuCount = (typeof gpuCounts)[number]

const gpusOfInstance = 8

interface JobShape {
  gpuCount: GpuCount
  /** What was changed in the request. */
  warnings: string[]
}

/** Decides the GPUs of each instance. With several instances each gets eight, with a warning if fewer were requested. */
export function decideShape(gpuCount: GpuCount, instanceCount: number): JobShape {
  if (instanceCount === 1 || gpuCount === gpusOfInstance) return { gpuCount, warnings: [] }
  const requested = gpuCount * instanceCount
  const raised = `This job takes ${gpusOfInstance * instanceCount} GPUs. Several instances require 8 GPUs on each, so gpu_count was raised from ${gpuCount} to 8.`
  const fitting = gpuCounts.find((count) => count >= requested)
  const smaller = ` One instance is enough for ${requested} GPUs: to use fewer, stop this job and create it with instance_count 1 and gpu_count ${fitting}.`
  return { gpuCount: gpusOfInstance, warnings: [fitting === undefined ? raised : raised + smaller] }
}
