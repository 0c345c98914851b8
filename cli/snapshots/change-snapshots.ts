import { formatSnapshot } from '@/lib/contract/archives/snapshot-name'
import { conflict, invalidRequest, notFound } from '@/lib/contract/errors'
import { formatBytes } from '@/lib/contract/format-bytes'
import type { Client } from '@/lib/http/client/client'
import type { Snapshot } from '@/lib/snapshots/contract'
import { ask } from '../console/ask'
import type { Context } from '../context'
import { connectToProject } from '../find-project'
import { exitCodes } from '../job/exit-code'
import { findSnapshot, findVersions, requireReference } from './find-snapshot'

interface DeleteOptions {
  project: string
  yes?: boolean
}

/** One version, or all versions of a name. */
interface Deletion {
  name: string
  /** Null: all versions. */
  version: number | null
  snapshots: Snapshot[]
}

/** Deletes versions of snapshots, or all versions of a name, after a confirmation. */
export async function deleteSnapshots(
  context: Context,
  given: string[],
  { project, yes }: DeleteOptions,
): Promise<number> {
  const references = [...new Set(given)].map((text) => ({ text, ...requireReference(text) }))
  const { client, projectId } = await connectToProject(context, project)
  const chosen: Deletion[] = []
  for (const { text, ...reference } of references) {
    const snapshots = await findVersions({ client, projectId }, text)
    const foreign = snapshots.find(({ own }) => !own)
    if (foreign)
      throw notFound(`${formatSnapshot(foreign)} belongs to another project, which shares it with everyone.`)
    chosen.push({ ...reference, snapshots })
  }
  if (!yes) await confirm(context, chosen)
  for (const one of chosen) {
    await deleteOne(client, projectId, one)
    await context.terminal.err(`Deleted ${describeOne(one)}.\n`)
  }
  return exitCodes.ok
}

async function deleteOne(
  client: Client,
  projectId: string,
  { name, version, snapshots }: Deletion,
): Promise<void> {
  if (version === null) return client.snapshots.removeAll(projectId, { name })
  for (const { id } of snapshots) await client.snapshots.remove(id)
}

function describeOne({ name, version, snapshots }: Deletion): string {
  const [newest] = snapshots
  if (version !== null || !newest)
    return `${formatSnapshot({ name, version })} (${formatBytes(newest?.bytes ?? 0)})`
  return snapshots.length === 1 ? formatSnapshot(newest) : `all ${snapshots.length} versions of ${name}`
}

async function confirm({ isInteractive }: Context, chosen: readonly Deletion[]): Promise<void> {
  const what = chosen.map((one) => `  ${describeOne(one)}\n`).join('')
  if (!isInteractive) {
    throw invalidRequest(`This deletes:\n${what}It cannot be undone. Add --yes to confirm.`)
  }
  const answer = await ask(`This deletes:\n${what}It cannot be undone. Continue? [y/N] `, 'n')
  if (!/^y(es)?$/i.test(answer)) throw conflict('Nothing was deleted.')
}

/** Lets every project use a snapshot. */
export async function shareSnapshot(
  context: Context,
  given: string,
  { project }: { project: string },
): Promise<number> {
  requireReference(given)
  const { client, projectId } = await connectToProject(context, project)
  const snapshot = await findSnapshot({ client, projectId }, given)
  await client.snapshots.update(snapshot.id, { shared: true })
  await context.terminal.err(`${formatSnapshot(snapshot)} is shared with everyone.\n`)
  return exitCodes.ok
}

/** Stops sharing a version, or all versions of a name. */
export async function unshareSnapshot(
  context: Context,
  given: string,
  { project }: { project: string },
): Promise<number> {
  requireReference(given)
  const { client, projectId } = await connectToProject(context, project)
  const shared = (await findVersions({ client, projectId }, given)).filter(
    ({ shared_at }) => shared_at !== null,
  )
  if (shared.length === 0) throw conflict(`${given} is not shared.`)
  for (const snapshot of shared) {
    await client.snapshots.update(snapshot.id, { shared: false })
    await context.terminal.err(`${formatSnapshot(snapshot)} is no longer shared.\n`)
  }
  return exitCodes.ok
}
