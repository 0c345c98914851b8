import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { schedulingPolicies } from './contract/cluster'
import { readJobNetworks } from './contract/job-network'
import { parseWorkspaces } from './contract/workspaces'

/**
 * Every environment variable gpuq reads, declared once. `describe` is what the admin guide prints.
 * A wrong value stops the process at start with a sentence that names the variable.
 */
const flag = z.stringbool()
const port = z.coerce.number().int().min(1).max(65535)
const count = z.coerce.number().int().min(0)
const workspaces = z.string().transform((text, context) => {
  const parsed = parseWorkspaces(text)
  if (parsed.ok) return parsed.workspaces
  context.addIssue({ code: 'custom', message: parsed.message })
  return z.NEVER
})

/** A bucket's name, and what comes before each key in it. */
const bucketPattern = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*)\/?$/

export const envSchema = z.object({
  PORT: port.default(8001).describe('where the web server listens'),
  HOST: z.string().default('0.0.0.0').describe('address the web server binds to'),
  GPUQ_URL: z
    .url()
    .optional()
    .describe('the public address, as in links and sign-in redirects; default http://localhost:PORT'),
  GPUQ_DATA_DIR: z
    .string()
    .default('./data')
    .transform((path) => resolve(path))
    .describe('results, the embedded database, logs and secrets'),
  DATABASE_URL: z
    .string()
    .optional()
    .describe('a PostgreSQL (15 or later) address; unset: gpuq runs its own in the data directory'),
  GPUQ_DATABASE_CONNECTIONS: count.min(2).default(10).describe('connections each process may hold'),
  GPUQ_STORAGE: z
    .string()
    .regex(bucketPattern, 'must be s3://BUCKET or s3://BUCKET/PREFIX')
    .optional()
    .describe(
      'where results, archives, artifacts and checkpoints lie: `s3://BUCKET/PREFIX`; unset: in the data directory',
    ),
  GPUQ_S3_ENDPOINT: z.url().optional().describe("the bucket's server, where it is not Amazon's"),
  GPUQ_S3_REGION: z.string().default('us-east-1').describe("the bucket's region"),
  GPUQ_S3_ACCESS_KEY_ID: z
    .string()
    .optional()
    .describe(
      "the bucket's access key; unset: what the AWS SDK finds by itself, such as a role of the machine",
    ),
  GPUQ_S3_SECRET_ACCESS_KEY: z.string().optional().describe('the secret that belongs to that access key'),
  GPUQ_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe('signs sessions; unset: made once and kept in the data directory'),
  GPUQ_ADMIN_EMAIL: z
    .email()
    .default('admin@localhost.localdomain')
    .describe("first start: the admin's sign-in"),
  GPUQ_ADMIN_PASSWORD: z
    .string()
    .min(10)
    .optional()
    .describe("first start: the admin's password; unset: generated"),
  GPUQ_ADMIN_TOKEN: z
    .string()
    .min(32)
    .optional()
    .describe("first start: the admin's token, any string of 32 characters or more; unset: generated"),
  GPUQ_SUBMISSIONS_PER_MINUTE: count.default(5).describe('default limit of a researcher'),
  GPUQ_MAX_ACTIVE_JOBS: count.default(1).describe('default limit of a researcher: waiting and running jobs'),
  GPUQ_MAX_WAIT_S: count
    .default(3600)
    .describe('how long a submit waits for its result before it answers 202'),
  GPUQ_MAX_TIME_S: count
    .min(1)
    .max(2_000_000)
    .default(86_400)
    .describe('ceiling on every time limit of a job'),
  GPUQ_MAX_OUTPUT_MIB: count.min(1).default(64).describe('output a job may print'),
  GPUQ_MAX_ARCHIVE_MIB: count
    .min(1)
    .default(4096)
    .describe('largest directory that may be shipped with a job'),
  GPUQ_MAX_ARCHIVES_GIB: count
    .min(1)
    .default(100)
    .describe("what the directories of one owner's projects may take in all"),
  GPUQ_MAX_ARTIFACTS_MIB: count
    .max(1_000_000)
    .default(1024)
    .describe('what a task may leave in `/results`, in memory that counts as its own; 0: nothing'),
  GPUQ_NODE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
    .default(nodeName())
    .describe("this worker's node"),
  GPUQ_NODE_LEASE_S: count
    .min(9)
    .default(30)
    .describe(
      'how long after its last sign of life a node is lost and its jobs are retried; its worker stops their containers after two thirds of that; the same for all workers',
    ),
  GPUQ_NODE_POOL: z
    .enum(['on-demand', 'reserved'])
    .default('on-demand')
    .describe('the pool whose jobs the node takes, beside best-effort ones'),
  GPUQ_CHECKPOINTS_DIR: z
    .string()
    .transform((path) => resolve(path))
    .optional()
    .describe(
      'where named runs keep their checkpoints, on a disk that all nodes share; unset: in the bucket of GPUQ_STORAGE, else in the data directory; the same for all workers',
    ),
  GPUQ_MAX_CHECKPOINTS_GIB: count
    .min(1)
    .default(200)
    .describe('what the checkpoints of one run may take there'),
  GPUQ_NODE_FOR_JOB: z
    .uuid()
    .optional()
    .describe('the one job the node takes, where a provisioner brought it up for that job'),
  GPUQ_PROVISION_UP: z
    .string()
    .optional()
    .describe('a shell command that brings up nodes for one job; every worker and the web server need it'),
  GPUQ_PROVISION_DOWN: z
    .string()
    .optional()
    .describe('a shell command that takes down what the other one has brought up'),
  GPUQ_PROVISION_DEADLINE_S: count
    .min(1)
    .default(1800)
    .describe('how long a job waits for its nodes to come up before it fails'),
  GPUQ_SIMULATED_GPUS: count
    .max(1024)
    .optional()
    .describe('serve this many simulated GPUs; unset: the real ones, or 2 simulated where there is none'),
  GPUQ_NODE_ADDRESS: z
    .ipv4()
    .optional()
    .describe('where other nodes reach this machine; unset: the address from which it reaches the database'),
  GPUQ_JOB_NETWORKS: z
    .string()
    .default('10.213.0.0/16')
    .superRefine((range, issues) => {
      try {
        readJobNetworks(range)
      } catch (error) {
        issues.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is wrong' })
      }
    })
    .describe(
      'addresses for the networks of jobs over several nodes, the same on every node and used by nothing else',
    ),
  GPUQ_GPUS: count
    .max(1024)
    .optional()
    .describe(
      "serve only so many of the machine's GPUs, the first ones; where there is none, so many simulated ones; unset: all",
    ),
  GPUQ_NOTIFY_PRIVATE: flag
    .default(false)
    .describe("whether a job's notify_url may be on this host or on a private network"),
  GPUQ_WORKSPACES: workspaces
    .optional()
    .describe(
      'directories on shared storage that jobs of a project work in: OWNER/PROJECT=/path with commas between, or a root such as /workspace for /workspace/OWNER/PROJECT; the same for web and workers',
    ),
  GPUQ_CONTAINER_RUNTIME: z.string().optional().describe('another OCI runtime of the engine, such as runsc'),
  GPUQ_DEFAULT_IMAGE: z
    .string()
    .default('gpuq/python:1')
    .describe('image of the default environment, python'),
  GPUQ_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('how much is logged'),
  GPUQ_GITHUB_ID: z.string().optional().describe('sign-in with GitHub: client id'),
  GPUQ_GITHUB_SECRET: z.string().optional().describe('sign-in with GitHub: client secret'),
  GPUQ_OIDC_ISSUER: z.url().optional().describe('sign-in with an OIDC provider: issuer address'),
  GPUQ_OIDC_ID: z.string().optional().describe('sign-in with an OIDC provider: client id'),
  GPUQ_OIDC_SECRET: z.string().optional().describe('sign-in with an OIDC provider: client secret'),
  GPUQ_OIDC_NAME: z.string().default('Single sign-on').describe('what its button says'),
  GPUQ_SECURE_COOKIES: flag.optional().describe('force or forbid secure cookies; default: as GPUQ_URL says'),
  RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED: flag
    .default(true)
    .describe('first start: whether the orchestrator runs; later an admin starts and stops it'),
  RESEARCH_AGENT_SCHEDULING_POLICY: z
    .enum(schedulingPolicies)
    .default('priority')
    .describe('first start: the scheduling policy, one of priority, fcfs, sjf and fair_share'),
  RESEARCH_AGENT_MAX_QUEUE_SIZE: count
    .max(1_000_000)
    .default(100)
    .describe('first start: how many jobs may wait before the queue API refuses more'),
  RESEARCH_AGENT_USER_AUTH_TOKEN: z
    .string()
    .min(32)
    .optional()
    .describe('first start: another name of GPUQ_ADMIN_TOKEN, which goes before it'),
})

