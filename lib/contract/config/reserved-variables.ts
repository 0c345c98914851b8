/**
 * Environment variables a job may not set. Container runtimes and their GPU hooks run on the host as root and read
 * the container's environment: it names the devices they mount (NVIDIA_…), what their loader preloads (LD_…: a known
 * way out of a container) and how their Go and C runtimes behave. GPUQ_… tells a job about itself.
 */
const reservedPrefixes = ['NVIDIA_', 'GPUQ_', 'LD_', '_LIBCONTAINER_', '_OCI', 'LIBNVIDIA_']
const reservedNames = new Set([
  'GLIBC_TUNABLES',
  'GCONV_PATH',
  'LOCPATH',
  'GODEBUG',
  'GOTRACEBACK',
  'GOMAXPROCS',
  'GOGC',
])

/** What a member of a group is told: its own parameters, so a job that repeats a member may set them. */
const parametersOfMember = /^GPUQ_(PARAM_.*|PARAMS|REPEAT|ARRAY_INDEX)$/

/** True when a job's `env` may not hold this name: refuse it by name. */
export function isReservedVariable(name: string): boolean {
  if (parametersOfMember.test(name)) return false
  return reservedNames.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix))
}

/** What a job over several nodes is told by gpuq: it may not say these itself. A job on one node may. */
export const rankVariables = [
  'MASTER_ADDR',
  'MASTER_PORT',
  'NODE_RANK',
  'NNODES',
  'NPROC_PER_NODE',
  'WORLD_SIZE',
] as const

export type RankVariable = (typeof rankVariables)[number]
