import { createHash } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '@/lib/contract/parse-json'
import { readIfPresent, writePrivateFile, xdgDirectory } from '../files'
import { idAsName, isUuid } from '../received/path-below'

const hashes = z.record(z.string(), z.string())

const stateSchema = z.object({
  version: z.literal(1),
  server: z.string(),
  /** Absolute path of the directory to which the files return. */
  directory: z.string(),
  /** The position in the list of the job's files. */
  after: z.number(),
  /** The content that each file had when it was brought back, by its path here. */
  returned: hashes,
  /** The rank that owns each path. */
  owners: z.record(z.string(), z.number()),
})
const shippedSchema = z.object({ version: z.literal(1), files: hashes })

/** What is known of a job's files here. Kept on disk until the job has ended, so that another command can continue. */
export interface SyncState extends Omit<z.infer<typeof stateSchema>, 'version'> {
  jobId: string
  /** The directory, if the user named another one than the working directory of the job. */
  into?: string | undefined
  /** The content of the files that were sent with the job. */
  shipped: Readonly<Record<string, string>>
}

const rootOf = (env: NodeJS.ProcessEnv) => join(xdgDirectory(env, 'CACHE'), 'gpuq', 'sync')
/**
 * The directory with the state of a job. Each directory that the user named has its own: the files that were sent are known only for
 * the working directory. @throws FileProblem if the id is not a UUID.
 */
function directoryOf(env: NodeJS.ProcessEnv, jobId: string, into?: string): string {
  const mark = into === undefined ? '' : `.${createHash('sha256').update(into).digest('hex')}`
  return join(rootOf(env), idAsName(jobId) + mark)
}

/** The state of a job whose files have not returned yet. */
export function newState(
  given: Pick<SyncState, 'jobId' | 'server' | 'directory' | 'into' | 'shipped'>,
): SyncState {
  return { ...given, after: 0, returned: {}, owners: {} }
}

/**
 * Saves a state for the first time, with the files that were sent. If the disk is full or read-only, another command cannot
 * continue, and the files return all the same.
 */
export async function createState(env: NodeJS.ProcessEnv, state: SyncState): Promise<void> {
  const directory = directoryOf(env, state.jobId, state.into)
  const shipped: z.input<typeof shippedSchema> = { version: 1, files: { ...state.shipped } }
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await writePrivateFile(join(directory, 'shipped.json'), JSON.stringify(shipped))
  } catch {
    return
  }
  await saveState(env, state)
}

/** Saves the progress of a state, if the disk allows it. */
export async function saveState(
  env: NodeJS.ProcessEnv,
  { jobId, into, shipped: _, ...state }: SyncState,
): Promise<void> {
  const saved: z.input<typeof stateSchema> = { version: 1, ...state }
  const path = join(directoryOf(env, jobId, into), 'state.json')
  await writePrivateFile(path, JSON.stringify(saved)).catch(() => undefined)
}

/** Reads the state of a job, in its working directory or `into` another one; null if there is none that can be read. */
export async function readState(
  env: NodeJS.ProcessEnv,
  jobId: string,
  into?: string,
): Promise<SyncState | null> {
  const directory = directoryOf(env, jobId, into)
  const [state, shipped] = await Promise.all([
    readIfPresent(join(directory, 'state.json')),
    readIfPresent(join(directory, 'shipped.json')),
  ])
  const parsed = stateSchema.safeParse(parseJson(state ?? ''))
  const sent = shippedSchema.safeParse(parseJson(shipped ?? ''))
  if (!parsed.success || !sent.success) return null
  const { version: _, ...rest } = parsed.data
  return { ...rest, jobId, into, shipped: sent.data.files }
}

/** Reads the states of all jobs in their working directories. */
export async function readStates(env: NodeJS.ProcessEnv): Promise<SyncState[]> {
  const names = await readdir(rootOf(env)).catch(() => [])
  const states = await Promise.all(names.filter(isUuid).map((name) => readState(env, name)))
  return states.filter((state) => state !== null)
}

/** Removes the state of a job whose files are complete here. */
export async function removeState(env: NodeJS.ProcessEnv, jobId: string, into?: string): Promise<void> {
  await rm(directoryOf(env, jobId, into), { recursive: true, force: true })
}
