import { z } from 'zod'
import type { Usage } from '../runtime'

/**
 * The properties of `GET /containers/ID/stats` that gpuq uses. A container that is not running has no memory
 * figures, and with Podman no figures at all.
 */
export const statsSchema = z.object({
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number().nonnegative() }) }).nullish(),
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
 * Returns what a container has used so far; null if the engine reports nothing. Cgroups version 1 reports the peak
 * memory. Version 2 reports the current memory, from which reclaimable cache is subtracted.
 */
export function toUsage({ cpu_stats, memory_stats }: z.infer<typeof statsSchema>): Usage | null {
  const { usage, max_usage, stats } = memory_stats ?? {}
  if (usage === undefined || !cpu_stats) return null
  // Only version 1 has this key. With version 2, Podman reports the limit in the field of the peak.
  const keepsPeak = stats?.total_inactive_file !== undefined
  const held = heldBytes(usage, stats)
  return {
    cpuSeconds: cpu_stats.cpu_usage.total_usage / 1e9,
    memoryMib: Math.ceil(held / mib),
    memoryPeakMib: Math.ceil(((keepsPeak && max_usage) || held) / mib),
  }
}

/** Returns the memory in MiB that a container uses now, without reclaimable cache; null if the engine reports nothing. */
export function heldMib({ memory_stats }: z.infer<typeof statsSchema>): number | null {
  const { usage, stats } = memory_stats ?? {}
  return usage === undefined ? null : Math.ceil(heldBytes(usage, stats) / mib)
}

const heldBytes = (usage: number, stats: Record<string, number> | null | undefined): number =>
  Math.max(0, usage - (stats?.total_inactive_file ?? stats?.inactive_file ?? 0))
