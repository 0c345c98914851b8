import { readFileSync } from 'node:fs'
import type { JobConfig } from '../../contract/config/config'
import { invalidField } from '../../contract/errors'
import { database } from '../../database/client'
import { env } from '../../env'
import { type Actor, isAdmin } from '../actor'

/**
 * The boot id of this machine, if the actor may run its scripts in their own directory; otherwise null. Only the account
 * of the first start may, because it belongs to the person who runs gpuq: other admins must not get this person's files.
 */
export async function hostFilesOf(actor: Actor): Promise<string | null> {
  if (!env().GPUQ_HOST_FILES || !isAdmin(actor)) return null
  const first = await database().prisma.user.findFirst({
    select: { id: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return first?.id === actor.userId ? bootId() : null
}

/** @throws 422 for a job with files of the host, unless the actor may use them. */
export async function requireHostFiles(
  actor: Actor,
  { host_script }: Pick<JobConfig, 'host_script'>,
): Promise<void> {
  if (host_script === undefined || (await hostFilesOf(actor)) !== null) return
  const message =
    'this server does not run scripts in its own directories for you: submit the script, and remove this key'
  throw invalidField('host_script', message)
}

/** Null on systems other than Linux. */
function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}
