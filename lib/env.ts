import { join, resolve } from 'node:path'
import { z } from 'zod'
import { schedulingPolicies } from './contract/cluster/policy-fields'
import { ipRanges } from './contract/ip-ranges'
import { bucketVariables } from './env/bucket'
import { refuseKeptJobs } from './env/kept-jobs'
import { count, limitVariables } from './env/limits'
import { httpAddress, listensEverywhere, listensLocally } from './env/listening'
import { notificationVariables } from './env/notifications'
import { provisionVariables } from './env/provisioning'
import { refuseSharedHostFiles } from './env/shared-server'
import { signInVariables } from './env/sign-in'
import { slurmVariables } from './env/slurm'
import { addressRanges, flag, jobNetworks, nodeName, workspaces } from './env/values'

/**
 * Every environment variable of gpuq. The admin guide has the descriptions.
 * An invalid value stops the process at its start, with an error that names the variable.
 */
const port = z.coerce.number().int().min(1).max(65535)

export const envSchema = z.object({
  PORT: port.default(8001).describe('port of the web server'),
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe(
      'address to which the web server binds; the default: only this machine, `0.0.0.0`: all networks',
    ),
  GPUQ_URL: z
    .url()
    .optional()
    .describe('public address, for links and sign-in redirects; unset: the address of the web server'),
  GPUQ_TRUSTED_PROXIES: addressRanges
    .optional()
    .describe(
      'addresses and ranges of the proxies in front of the web server; only these may set `X-Forwarded-For`, `-Host` and `-Proto`',
    ),
  GPUQ_DATA_DIR: z
    .string()
    .default('./data')
    .transform((path) => resolve(path))
    .describe('directory for results, the embedded database, logs and secrets'),
  DATABASE_URL: z
    .string()
    .optional()
    .describe('address of a PostgreSQL (15 or later); unset: an embedded one in the data directory'),
  GPUQ_DATABASE_CONNECTIONS: count
    .min(2)
    .default(10)
    .describe('maximum database connections of each process'),
  ...bucketVariables,
  GPUQ_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe(
      'secret that signs sessions and encrypts the keys of buckets and the targets of notifications; unset: generated once and stored in the data directory',
    ),
  GPUQ_ADMIN_EMAIL: z
    .email()
    .default('admin@localhost.localdomain')
    .describe("first start: the admin's email"),
  GPUQ_ADMIN_PASSWORD: z
    .string()
    .min(10)
    .optional()
    .describe("first start: the admin's password, which must be hard to guess; unset: generated"),
  GPUQ_ADMIN_TOKEN: z
    .string()
    .min(32)
    .optional()
    .describe("first start: the admin's token, at least 32 characters; unset: generated"),
  ...limitVariables,
  GPUQ_NODE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
    .default(nodeName())
    .describe("name of this worker's node"),
  GPUQ_NODE_LEASE_S: count
    .min(9)
    .default(30)
    .describe(
      'time without a renewal after which a node is lost; its worker stops the containers after two thirds of it; the same for all workers',
    ),
  GPUQ_CHECK_INTERVAL_H: count
    .default(6)
    .describe('maximum hours between two checks of a node; 0: only when an admin requests one'),
  GPUQ_WARM_CONTAINERS: count
    .default(16)
    .describe(
      'maximum number of warm containers of a node, which are started before their job is known; 0: none',
    ),
  GPUQ_WARM_MEMORY_MIB: count.default(512).describe('maximum memory in MiB of the warm containers of a node'),
  GPUQ_NODE_POOL: z
    .enum(['on-demand', 'reserved'])
    .default('on-demand')
    .describe('pool whose jobs the node accepts, in addition to best-effort jobs'),
  GPUQ_CHECKPOINTS_DIR: z
    .string()
    .transform((path) => resolve(path))
    .optional()
    .describe(
      'directory for the checkpoints of runs, on a disk that all nodes share; unset: the bucket of GPUQ_STORAGE or the data directory; the same for all workers',
    ),
  GPUQ_MAX_CHECKPOINTS_GIB: count.min(1).default(200).describe('maximum size of the checkpoints of one run'),
  GPUQ_NODE_FOR_JOB: z
    .uuid()
    .optional()
    .describe('the only job that the node accepts, if it was started for that job'),
  ...provisionVariables,
  ...slurmVariables,
  GPUQ_SIMULATED_GPUS: count
    .max(1024)
    .optional()
    .describe('number of simulated GPUs; unset: the real GPUs, or 2 simulated ones if there are none'),
  GPUQ_NODE_ADDRESS: z
    .ipv4()
    .optional()
    .describe('address of this machine for other nodes; unset: its address towards the database'),
  GPUQ_JOB_NETWORKS: jobNetworks
    .default('10.213.0.0/16')
    .describe('unused private addresses for the networks of jobs on several nodes; the same on all nodes'),
  GPUQ_ALLOWED_NETWORKS: ipRanges
    .optional()
    .describe(
      'private IPv4 ranges, separated by commas, that jobs with internet access may reach; unset: none',
    ),
  GPUQ_JOB_FIREWALL: flag
    .default(true)
    .describe('false: another firewall keeps jobs with internet access from private networks'),
  GPUQ_GPUS: count
    .max(1024)
    .optional()
    .describe('number of GPUs of the machine to use (simulated ones if it has none); unset: all'),
  ...notificationVariables,
  GPUQ_WORKSPACES: workspaces
    .optional()
    .describe(
      'shared directories of projects: a list of OWNER/PROJECT=/path (OWNER *: every user), or a root such as /workspace for /workspace/OWNER/PROJECT; the same for web server and workers',
    ),
  GPUQ_HOST_FILES: flag
    .default(false)
    .describe(
      'true: the first admin may run scripts of this machine in their own directory; set by `gpuq start`, and only for a server that other machines cannot reach',
    ),
  GPUQ_KEEP_JOBS: flag
    .default(false)
    .describe(
      'true: running jobs go on when gpuq stops or is killed, and the next start continues with them; `gpuq stop` ends them; set by `gpuq start --screen`; only with the embedded database and the builtin engine',
    ),
  GPUQ_CONTAINER_RUNTIME: z
    .string()
    .optional()
    .describe('OCI runtime for jobs, such as runsc; unset: the default of the engine'),
  GPUQ_DEFAULT_IMAGE: z
    .string()
    .default('gpuq/python:2')
    .describe('image of the default environment, python'),
  GPUQ_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('minimum level of log lines'),
  ...signInVariables,
  RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED: flag
    .optional()
    .describe(
      'each start: whether the scheduler runs; true also creates two simulated nodes of eight GPUs if the machine has no GPU, and without PORT serves the queue API on port 10000 of this machine; unset: as an admin set it, at first it runs',
    ),
  RESEARCH_AGENT_SCHEDULING_POLICY: z
    .enum(schedulingPolicies)
    .optional()
    .describe(
      'each start: the scheduling policy (priority, fcfs, sjf or fair_share); unset: as an admin set it, at first priority',
    ),
  RESEARCH_AGENT_MAX_QUEUE_SIZE: count
    .max(1_000_000)
    .optional()
    .describe('each start: maximum number of waiting jobs; unset: as an admin set it, at first 100'),
  RESEARCH_AGENT_USER_AUTH_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe(
      'token that requests on port 10000 need in `X-Auth-Token`; it works nowhere else; unset: programs of the Unix user who started gpuq need none there',
    ),
})

