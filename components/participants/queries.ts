import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { routes } from '@/lib/http/client/routes'
import type { ParticipantsQuery } from '@/lib/participants/contract'
import { api } from '../queries/queries'

/** The members of a class with their jobs, for its managers. */
export const participantsQuery = (classId: string, query: Partial<ParticipantsQuery>) =>
  queryOptions({
    queryKey: ['participants', classId, query],
    queryFn: ({ signal }) => api.participants.list(classId, query, signal),
    placeholderData: keepPreviousData,
  })

/** Where the members of a class can be downloaded as CSV. */
export const participantsCsvUrl = (classId: string, query: Partial<ParticipantsQuery>) =>
  api.addressOf(routes.participants.csv, classId, query)