/** The bucket that GPUQ_STORAGE names, and its prefix, which is empty or ends with a slash. */
export function parseBucket(address: string): { bucket: string; prefix: string } {
  const [, bucket = '', path = ''] = bucketPattern.exec(address) ?? []
  return { bucket, prefix: path === '' ? '' : `${path.slice(1)}/` }
}

export type Env = z.infer<typeof envSchema>

/** Where runs keep their checkpoints; null: in the bucket. A disk that is named for them goes before it. */
export function checkpointsDirectory(
  settings: Pick<Env, 'GPUQ_CHECKPOINTS_DIR' | 'GPUQ_STORAGE' | 'GPUQ_DATA_DIR'>,
): string | null {
  const { GPUQ_CHECKPOINTS_DIR: given, GPUQ_STORAGE: bucket, GPUQ_DATA_DIR: dataDirectory } = settings
  if (given !== undefined) return given
  return bucket === undefined ? join(dataDirectory, 'checkpoints') : null
}

function nodeName(): string {
  const name = hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
  return name || 'node'
}

/** Parses an environment; an unset and an empty variable are the same. Throws one sentence per wrong variable. */
export function parseEnv(source: NodeJS.ProcessEnv): Env {
  const given = Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = envSchema.safeParse(given)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`These environment variables are wrong:\n  ${lines.join('\n  ')}`)
}

/** Every variable with its meaning and default, for the docs. */
export function describeEnv(): { name: string; meaning: string; fallback: string }[] {
  return Object.entries(envSchema.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined)
    const fixed = fallback.success && fallback.data !== undefined && !dependsOnMachine.has(name)
    return { name, meaning: schema.description ?? '', fallback: fixed ? `\`${fallback.data}\`` : '' }
  })
}

const dependsOnMachine = new Set(['GPUQ_DATA_DIR', 'GPUQ_NODE_NAME'])

let cached: Env | undefined

/** This process's environment, read once. */
export function env(): Env {
  cached ??= parseEnv(process.env)
  return cached
}

/** The public address without a trailing slash. */
export function publicUrl(): string {
  return (env().GPUQ_URL ?? `http://localhost:${env().PORT}`).replace(/\/$/, '')
}
