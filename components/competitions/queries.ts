import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Board } from '@/lib/competitions/contract-boards'
import type { Entry } from '@/lib/competitions/contract-entries'
import type { CompetitionRole } from '@/lib/competitions/contract-roles'
import { routes } from '@/lib/http/client/routes'
import { api, changing, keys, listQuery } from '../queries/queries'

/** Every key starts with it. */
const resource = ['competitions'] as const
const entries = [...resource, 'entries'] as const
const boards = [...resource, 'boards'] as const

const busyMs = 2000
const quietMs = 10_000

/** The competitions that the user may see, the latest first. */
export const competitionsQuery = () =>
  listQuery([...resource, 'list'], (cursor, signal) => api.competitions.list({ cursor }, signal))

export const competitionQuery = (competition: string) =>
  queryOptions({
    queryKey: [...resource, 'detail', competition],
    queryFn: ({ signal }) => api.competitions.get(competition, signal),
    // A host may freeze, reveal or change it.
    refetchInterval: 30_000,
  })

/** The rows of a board that one request brings. */
export const boardPageSize = 200

/** A part of a board. */
export interface BoardRequest {
  competition: string
  phase: string
  /** Only teams whose names contain this; empty: all. */
  q: string
}

const readBoard = ({ competition, phase, q }: BoardRequest, page: number, signal: AbortSignal) =>
  api.boards.get(
    competition,
    phase,
    { offset: page * boardPageSize, limit: boardPageSize, q: q || null },
    signal,
  )

/** The first rows of a board, again and again. The other rows are read again when these say that the board is another one. */
export const boardQuery = (request: BoardRequest) =>
  queryOptions({
    queryKey: [...boards, request, 'first'],
    queryFn: ({ signal }) => readBoard(request, 0, signal),
    placeholderData: keepPreviousData,
    refetchInterval: busyMs * 2,
  })

/** What differs between two states of a board, as far as its first rows tell. */
export const versionOf = ({ updated_at, total, revealed }: Board) => `${updated_at} ${total} ${revealed}`

/** Further rows of a board. */
export const boardPageQuery = (request: BoardRequest, page: number, version: string) =>
  queryOptions({
    queryKey: [...boards, request, page, version],
    queryFn: ({ signal }) => readBoard(request, page, signal),
    placeholderData: keepPreviousData,
    staleTime: quietMs,
  })

/** Where a board can be downloaded as CSV. */
export const boardCsvUrl = (competition: string, phase: string) =>
  api.addressOf(routes.boards.csv, competition, phase)

/** Where the first rows of a board can be read as JSON. */
export const boardJsonUrl = (competition: string, phase: string) =>
  api.addressOf(routes.boards.get, competition, phase, { limit: 1000 })

/** It will change by itself. */
export const isUnfinished = ({ state }: Pick<Entry, 'state'>) =>
  state === 'held' || state === 'running' || state === 'scoring'

/** Which entries of a phase are listed. */
export interface EntryFilter {
  /** For staff: the entries of all teams. */
  all?: boolean
  /** For staff: only those of this team. */
  team?: string
}

/** The entries of a phase, newest first. */
export const entriesQuery = (
  competition: string,
  phase: string,
  { all = false, team = '' }: EntryFilter,
) => ({
  ...listQuery([...entries, competition, phase, { all, team }], (cursor, signal) =>
    api.entries.list(competition, phase, { cursor, all: all || null, team: team || null }, signal),
  ),
  placeholderData: keepPreviousData,
  refetchInterval: ({
    state: { data },
  }: {
    state: { data?: { pages: { items: Entry[] }[] } | undefined }
  }) => (data?.pages.some(({ items }) => items.some(isUnfinished)) ? busyMs : quietMs),
})

/** What the team may still send to a phase, and the places of its entries in the queue. */
export const quotaQuery = (competition: string, phase: string) =>
  queryOptions({
    queryKey: [...entries, competition, phase, 'quota'],
    queryFn: ({ signal }) => api.entries.own(competition, phase, signal),
    refetchInterval: ({ state: { data } }) => (data && data.waiting.length > 0 ? busyMs : quietMs),
  })

