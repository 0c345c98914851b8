import type { Pool } from '@/lib/contract/config/pools'
import { splitShellWords } from '@/lib/contract/config/program/shell-words'
import type { ConfigKey } from '@/lib/contract/config/schema'
import { type GpuqError, invalidRequest } from '@/lib/contract/errors'
import { type Context, print } from '../context'
import { note } from '../job/show-job'
import { submitDirectory } from '../job/submit-directory'

interface MultihostOptions {
  COMMAND: string
  NUM_SLICES: number
  RUN_NAME?: string
  BUCKET_NAME?: string
  CQR_EXTRA_ARGS?: string
  SCRIPT_DIR: string
  project?: string
  gpus?: number
  gpuModel?: string
  cpu?: number
  memory?: number
  expectedTime?: number
  environment?: string
  env?: Record<string, string>
  quiet?: boolean
  json?: boolean
}

/** The options of this command, for errors about the config that is made from them. */
const flags: Partial<Record<ConfigKey, string>> = {
  command: '--COMMAND',
  instance_count: '--NUM_SLICES',
  run_name: '--RUN_NAME',
  bucket: '--BUCKET_NAME',
  provision_args: '--CQR_EXTRA_ARGS',
  fresh_nodes: 'multihost-job',
  archive: '--SCRIPT_DIR',
}

/** Uploads a directory, and queues a job on new nodes of its own. Returns when the request is accepted. */
export async function multihostJob(context: Context, options: MultihostOptions): Promise<number> {
  const { quiet = false, json } = options
  const extra = readExtraArgs(options.CQR_EXTRA_ARGS ?? '')
  const config = {
    command: options.COMMAND,
    instance_count: options.NUM_SLICES,
    run_name: options.RUN_NAME,
    bucket: options.BUCKET_NAME,
    fresh_nodes: true,
    ...extra,
    project_id: options.project,
    gpus: options.gpus,
    gpu_model: options.gpuModel,
    cpu: options.cpu,
    memory_gb: options.memory,
    expected_time: options.expectedTime,
    environment: options.environment,
    env: options.env,
  }
  const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined))
  const submitted = await submitDirectory(context, options.SCRIPT_DIR, given, {
    quiet,
    flags: extra.pool === undefined ? flags : { ...flags, pool: `--CQR_EXTRA_ARGS="--${extra.pool}"` },
  })
  const { client, jobId, status, archive, page } = submitted
  const { bucket } = await client.jobs.get(jobId)
  const final_log = bucket?.log_url ?? client.jobs.downloadUrl(jobId, 'text')
  if (!quiet && !json) {
    await note(context, `job ${jobId}`)
    if (!bucket) await note(context, 'the project has no bucket: gpuq keeps the results and the final log')
  }
  const facts = {
    job_id: jobId,
    status,
    run_name: options.RUN_NAME ?? null,
    archive,
    live_log: page,
    final_log,
  }
  return print(
    context,
    json,
    { ...facts, bucket_url: bucket?.url ?? null },
    `live log: ${page}\nfinal log: ${final_log}\n`,
  )
}

/** The options that choose a pool instead of being passed on. */
const poolOptions: Readonly<Record<string, Pool>> = {
  '--reserved': 'reserved',
  '--best-effort': 'best-effort',
}

/**
 * Reads the options for the request of the nodes. They are split as a shell does, and nothing in them is expanded. A value
 * may follow its option after a blank.
 * @throws GpuqError for text that is no option.
 */
export function readExtraArgs(text: string): { pool?: Pool; provision_args?: string[] } {
  const split = splitShellWords(text)
  if (!split.ok) throw refuse(split.message)
  const pools: Pool[] = []
  const provision_args: string[] = []
  for (const word of split.words) {
    const pool = Object.hasOwn(poolOptions, word) ? poolOptions[word] : undefined
    const last = provision_args.at(-1)
    if (pool) pools.push(pool)
    else if (word.startsWith('--')) provision_args.push(word)
    else if (last === undefined || last.includes('=')) throw refuse(`"${word}" is not an option`)
    else provision_args.splice(-1, 1, `${last}=${word}`)
  }
  const [pool, other] = new Set(pools)
  if (other) throw refuse('--reserved and --best-effort exclude each other')
  return { ...(pool ? { pool } : {}), ...(provision_args.length > 0 ? { provision_args } : {}) }
}

function refuse(problem: string): GpuqError {
  return invalidRequest(
    `--CQR_EXTRA_ARGS: ${problem}. Write options such as "--reserved --network=research".`,
  )
}
