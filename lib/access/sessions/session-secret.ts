import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../contract/error-code'
import { env } from '../../env'

let loading: Promise<string> | undefined

/**
 * Returns the secret that signs sessions: GPUQ_SECRET, or one that is generated once and stored in the data
 * directory.
 */
export function sessionSecret(): Promise<string> {
  loading ??= readOrCreate().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

async function readOrCreate(): Promise<string> {
  const { GPUQ_SECRET, GPUQ_DATA_DIR } = env()
  return GPUQ_SECRET ?? secretOfDirectory(GPUQ_DATA_DIR)
}

/**
 * Reads the secret of a directory, or creates it. Writes a draft and hard-links it into place, which fails if the
 * file exists. Concurrent starts therefore all use the first complete file.
 */
export async function secretOfDirectory(directory: string): Promise<string> {
  const path = join(directory, 'session-secret')
  return (await readSecret(path)) ?? (await createSecret(directory, path))
}

async function createSecret(directory: string, path: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`
  const file = await open(/* turbopackIgnore: true */ draft, 'wx', 0o600)
  try {
    await file.writeFile(randomBytes(48).toString('base64url'))
    await file.sync()
    await link(draft, path).catch((error) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
  } finally {
    await file.close()
    await unlink(draft)
  }
  const secret = await readSecret(path)
  if (secret === null) throw new Error(`${path} was removed while it was being created. Start gpuq again.`)
  return secret
}

async function readSecret(path: string): Promise<string | null> {
  try {
    const secret = (await readFile(path, 'utf8')).trim()
    if (secret.length >= 32) return secret
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
  throw new Error(
    `${path} contains fewer than 32 characters. Delete the file to create a new secret; all users must then sign in again.`,
  )
}