/** What the program of an entry has printed. */
export const entryLogQuery = (id: string, live: boolean) =>
  queryOptions({
    queryKey: [...entries, 'log', id],
    queryFn: async ({ signal }) => (await api.entries.log(id, signal)).text(),
    refetchInterval: live ? busyMs : false,
    retry: false,
  })

/** The program of an entry, which never changes. */
export const entrySourceQuery = (id: string) =>
  queryOptions({
    queryKey: [...entries, 'source', id],
    queryFn: async ({ signal }) => (await api.entries.source(id, signal)).text(),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Programs of different teams of which at least this share is alike. The server compares all of them, so it is asked on demand. */
export const similarQuery = (competition: string, phase: string, share: number) =>
  queryOptions({
    queryKey: [...resource, 'similar', competition, phase, share],
    queryFn: ({ signal }) => api.competitions.similar(competition, phase, { min_share: share }, signal),
    placeholderData: keepPreviousData,
    staleTime: quietMs,
  })

/** Where the program of an entry can be downloaded. */
export const entrySourceUrl = (id: string) => api.addressOf(routes.entries.source, id)

export const withdrawEntry = changing((id: string) => api.entries.withdraw(id), entries)

export const chooseEntry = changing(
  ({ id, chosen }: { id: string; chosen: boolean }) => api.entries.choose(id, { chosen }),
  entries,
  boards,
)

export const disqualifyEntry = changing(
  ({ id, reason }: { id: string; reason: string | null }) => api.entries.disqualify(id, { reason }),
  entries,
  boards,
)

/** Sends a program to a phase. */
export const submitEntry = changing(
  ({ code, config, idempotencyKey }: { code: Blob; config: string; idempotencyKey: string }) =>
    api.jobs.submit({ code, config, idempotencyKey }),
  entries,
  keys.jobs,
)

export const joinCompetition = changing(
  ({ competition, ...body }: { competition: string; accept_terms: boolean; team?: string }) =>
    api.competitions.join(competition, body),
  resource,
)

export const leaveCompetition = changing(
  (competition: string) => api.competitions.leave(competition),
  resource,
)

/** The own team. */
export const teamQuery = (competition: string) =>
  queryOptions({
    queryKey: [...resource, 'team', competition],
    queryFn: ({ signal }) => api.competitions.team(competition, signal),
  })

/** Invitations to teams that the user has not answered. */
export const invitationsQuery = (competition: string) =>
  queryOptions({
    queryKey: [...resource, 'invitations', competition],
    queryFn: ({ signal }) => api.competitions.invitations(competition, signal),
    refetchInterval: quietMs,
  })

export const updateTeam = changing(
  ({
    competition,
    ...body
  }: {
    competition: string
    name?: string
    invite?: string[]
    withdraw?: string[]
  }) => api.competitions.updateTeam(competition, body),
  resource,
)

export const leaveTeam = changing((competition: string) => api.competitions.leaveTeam(competition), resource)

export const answerInvitation = changing(
  async ({
    competition,
    id,
    accept,
  }: {
    competition: string
    id: string
    accept: boolean
  }): Promise<void> => {
    if (accept) await api.competitions.acceptInvitation(competition, id)
    else await api.competitions.declineInvitation(competition, id)
  },
  resource,
)

/** The members, for the staff. @param state null: all */
export const membersQuery = (competition: string, state: 'requested' | 'joined' | null) =>
  listQuery([...resource, 'members', competition, state], (cursor, signal) =>
    api.competitions.members(competition, { cursor, state, limit: 25 }, signal),
  )

export interface MemberChange {
  role?: CompetitionRole
  state?: 'joined'
  section?: string | null
}

export const updateMember = changing(
  ({ competition, user, ...body }: MemberChange & { competition: string; user: string }) =>
    api.competitions.updateMember(competition, user, body),
  resource,
)

export const removeMember = changing(
  ({ competition, user }: { competition: string; user: string }) =>
    api.competitions.removeMember(competition, user),
  resource,
)

/** Previews a roster, or replaces the stored one. */
export const putRoster = changing(
  ({
    competition,
    roster,
    dry_run,
  }: {
    competition: string
    roster: { csv: string } | { file: string }
    dry_run: boolean
  }) => api.competitions.roster(competition, roster, { dry_run }),
  resource,
)

export const revealBoard = changing(
  ({ competition, phase }: { competition: string; phase: string }) => api.boards.reveal(competition, phase),
  resource,
)
