import { chmod, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { conflict, GpuqError, invalidRequest } from '@/lib/contract/errors'
import { parseJson } from '@/lib/contract/parse-json'
import { errorCode, readIfPresent, writePrivateFile, xdgDirectory } from './files'

/** The server and the token. */
export interface Connection {
  server: string
  token: string
}

const storedSchema = z
  .object({
    server: z.string().min(1),
    token: z.string().trim().min(1),
    /** Tokens of other servers, by address. GPUQ_SERVER selects one. */
    tokens: z.record(z.string(), z.string().trim().min(1)),
  })
  .partial()
type Stored = z.output<typeof storedSchema>

export function configFile(env: NodeJS.ProcessEnv): string {
  return join(xdgDirectory(env, 'CONFIG'), 'gpuq', 'config.json')
}

export async function readStored(env: NodeJS.ProcessEnv): Promise<Stored> {
  const path = configFile(env)
  const text = await readIfPresent(path)
  if (text === null) return {}
  const parsed = storedSchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw conflict(`${path} is damaged. Run \`gpuq login\` to replace it.`)
}

/** Stores the login so that only this user can read it. Returns the path of the file. */
export async function writeStored(
  env: NodeJS.ProcessEnv,
  { tokens, ...rest }: Connection & Pick<Stored, 'tokens'>,
): Promise<string> {
  const path = configFile(env)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await chmod(dirname(path), 0o700)
  const stored: Stored = tokens && Object.keys(tokens).length > 0 ? { ...rest, tokens } : rest
  await writePrivateFile(path, `${JSON.stringify(stored, null, 2)}\n`)
  return path
}

/** Removes the stored server and token. Returns false if nothing was stored. */
export async function removeStored(env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    await rm(configFile(env))
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

/** GPUQ_SERVER and GPUQ_TOKEN override the stored values. A stored token is only used for its own server. */
export async function resolveConnection(env: NodeJS.ProcessEnv): Promise<Connection> {
  // A file with the line ends of Windows leaves a carriage return at the end of a variable.
  const given = env.GPUQ_TOKEN?.trim()
  if (env.GPUQ_SERVER && given) return { server: parseServer(env.GPUQ_SERVER), token: requireToken(given) }
  const stored = await readStored(env)
  const server = env.GPUQ_SERVER ? parseServer(env.GPUQ_SERVER) : stored.server
  const known = server === stored.server ? stored.token : stored.tokens?.[server ?? '']
  const token = given || known
  if (!server) {
    const how = 'Run `gpuq login` first, or set GPUQ_SERVER and GPUQ_TOKEN.'
    throw new GpuqError('unauthenticated', `You are not logged in. ${how}`)
  }
  if (!token) {
    const how = 'Set GPUQ_TOKEN, or run `gpuq login`.'
    throw new GpuqError('unauthenticated', `No token found for ${server}. ${how}`)
  }
  return { server, token: requireToken(token) }
}

/** @throws if a token has a character that no token and no header has: every request with it would fail, without a reason. */
export function requireToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token
  const message = 'The token has a space or a character that no token has. Copy it again.'
  throw new GpuqError('unauthenticated', message)
}

/** Parses an address. Without a scheme, it uses https, and http for this machine. */
export function parseServer(given: string): string {
  const text = given.trim()
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(text)
  const address = /^[a-z]+:\/\//i.test(text) ? text : `${local ? 'http' : 'https'}://${text}`
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    const example = 'http://gpu.example.org:8001'
    throw invalidRequest(`"${text}" is not a server address. Use one such as ${example}.`)
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}
