import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'

/** The properties of `GET /info` that gpuq uses. Podman omits some of them. */
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

/** The versions of the components in `GET /version`. */
export const engineVersionSchema = z.object({
  Components: z.array(z.object({ Name: z.string(), Version: z.string() })).nullish(),
})

type EngineDetails = z.infer<typeof engineInfoSchema>

/** Minimum versions; older ones have a known container escape or bypass. */
const minimumVersions = {
  engine: { name: 'Docker Engine', minimum: '29.5' },
  runc: { name: 'runc', minimum: '1.3.6' },
  toolkit: { name: 'NVIDIA container toolkit', minimum: '1.18.2' },
} as const

/** Compares the leading numbers of two versions: `1.1.5+ds1` is below `1.3.6`, `29.5.0~rc1` is not below `29.5`. */
export function isBelow(version: string, minimum: string): boolean {
  const numbers = (text: string) => (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? '0').split('.').map(Number)
  const left = numbers(version)
  const right = numbers(minimum)
  const length = Math.max(left.length, right.length)
  const difference = Array.from({ length }, (_, part) => (left[part] ?? 0) - (right[part] ?? 0)).find(
    (d) => d !== 0,
  )
  return difference !== undefined && difference < 0
}

/**
 * Returns warnings about outdated or missing features of this engine, each with the component's name. Ignores
 * components that do not exist, such as the NVIDIA toolkit on a node without GPUs.
 */
export function describeEngine(
  info: EngineDetails,
  version: z.infer<typeof engineVersionSchema>,
  toolkitVersion: string | null,
): string[] {
  const component = (name: string) =>
    version.Components?.find((part) => part.Name.toLowerCase() === name)?.Version ?? null
  const installed = { engine: component('engine'), runc: component('runc'), toolkit: toolkitVersion }
  const outdated = (Object.keys(minimumVersions) as (keyof typeof minimumVersions)[]).flatMap((part) => {
    const found = installed[part]
    const { name, minimum } = minimumVersions[part]
    return found !== null && isBelow(found, minimum)
      ? [`${name} ${found} is older than ${minimum} and has known container escapes. Update it.`]
      : []
  })
  return [...outdated, ...missingLimits(info)]
}

/** Whether the engine runs in a user namespace, with a network of its own. */
export function isRootless({ SecurityOptions }: EngineDetails): boolean {
  return SecurityOptions?.some((option) => option.includes('name=rootless')) ?? false
}

/** Whether the engine labels containers with SELinux. */
export function hasSelinux({ SecurityOptions }: EngineDetails): boolean {
  return SecurityOptions?.some((option) => option.includes('name=selinux')) ?? false
}

function missingLimits(info: EngineDetails): string[] {
  const seccomp = info.SecurityOptions?.some((option) => option.includes('name=seccomp')) ?? false
  const checks: [boolean, string][] = [
    [seccomp, 'The engine has no seccomp: jobs can make every system call. Enable seccomp.'],
    [info.MemoryLimit, 'The engine cannot limit memory: one job can use all of it.'],
    [info.SwapLimit, 'The engine cannot limit swap: a job over its memory limit may swap instead of ending.'],
    [info.CpuCfsQuota, 'The engine cannot limit CPU: one job can slow down the others.'],
    [info.PidsLimit, 'The engine cannot limit processes: a fork bomb affects the whole host.'],
    [
      info.LiveRestoreEnabled,
      'The engine runs without live-restore: restarting it ends every running job. Enable live-restore.',
    ],
  ]
  return checks.flatMap(([present, sentence]) => (present ? [] : [sentence]))
}

/** Parses the output of `nvidia-ctk --version`; null without a version. */
export function parseToolkitVersion(output: string): string | null {
  return /version\s+v?(\d+(?:\.\d+)+)/i.exec(output)?.[1] ?? null
}

/** Returns the version of the NVIDIA container toolkit on this host; null if it is not installed. */
export async function readToolkitVersion(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('nvidia-ctk', ['--version'], { timeout: 5000 })
    return parseToolkitVersion(stdout)
  } catch {
    // Missing or unusable. worker/gpus checks the GPUs themselves.
    return null
  }
}
