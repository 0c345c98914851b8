import { queryOptions } from '@tanstack/react-query'
import { routes } from '@/lib/http/client/routes'
import type { UpdateOwnRow, UpdateProjectBoard } from '@/lib/project-boards/contract'
import { api, changing } from '../queries/queries'

const resource = ['project-boards'] as const
const quietMs = 10_000

/** The board of a project. */
export const projectBoardQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...resource, projectId],
    queryFn: ({ signal }) => api.projectBoards.get(projectId, signal),
    refetchInterval: quietMs,
  })

/** Chooses the metric of a board, or removes the board. */
export const updateBoard = changing(
  ({ projectId, ...body }: UpdateProjectBoard & { projectId: string }) =>
    api.projectBoards.update(projectId, body),
  resource,
)

/** Chooses the own name on a board, or stays off it. */
export const updateOwnRow = changing(
  ({ projectId, ...body }: UpdateOwnRow & { projectId: string }) =>
    api.projectBoards.updateOwn(projectId, body),
  resource,
)

/** Where a board can be downloaded as CSV. */
export const boardCsvUrl = (projectId: string) => api.addressOf(routes.projectBoards.csv, projectId)

/** Where a board can be read as JSON. */
export const boardJsonUrl = (projectId: string) => api.addressOf(routes.projectBoards.get, projectId)
