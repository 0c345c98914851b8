import { createHash } from 'node:crypto'
import type * as z from 'zod'
import type { putCompetitionAnswerSchema, rosterAnswerSchema } from '@/lib/competitions/contract'
import { canonicalText, toManifest } from '@/lib/contract/archives/archive-manifest'
import { formatSnapshot } from '@/lib/contract/archives/snapshot-name'
import { conflict, forbidden, GpuqError } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { formatCount } from '../console/format'
import { withoutControls } from '../console/terminal'
import { type Context, print, writeText } from '../context'
import { findProject } from '../find-project'
import { note } from '../job/show-job'
import { listDirectory } from '../pack/list-directory'
import { uploadDirectory } from '../pack/upload-directory'
import { type Folder, readFolder } from './read-folder'

type Answer = z.output<typeof putCompetitionAnswerSchema>
type RosterAnswer = z.output<typeof rosterAnswerSchema>

/** Creates a competition from a folder, or makes it what the folder says. The same folder twice changes nothing. */
export async function createCompetition(
  context: Context,
  directory: string,
  { dryRun = false, json }: { dryRun?: boolean; json?: boolean },
): Promise<number> {
  const folder = await readFolder(directory)
  const client = await context.connect()
  const { slug } = folder.config
  // What the server refuses is said before the upload, which may be large.
  const planned = await client.competitions.put(slug, bodyOf(folder), { dry_run: true })
  if (dryRun) return showPlan(context, client, folder, planned, json)
  const first = planned.created ? await client.competitions.put(slug, bodyOf(folder)) : planned
  await checkRoster(client, folder)
  const directories = await pushDirectories(context, client, folder, first)
  const last = await client.competitions.put(slug, { ...bodyOf(folder), directories })
  const roster = folder.roster && (await client.competitions.roster(slug, toRoster(folder.roster)))
  const isChanged = planned.created || last.changed || (roster !== null && changesRoster(roster))
  const answer = { ...last, created: planned.created, changed: isChanged }
  const page = `Its page: ${client.transport.url(`/competitions/${slug}`)}\n`
  const text = describeResult(answer, directory) + describeRoster(roster) + page
  return print(context, json, { ...answer, roster }, text)
}

const bodyOf = ({ text, pages }: Folder) => ({ config: text, pages })

const toRoster = (file: Buffer) => ({ file: file.toString('base64') })

/** Pushes each directory to the project of the competition. One that has not changed makes no version. */
async function pushDirectories(
  context: Context,
  client: Client,
  { config, directories }: Folder,
  { project, role }: Answer,
): Promise<Record<string, string>> {
  if (project === null || role !== 'host')
    throw forbidden(
      `Only hosts upload the data of "${config.slug}". Ask one of them to add you to roles.host in competition.yaml.`,
    )
  const meant = await findProject(client, project.project_id)
  if (meant.id !== project.id)
    throw conflict(
      `The name "${project.project_id}" means the project ${meant.owner}/${meant.project_id} in your configs. Choose ${project.owner}/${project.project_id} as the meant one on the page Projects.`,
    )
  const pushed: Record<string, string> = {}
  for (const [name, path] of Object.entries(directories)) {
    const archive = await uploadDirectory(context, project.project_id, path)
    const snapshot = await client.snapshots.create(project.id, { name, archive })
    pushed[name] = formatSnapshot(snapshot)
    await note(context, `${formatSnapshot(snapshot)}${snapshot.created ? '' : ' has not changed'}`)
  }
  return pushed
}

function describeResult({ created, changed, ...competition }: Answer, directory: string): string {
  const { competition_id: slug, published, missing } = competition
  const head = changed
    ? `${created ? 'Created' : 'Changed'} the competition ${slug}.`
    : `Nothing has changed: the competition ${slug} is as in ${directory}.`
  const state = published
    ? `It is published, with version ${competition.scorer_version} of its scoring program.`
    : 'It is not published: only its hosts see it.'
  return `${[head, state, ...missing].map(withoutControls).join('\n')}\n`
}

const changesRoster = ({ added, changed, removed, moved }: RosterAnswer) =>
  added + changed + removed + moved > 0

function describeRoster(roster: RosterAnswer | null): string {
  if (roster === null) return ''
  const { added, changed, removed, unchanged, hints } = roster
  const counts = `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`
  return `${[`Roster: ${counts}.`, ...hints.map(withoutControls)].join('\n')}\n`
}

/** Says what the roster would change; null: the file names none. @throws GpuqError with the lines that are wrong. */
async function checkRoster(client: Client, { config, roster }: Folder): Promise<RosterAnswer | null> {
  if (roster === null) return null
  const answer = await client.competitions.roster(config.slug, toRoster(roster), { dry_run: true })
  const errors = answer.problems.map(({ line, message }) => ({ path: 'roster', message, line }))
  if (errors.length === 0) return answer
  throw new GpuqError(
    'invalid_fields',
    `${config.roster} has ${formatCount(errors.length, 'problem')}, so it was not stored:`,
    { errors },
  )
}

/** Says what `create` would do. */
async function showPlan(
  context: Context,
  client: Client,
  folder: Folder,
  planned: Answer,
  json: boolean | undefined,
): Promise<number> {
  const { config, directories } = folder
  const project = planned.created ? null : planned.project
  const limits = await client.archives.limits()
  const plan: { name: string; files: number; bytes: number; changed: boolean }[] = []
  for (const [name, path] of Object.entries(directories)) {
    const { entries, bytes } = await listDirectory(context, path, limits, false)
    const hash = createHash('sha256')
      .update(canonicalText(toManifest(entries)))
      .digest('hex')
    const newest = project && (await client.snapshots.versions(project.id, { name, limit: 1 })).items[0]
    plan.push({ name, files: entries.length, bytes, changed: newest?.archive !== hash })
  }
  const roster = planned.created ? null : await checkRoster(client, folder)
  const changed =
    planned.changed || plan.some((one) => one.changed) || (roster !== null && changesRoster(roster))
  const head = changed
    ? `Would ${planned.created ? 'create' : 'change'} the competition ${config.slug}.`
    : `Would change nothing: the competition ${config.slug} is as in its folder.`
  const lines = plan.map(
    ({ name, files, changed: isNew }) =>
      `  ${name}: ${formatCount(files, 'file')}, ${isNew ? 'a new version' : 'unchanged'}\n`,
  )
  const text = `${head}\n${lines.join('')}${describeRoster(roster)}`
  return print(context, json, { ...planned, changed, directories: plan, roster }, text)
}

/** Says everything that is wrong in a folder. Changes nothing. */
export async function checkCompetition(context: Context, directory: string): Promise<number> {
  const folder = await readFolder(directory)
  const { slug, phases, datasets } = folder.config
  const client = await context.connect().catch((error: unknown) => {
    if (error instanceof GpuqError && error.code === 'unauthenticated') return null
    throw error
  })
  if (client === null)
    await note(context, 'Users, environments and the roster were not checked: run `gpuq login` first.')
  else {
    const planned = await client.competitions.put(slug, bodyOf(folder), { dry_run: true })
    // The roster can be checked once the competition exists.
    if (!planned.created) await checkRoster(client, folder)
  }
  const counts = [formatCount(phases.length, 'phase'), formatCount(Object.keys(datasets).length, 'dataset')]
  return writeText(context, `${directory} is right: ${slug}, ${counts.join(', ')}.\n`)
}
