import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ParticipantsRequest } from '@/lib/http/client/build-client'
import { api } from './queries'

/** The members of a class with their jobs, for its managers. */
export const participantsQuery = (classId: string, query: ParticipantsRequest) =>
  queryOptions({
    queryKey: ['participants', classId, query],
    queryFn: ({ signal }) => api.participants.list(classId, query, signal),
    placeholderData: keepPreviousData,
  })
