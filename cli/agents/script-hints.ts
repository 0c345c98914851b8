import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { absolutePathsOf, findMissing, startPathsOf } from '@/lib/contract/commands/command-paths'
import { hintOffline, networkProgramsOf } from '@/lib/contract/commands/network-programs'
import { isWithin } from '@/lib/contract/config/mounts'
import type { Client } from '@/lib/http/client/client'

interface SentCommand {
  command: string
  /** The name of the environment; undefined: the default. */
  environment?: string | undefined
  /** The directories that the job gets. */
  provided: readonly string[]
  /** The working directory that is sent with the job. */
  directory: string
}

/** A longer file is no script that somebody wrote. */
const maxBytes = 256 * 1024

/**
 * Reads the shell scripts that a command starts, and returns the hints that their lines would get in the command itself: paths
 * that the job will not have, and programs that need the network. The server does not see them before the job runs.
 */
export async function hintScripts(
  client: Pick<Client, 'environments'>,
  { command, environment, provided, directory }: SentCommand,
): Promise<string[]> {
  const hints: string[] = []
  for (const path of new Set(startPathsOf(command))) {
    const lines = isWithin(path, directory) ? await readScript(path) : null
    if (lines === null) continue
    const missing = findMissing([...new Set(lines.flatMap(absolutePathsOf))], provided)
    if (missing.length > 0)
      hints.push(
        `${path} names ${missing.slice(0, 5).join(', ')}, which the job will not have, unless the image of its environment has it: only ${provided.join(', ')} is sent.`,
      )
    const programs = [...new Set(lines.flatMap(networkProgramsOf))]
    const offline = programs.length > 0 ? await readNetwork(client, environment) : null
    if (offline !== null) hints.push(hintOffline(path, programs, offline))
  }
  return hints
}

/** The lines of a shell script, without comments; null for other files. */
async function readScript(path: string): Promise<string[] | null> {
  try {
    if ((await stat(path)).size > maxBytes) return null
    const text = await readFile(resolve(path), 'utf8')
    const isShell = /\.(sh|bash)$/.test(path) || /^#!.*\b(ba|da|z|k)?sh\b/.test(text)
    if (!isShell) return null
    return text
      .replaceAll(/\\\r?\n/g, ' ')
      .split(/\r?\n/)
      .filter((line) => !/^\s*(#|$)/.test(line))
  } catch {
    // The server says that the job will not have it.
    return null
  }
}

/** The environment of the job, and those with internet access; null if it has that itself. */
async function readNetwork(client: Pick<Client, 'environments'>, given: string | undefined) {
  const all = await client.environments.list()
  const used = all.find(({ name, is_default }) => (given === undefined ? is_default : name === given))
  if (used === undefined || used.network !== 'none') return null
  const online = all.filter(({ enabled, network }) => enabled && network === 'internet')
  return { environment: used.name, online: online.map(({ name }) => name) }
}
