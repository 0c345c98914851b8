import { z } from 'zod'

/** What `GET /info` says about an engine, as far as gpuq cares. Podman leaves some of it out. */
export const engineInfoSchema = z.object({
  ID: z.string().default(''),
  ServerVersion: z.string().default('unknown'),
  NCPU: z.number().int().positive(),
  MemTotal: z.number().positive(),
  MemoryLimit: z.boolean().default(true),
  SwapLimit: z.boolean().default(true),
  CpuCfsQuota: z.boolean().default(true),
  PidsLimit: z.boolean().default(true),
  LiveRestoreEnabled: z.boolean().default(true),
  SecurityOptions: z.array(z.string()).nullish(),
})

/** What `GET /version` says: the versions of the parts. */
export const engineVersionSchema = z.object({
  Components: z.array(z.object({ Name: z.string(), Version: z.string() })).nullish(),
})

type EngineFacts = z.infer<typeof engineInfoSchema>

/** Versions below which a known escape or bypass is open. */
const floors = {
  engine: { name: 'Docker Engine', floor: '29.5' },
  runc: { name: 'runc', floor: '1.3.6' },
  toolkit: { name: 'NVIDIA container toolkit', floor: '1.18.2' },
} as const

/** Compares the leading numbers of two versions: `1.1.5+ds1` is below `1.3.6`, `29.5.0~rc1` is not below `29.5`. */
export function isBelow(version: string, floor: string): boolean {
  const numbers = (text: string) => (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? '0').split('.').map(Number)
  const left = numbers(version)
  const right = numbers(floor)
  const length = Math.max(left.length, right.length)
  const difference = Array.from({ length }, (_, part) => (left[part] ?? 0) - (right[part] ?? 0)).find(
    (d) => d !== 0,
  )
  return difference !== undefined && difference < 0
}

/**
 * Sentences about what is below its floor or missing on this engine, each with the part's name. A part that is
 * not there at all, such as the NVIDIA toolkit on a node without GPUs, has nothing to warn about.
 */
export function describeEngine(
  info: EngineFacts,
  version: z.infer<typeof engineVersionSchema>,
  toolkitVersion: string | null,
): string[] {
  const component = (name: string) =>
    version.Components?.find((part) => part.Name.toLowerCase() === name)?.Version ?? null
  const installed = { engine: component('engine'), runc: component('runc'), toolkit: toolkitVersion }
  const outdated = (Object.keys(floors) as (keyof typeof floors)[]).flatMap((part) => {
    const found = installed[part]
    const { name, floor } = floors[part]
    return found !== null && isBelow(found, floor)
      ? [`${name} ${found} is older than ${floor}: known ways out of a container are open. Update it.`]
      : []
  })
  return [...outdated, ...missingLimits(info)]
}

function missingLimits(info: EngineFacts): string[] {
  const seccomp = info.SecurityOptions?.some((option) => option.includes('name=seccomp')) ?? false
  const checks: [boolean, string][] = [
    [seccomp, 'The engine has no seccomp: jobs can make every system call.'],
    [info.MemoryLimit, 'The engine cannot limit memory: one job can take all of it.'],
    [info.SwapLimit, 'The engine cannot limit swap: a job over its memory limit may swap instead of ending.'],
    [info.CpuCfsQuota, 'The engine cannot limit CPU: one job can slow the others down.'],
    [info.PidsLimit, 'The engine cannot limit processes: a fork bomb reaches the whole host.'],
    [info.LiveRestoreEnabled, 'The engine runs without live-restore: restarting it ends every running job.'],
  ]
  return checks.flatMap(([present, sentence]) => (present ? [] : [sentence]))
}