export type Env = z.infer<typeof envSchema>

/** The directory for the checkpoints of runs; null: they are in the bucket. */
export function checkpointsDirectory(
  settings: Pick<Env, 'GPUQ_CHECKPOINTS_DIR' | 'GPUQ_STORAGE' | 'GPUQ_DATA_DIR'>,
): string | null {
  const { GPUQ_CHECKPOINTS_DIR: given, GPUQ_STORAGE: bucket, GPUQ_DATA_DIR: dataDirectory } = settings
  if (given !== undefined) return given
  return bucket === undefined ? join(dataDirectory, 'checkpoints') : null
}

/** Parses an environment. An empty variable counts as unset. @throws an error that names every invalid variable. */
export function parseEnv(source: NodeJS.ProcessEnv): Env {
  const given = Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = envSchema.superRefine(refuseSharedHostFiles).superRefine(refuseKeptJobs).safeParse(given)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(
    `These environment variables are invalid. Correct them and start gpuq again:\n  ${lines.join('\n  ')}`,
  )
}

let cached: Env | undefined

/** The environment of this process, parsed once. */
export function env(): Env {
  cached ??= parseEnv(process.env)
  return cached
}

/** Secrets that only a start uses. deploy/run/settings.mjs has the same list. */
export const firstStartSecrets = [
  'GPUQ_ADMIN_PASSWORD',
  'GPUQ_ADMIN_TOKEN',
  'RESEARCH_AGENT_USER_AUTH_TOKEN',
] as const

/** Reads this process's environment with variables that were taken out of it. */
export function loadEnv(taken: Record<string, string>): void {
  cached = parseEnv({ ...process.env, ...taken })
}

/** Removes the secrets of the first start from this process, so that neither it nor its children keep them. */
export function forgetFirstStartSecrets(): void {
  const settings = env()
  for (const name of firstStartSecrets) {
    delete process.env[name]
    settings[name] = undefined
  }
}

/** The public address without a trailing slash. Without GPUQ_URL, the address that the web server listens on. */
export function publicUrl(): string {
  const { GPUQ_URL, HOST, PORT } = env()
  if (GPUQ_URL !== undefined) return GPUQ_URL.replace(/\/$/, '')
  return httpAddress(listensEverywhere(HOST) || listensLocally(HOST) ? 'localhost' : HOST, PORT)
}
