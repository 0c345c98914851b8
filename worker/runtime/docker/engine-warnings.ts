import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { EngineProperties } from '../engine-info'
import type { EngineDialect } from './engine-dialect'

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
  CgroupVersion: z.string().nullish(),
  CgroupDriver: z.string().nullish(),
  DockerRootDir: z.string().nullish(),
})

/** The versions of the components in `GET /version`. */
export const engineVersionSchema = z.object({
  Components: z.array(z.object({ Name: z.string(), Version: z.string() })).nullish(),
})

type EngineVersion = z.infer<typeof engineVersionSchema>

/** Whether Podman answers the requests for Docker. */
export function isPodman({ Components }: EngineVersion): boolean {
  return Components?.some(({ Name }) => Name === 'Podman Engine') ?? false
}

export type EngineDetails = z.infer<typeof engineInfoSchema>

/** Minimum versions; older ones have a known container escape or bypass. */
export const minimumVersions = {
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

/** Returns what gpuq must know about an engine; null versions belong to components that it does not have. */
export function toProperties(
  info: EngineDetails,
  version: EngineVersion,
  toolkitVersion: string | null,
  { limitations, reportsMemoryKills }: Pick<EngineDialect, 'limitations' | 'reportsMemoryKills'>,
): EngineProperties {
  const component = (name: string) =>
    version.Components?.find((part) => part.Name.toLowerCase() === name)?.Version ?? null
  // Docker names the default runtime. The NVIDIA toolkit's is called `nvidia`, and reports the version of runc, which it
  // calls. Podman names the program that starts containers, and shows all that it prints about itself.
  const runc =
    component('runc') ?? component('nvidia') ?? component('oci runtime (runc)')?.match(/\d\S*/)?.[0] ?? null
  return {
    product: isPodman(version) ? 'Podman' : 'Docker',
    limitations,
    reportsMemoryKills: reportsMemoryKills(),
    version: info.ServerVersion,
    versions: { engine: component('engine'), runc, toolkit: toolkitVersion },
    seccomp: info.SecurityOptions?.some((option) => option.includes('name=seccomp')) ?? false,
    limits: {
      memory: info.MemoryLimit,
      swap: info.SwapLimit,
      cpu: info.CpuCfsQuota,
      processes: info.PidsLimit,
    },
    liveRestore: info.LiveRestoreEnabled,
    cgroupVersion: info.CgroupVersion ?? null,
    directory: info.DockerRootDir ?? null,
  }
}

/** Describes an outdated component; null: it is new enough, or does not exist. */
export function describeOutdated(part: keyof typeof minimumVersions, version: string | null): string | null {
  const { name, minimum } = minimumVersions[part]
  if (version === null || !isBelow(version, minimum)) return null
  return `${name} ${version} is older than ${minimum} and has known container escapes.`
}

/** What a job can do if the engine lacks a limit. */
const withoutLimit = {
  memory: 'The engine cannot limit memory: one job can use all of it.',
  swap: 'The engine cannot limit swap: a job over its memory limit may swap instead of ending.',
  cpu: 'The engine cannot limit CPU: one job can slow down the others.',
  processes: 'The engine cannot limit processes: a fork bomb affects the whole host.',
} as const satisfies Record<keyof EngineProperties['limits'], string>

/** Describes each limit that the engine lacks. */
export function describeMissingLimits(limits: EngineProperties['limits']): string[] {
  return (Object.keys(withoutLimit) as (keyof typeof withoutLimit)[])
    .filter((name) => !limits[name])
    .map((name) => withoutLimit[name])
}

export const noSeccomp = 'The engine has no seccomp: jobs can make every system call.'
export const noLiveRestore = 'The engine runs without live-restore: restarting it ends every running job.'

/** Returns warnings about outdated or missing features of this engine, each with the component's name. */
export function describeEngine({ versions, seccomp, limits, liveRestore }: EngineProperties): string[] {
  const parts = Object.keys(minimumVersions) as (keyof typeof minimumVersions)[]
  const outdated = parts.flatMap((part) => describeOutdated(part, versions[part]) ?? [])
  return [
    ...outdated.map((sentence) => `${sentence} Update it.`),
    ...(seccomp ? [] : [`${noSeccomp} Enable seccomp.`]),
    ...describeMissingLimits(limits),
    ...(liveRestore ? [] : [`${noLiveRestore} Enable live-restore.`]),
  ]
}

/** Whether the engine runs in a user namespace, with a network of its own. */
export function isRootless({ SecurityOptions }: EngineDetails): boolean {
  return SecurityOptions?.some((option) => option.includes('name=rootless')) ?? false
}

/** Whether a user of a container is another user on the host. */
export function mapsUsers(details: EngineDetails): boolean {
  return (
    isRootless(details) ||
    (details.SecurityOptions?.some((option) => option.includes('name=userns')) ?? false)
  )
}

/** Whether the engine labels containers with SELinux. */
export function hasSelinux({ SecurityOptions }: EngineDetails): boolean {
  return SecurityOptions?.some((option) => option.includes('name=selinux')) ?? false
}

/** Whether the engine manages cgroups itself, and can put a container below any of them. */
export function hasAnyCgroup({ CgroupDriver }: EngineDetails): boolean {
  return CgroupDriver === 'cgroupfs'
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
