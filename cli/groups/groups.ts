import { invalidRequest } from '@/lib/contract/errors'
import type { Group, GroupDetail, GroupMember } from '@/lib/groups/contract'
import { membersToCsv } from '@/lib/groups/contract-csv'
import { groupTitle, waitsForApproval, waitsForOthers } from '@/lib/groups/contract-title'
import type { Client } from '@/lib/http/client/client'
import { formatWhen } from '../console/format'
import type { Column } from '../console/table'
import { paint, withoutControls } from '../console/terminal'
import { type Context, print, printList, writeText } from '../context'
import { exitCodes } from '../job/exit-code'
import { readPages } from '../job/read-pages'
import { extractTar } from '../received/extract-tar'
import { whyKeptBack } from '../received/kept-back'
import { saveDownload } from '../received/save-download'
import { type Change, changeGroup, isChange } from './change-group'
import {
  adviseFailed,
  describeMember,
  describeProblem,
  describeProgress,
  memberColumns,
  stateOf,
} from './describe-group'
import { findGroupId } from './find-group'
import { followGroup } from './follow-group'

/** Lists groups, the newest first. */
export async function groups(
  context: Context,
  { limit, all, json }: { limit: number; all?: boolean; json?: boolean },
): Promise<number> {
  const client = await context.connect()
  const now = Date.now()
  const found = await readPages(limit, (query) =>
    client.groups.list({ ...query, limit: Math.min(query.limit, 100), all }),
  )
  const columns: Column<Group>[] = [
    { title: 'ID', cell: ({ group_id }) => group_id },
    { title: 'NAME', cell: groupTitle, long: true },
    ...(all ? [{ title: 'USER', cell: ({ user_id }: Group) => user_id }] : []),
    { title: 'STATUS', cell: (one) => stateOf(one).word, colour: (one) => stateOf(one).colour },
    {
      title: 'ENDED',
      cell: ({ counts, members }) => `${counts.completed + counts.failed + counts.cancelled}/${members}`,
    },
    { title: 'FAILED', cell: ({ counts }) => counts.failed, right: true },
    { title: 'SUBMITTED', cell: ({ created_at }) => formatWhen(created_at, now) },
  ]
  return printList(
    context,
    json,
    found,
    columns,
    'No groups found. Submit one: gpuq sweep --with-dir --param lr=0.1,0.01 -- python train.py --lr {lr}',
  )
}

type Action = 'show' | 'members' | 'best' | 'wait' | 'csv' | 'download' | Change

interface GroupOptions {
  status?: GroupMember['status']
  samples?: number
  repeat?: number
  output?: string
  json?: boolean
}

/** Shows a group, or does something with it. */
export async function group(
  context: Context,
  given: string,
  action: Action,
  { status, samples, repeat, output, json }: GroupOptions,
): Promise<number> {
  if (status !== undefined && action !== 'members')
    throw invalidRequest('--status is only for members: gpuq group ID members --status failed.')
  if (output !== undefined && action !== 'download')
    throw invalidRequest('--output is only for download: gpuq group ID download -o DIR.')
  const isExtended = samples !== undefined || repeat !== undefined
  if (isExtended && action !== 'extend')
    throw invalidRequest('--samples and --repeat are only for extend: gpuq group ID extend --samples 100.')
  if (!isExtended && action === 'extend')
    throw invalidRequest(
      'extend needs --samples or --repeat, the number that the group has afterwards: gpuq group ID extend --samples 100.',
    )
  const client = await context.connect()
  const id = await findGroupId(client, given)
  if (action === 'wait') return followGroup(context, id, { json })
  if (action === 'download') return download(context, client, id, output ?? id)
  if (isChange(action))
    return changeGroup(context, {
      ...{ id, change: action, extension: { samples, repeat } },
      ...(json && { json }),
    })
  const found = await client.groups.get(id)
  if (action === 'show') return showGroup(context, found, json)
  if (action === 'best') return showBest(context, found, json)
  const members = await readPages(found.members, (query) => client.groups.members(id, { ...query, status }))
  if (action === 'members')
    return printList(context, json, members, memberColumns(found), 'No member is in this status.')
  return writeText(context, membersToCsv(members, found.parameters))
}

function showGroup(context: Context, shown: GroupDetail, json: boolean | undefined): Promise<number> {
  const { group_id: id, name, parameters, best, budget, objective, parallel, submitted_with: token } = shown
  const { outIsTerminal, coloursWanted } = context.terminal
  const { word, colour } = stateOf(shown)
  const problem = describeProblem(shown)
  const lines = [
    `${id} ${paint(word, colour, outIsTerminal && coloursWanted)}${name === null ? '' : ` (${withoutControls(name)})`}`,
    describeProgress(shown),
    ...(problem === null ? [] : [`${waitsForOthers(shown) ? '' : 'problem: '}${withoutControls(problem)}`]),
    ...(waitsForApproval(shown) ? [`approve it: gpuq approve ${id}; refuse it: gpuq refuse ${id}`] : []),
    `parameters: ${parameters.join(', ')}; at most ${parallel} wait or run at once`,
    ...(token ? [`submitted with: the token "${token.name}"`] : []),
    ...(budget ? [`budget: ${budget.sentence}`] : []),
    ...(best ? [`best: ${describeMember(best, objective?.metric)}`] : []),
    ...adviseFailed(shown),
  ]
  return print(context, json, shown, `${lines.join('\n')}\n`)
}

async function showBest(
  context: Context,
  { best, objective }: GroupDetail,
  json: boolean | undefined,
): Promise<number> {
  if (best) return print(context, json, best, `${describeMember(best, objective?.metric)}\n`)
  const why =
    objective === null
      ? 'The group has no objective. Submit it with objective: {metric: val_loss, mode: min}, or --objective min:val_loss.'
      : `No member has completed with the metric ${objective.metric} yet.`
  await context.terminal.err(`${why}\n`)
  return exitCodes.failed
}

/** Saves the files of all members in a new directory, or as one tar file. A job chose the names of its files. */
async function download({ terminal }: Context, client: Client, id: string, target: string): Promise<number> {
  const open = () => client.groups.files(id)
  let exitCode: number = exitCodes.ok
  if (target.endsWith('.tar')) await saveDownload(target, await open())
  else {
    await extractTar(open, target, {
      refuse: whyKeptBack,
      onRefused: async (path, why) => {
        await terminal.err(`gpuq: ${path} is not saved: ${why} Download it from the page of its job.\n`)
        if (whyKeptBack(path) === null) exitCode = exitCodes.failed
      },
    })
  }
  await terminal.err(`Saved the group to ${target}.\n`)
  return exitCode
}
