import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from '../../env'

let loading: Promise<string> | undefined

/** What signs sessions: GPUQ_SECRET, or a secret made once and kept in the data directory. */
export function sessionSecret(): Promise<string> {
  loading ??= readOrMake().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

async function readOrMake(): Promise<string> {
  const { GPUQ_SECRET, GPUQ_DATA_DIR } = env()
  return GPUQ_SECRET ?? secretOfDirectory(GPUQ_DATA_DIR)
}

/**
 * The secret kept in a directory, made if there is none. It is written beside and linked into place, which fails when
 * the file is there: of two processes that start at once, both use the one that came first, whole.
 */
export async function secretOfDirectory(directory: string): Promise<string> {
  const path = join(directory, 'session-secret')
  return (await readSecret(path)) ?? (await makeSecret(directory, path))
}

async function makeSecret(directory: string, path: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`
  const file = await open(/* turbopackIgnore: true */ draft, 'wx', 0o600)
  try {
    await file.writeFile(randomBytes(48).toString('base64url'))
    await file.sync()
    await link(draft, path).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
  } finally {
    await file.close()
    await unlink(draft)
  }
  const secret = await readSecret(path)
  if (secret === null) throw new Error(`${path} was removed while it was being made. Start gpuq again.`)
  return secret
}

async function readSecret(path: string): Promise<string | null> {
  try {
    const secret = (await readFile(path, 'utf8')).trim()
    if (secret.length >= 32) return secret
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
  throw new Error(
    `${path} holds fewer than 32 characters. Remove it to get a new secret; everyone signs in again.`,
  )
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
