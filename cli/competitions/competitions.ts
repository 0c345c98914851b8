import type { Competition, CompetitionDetail, Phase } from '@/lib/competitions/contract'
import { formatCount, formatWhen } from '../console/format'
import type { Column } from '../console/table'
import { withoutControls } from '../console/terminal'
import { type Context, print, printList } from '../context'
import { readPages } from '../job/read-pages'

/** Lists the competitions that the caller may see, the latest first. */
export async function listCompetitions(
  context: Context,
  { limit, joined, json }: { limit: number; joined?: boolean; json?: boolean },
): Promise<number> {
  const client = await context.connect()
  const now = Date.now()
  const found = await readPages(limit, (page) =>
    client.competitions.list({ ...page, joined: joined ?? null }),
  )
  const columns: Column<Competition>[] = [
    { title: 'COMPETITION', cell: ({ competition_id }) => competition_id },
    { title: 'TITLE', cell: ({ title }) => title, long: true },
    { title: 'ROLE', cell: ({ role, state }) => (state === 'requested' ? 'asked to join' : role) },
    { title: 'PHASE', cell: ({ phases }) => currentPhase(phases)?.key ?? null },
    { title: 'STATE', cell: (one) => stateOf(one, now) },
  ]
  const none = joined
    ? 'You have joined no competition. Without --joined, the list has those that you may join.'
    : 'There are no competitions that you may see.'
  return printList(context, json, found, columns, none)
}

/** The phase that is open, otherwise the next one, otherwise the last. */
function currentPhase(phases: readonly Phase[]): Phase | undefined {
  const inState = (state: Phase['state']) => phases.find((phase) => phase.state === state)
  return inState('open') ?? inState('upcoming') ?? phases.at(-1)
}

function stateOf({ published, phases }: Pick<Competition, 'published' | 'phases'>, now: number): string {
  if (!published) return 'not published'
  const phase = currentPhase(phases)
  return phase ? describePhase(phase, now) : ''
}

function describePhase({ state, starts_at, ends_at }: Phase, now: number): string {
  if (state === 'upcoming') return `starts ${formatWhen(starts_at, now)}`
  return state === 'open' ? `ends ${formatWhen(ends_at, now)}` : `ended ${formatWhen(ends_at, now)}`
}

/** Shows a competition: its phases, and for its hosts what it still needs. */
export async function showCompetition(
  context: Context,
  slug: string,
  { json }: { json?: boolean },
): Promise<number> {
  const client = await context.connect()
  const competition = await client.competitions.get(slug)
  const lines = linesOf(competition, Date.now())
  return print(context, json, competition, `${lines.map(withoutControls).join('\n')}\n`)
}

function linesOf(competition: CompetitionDetail, now: number): string[] {
  const { competition_id: slug, title, role, state, published, teams, datasets, project } = competition
  const part = state === 'requested' ? 'you have asked to join' : role && `you are ${role}`
  return [
    `${slug}: ${title}`,
    [formatCount(teams, 'team'), part, published ? null : 'not published']
      .filter((one) => one !== null)
      .join(', '),
    ...competition.phases.map(
      (phase) => `phase ${phase.key}: ${describePhase(phase, now)}; ${describeQuota(phase.quota)}`,
    ),
    ...datasets.map(
      ({ name, role: kind, version, files }) =>
        `data ${name}@${version}: ${kind}, ${formatCount(files, 'file')}`,
    ),
    ...(project ? [`project: ${project.owner}/${project.project_id}`] : []),
    ...competition.missing,
  ]
}

function describeQuota({ per_day, total }: Phase['quota']): string {
  const parts = [per_day === null ? null : `${per_day} a day`, total === null ? null : `${total} in all`]
  return `entries of a team: ${parts.filter((one) => one !== null).join(', ')}`
}
