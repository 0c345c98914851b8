import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '@/lib/contract/parse-json'
import { configFile } from '../config'
import { errorCode, readIfPresent, writePrivateFile } from '../files'

const schema = z.object({ server: z.string(), pid: z.number().int() })

const fileOf = (env: NodeJS.ProcessEnv) => join(dirname(configFile(env)), 'screen.json')

/** Records that `gpuq start --screen` watches a server, so that `gpuq add` gives a job a terminal as a line has one. */
export async function recordScreenMode(env: NodeJS.ProcessEnv, server: string): Promise<void> {
  await mkdir(dirname(fileOf(env)), { recursive: true, mode: 0o700 })
  await writePrivateFile(fileOf(env), `${JSON.stringify({ server, pid: process.pid })}\n`)
}

export async function endScreenMode(env: NodeJS.ProcessEnv): Promise<void> {
  const recorded = await read(env)
  if (recorded?.pid === process.pid) await rm(fileOf(env), { force: true })
}

/** Whether a `gpuq start --screen` of this user watches the server now. */
export async function isScreenMode(env: NodeJS.ProcessEnv, server: string): Promise<boolean> {
  const recorded = await read(env)
  return recorded !== null && recorded.server === server && isAlive(recorded.pid)
}

async function read(env: NodeJS.ProcessEnv) {
  return schema.safeParse(parseJson((await readIfPresent(fileOf(env))) ?? '')).data ?? null
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
