import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { GpuqError } from '@/lib/contract/errors'

/** The server and the token. */
export interface Connection {
  server: string
  token: string
}

const storedSchema = z
  .object({
    server: z.string().min(1),
    token: z.string().min(1),
    /** Tokens of other servers, by address. GPUQ_SERVER selects one. */
    tokens: z.record(z.string(), z.string().min(1)),
  })
  .partial()
type Stored = z.output<typeof storedSchema>

/** The file in the XDG directory. The specification says to ignore a path that is not absolute. */
export function configFile(env: NodeJS.ProcessEnv): string {
  const given = env.XDG_CONFIG_HOME
  const base = given && isAbsolute(given) ? given : join(env.HOME || homedir(), '.config')
  return join(base, 'gpuq', 'config.json')
}

export async function readStored(env: NodeJS.ProcessEnv): Promise<Stored> {
  const path = configFile(env)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return {}
    throw error
  }
  const parsed = storedSchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new GpuqError('conflict', `${path} is damaged. Run \`gpuq login\` to replace it.`)
}

/** Writes a temporary file and renames it, so that the token is never in a file that others can read. */
export async function writeStored(
  env: NodeJS.ProcessEnv,
  stored: Connection & Pick<Stored, 'tokens'>,
): Promise<string> {
  const path = configFile(env)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await chmod(dirname(path), 0o700)
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, `${JSON.stringify(withoutEmpty(stored), null, 2)}\n`, { mode: 0o600 })
  await rename(temporary, path)
  return path
}

function withoutEmpty({ tokens, ...rest }: Connection & Pick<Stored, 'tokens'>): Stored {
  return tokens && Object.keys(tokens).length > 0 ? { ...rest, tokens } : rest
}

/** Removes the stored server and token. Returns false if nothing was stored. */
export async function removeStored(env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    await rm(configFile(env))
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** GPUQ_SERVER and GPUQ_TOKEN override the stored values. A stored token is only used for its own server. */
export async function resolveConnection(env: NodeJS.ProcessEnv): Promise<Connection> {
  if (env.GPUQ_SERVER && env.GPUQ_TOKEN) {
    return { server: parseServer(env.GPUQ_SERVER), token: env.GPUQ_TOKEN }
  }
  const stored = await readStored(env)
  const server = env.GPUQ_SERVER ? parseServer(env.GPUQ_SERVER) : stored.server
  const known = server === stored.server ? stored.token : stored.tokens?.[server ?? '']
  const token = env.GPUQ_TOKEN || known
  if (!server) throw new GpuqError('unauthenticated', 'You are not logged in. Run `gpuq login` first.')
  if (!token) {
    const how = 'Set GPUQ_TOKEN, or run `gpuq login`.'
    throw new GpuqError('unauthenticated', `No token found for ${server}. ${how}`)
  }
  return { server, token }
}

/** Parses an address. Without a scheme, it uses https, and http for this machine. */
export function parseServer(given: string): string {
  const text = given.trim()
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(text)
  const address = /^[a-z]+:\/\//i.test(text) ? text : `${local ? 'http' : 'https'}://${text}`
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    const example = 'http://gpu.example.org:8001'
    throw new GpuqError('invalid_request', `"${text}" is not a server address. Use one such as ${example}.`)
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
