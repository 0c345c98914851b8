import { z } from 'zod'
import type { Usage } from '../runtime'

/** What `GET /containers/ID/stats` says, as far as gpuq cares. A container that does not run has no memory figures. */
export const statsSchema = z.object({
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number().nonnegative() }) }),
  memory_stats: z
    .object({
      usage: z.number().nonnegative().optional(),
      max_usage: z.number().nonnegative().optional(),
      stats: z.record(z.string(), z.number()).nullish(),
    })
    .nullish(),
})

const mib = 1024 * 1024

/**
 * What a container has used until now; null where the engine gives no figures. Version 1 of control groups keeps the
 * peak of memory itself. Version 2 tells what is held now, from which what the kernel can drop at once is taken off.
 */
export function toUsage({ cpu_stats, memory_stats }: z.infer<typeof statsSchema>): Usage | null {
  const { usage, max_usage, stats } = memory_stats ?? {}
  if (usage === undefined) return null
  // Only version 1 has this key: Podman puts the limit where the peak would be in version 2.
  const keepsPeak = stats?.total_inactive_file !== undefined
  const held = Math.max(0, usage - (stats?.total_inactive_file ?? stats?.inactive_file ?? 0))
  const peak = (keepsPeak && max_usage) || held
  return { cpuSeconds: cpu_stats.cpu_usage.total_usage / 1e9, memoryPeakMib: Math.ceil(peak / mib) }
}
