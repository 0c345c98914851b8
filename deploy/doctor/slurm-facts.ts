import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { database } from '@/lib/database/client'
import type { Env } from '@/lib/env'
import { CommandClient } from '@/lib/slurm/client/commands'
import { runSlurmCommand } from '@/lib/slurm/client/run-command'
import { slurmClient } from '@/lib/slurm/client/slurm'
import { type SlurmNodeState, SlurmRefusal } from '@/lib/slurm/client/slurm-client'

/** What a host knows of the Slurm cluster. */
export interface SlurmFacts {
  version: string
  accounting: boolean
  nodes: SlurmNodeState[]
  /** Settings of slurmctld, with the names of slurm.conf. Null: slurmrestd does not show them. */
  config: ReadonlyMap<string, string> | null
}

/** What Slurm says, or why it does not answer, as a sentence. */
export async function readSlurm(settings: Env): Promise<SlurmFacts | { problem: string }> {
  try {
    const client = slurmClient(settings)
    const [version, accounting, nodes] = [
      await client.version(),
      await client.hasAccounting(),
      await client.listNodes(),
    ]
    const config = client instanceof CommandClient ? await client.config() : null
    return { version, accounting, nodes, config }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** Names of gpuq's nodes whose worker renews its lease. Null: the database does not answer. */
export async function readWorkers(): Promise<string[] | null> {
  try {
    const { rows } = await database().pool.query<{ name: string }>(
      'SELECT name FROM nodes WHERE lease_expires_at > now() ORDER BY name',
    )
    return rows.map(({ name }) => name)
  } catch {
    return null
  }
}

/** Whether this process may write into a directory, or create it. */
export async function readDirectory(path: string): Promise<'writable' | 'creatable' | 'refused'> {
  const mayWrite = (directory: string) =>
    access(directory, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    )
  const exists = await stat(path).then(
    (found) => found.isDirectory(),
    () => null,
  )
  if (exists === null) return (await mayWrite(dirname(path))) ? 'creatable' : 'refused'
  return exists && (await mayWrite(path)) ? 'writable' : 'refused'
}

/** Why this process cannot submit as a Unix account: sudo or Slurm refuses it. */
export interface IdentityProblem {
  by: 'sudo' | 'slurm'
  message: string
}

/** Why this process cannot submit as a Unix account. Null: it can. Submits nothing. */
export async function readIdentity(account: string): Promise<IdentityProblem | null> {
  const sudo = await errorOf(['--version'], account)
  if (sudo !== null) return { by: 'sudo', message: sudo.message }
  const slurm = await errorOf(['--test-only', '--chdir=/'], account)
  // That Slurm does not answer is another check.
  return slurm instanceof SlurmRefusal ? { by: 'slurm', message: slurm.message } : null
}

async function errorOf(args: string[], unixUser: string): Promise<Error | null> {
  try {
    await runSlurmCommand({ name: 'sbatch', args, input: '#!/bin/sh\n', unixUser })
    return null
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
