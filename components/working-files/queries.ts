import { queryOptions } from '@tanstack/react-query'
import type { WorkingFile } from '@/lib/working-files/contract'
import { api, keys } from '../queries/queries'

/** The page lists at most this many pages of changed files. */
const maxPages = 10
const liveMs = 10_000

/** The files that a job changed in its working directory, repeated until no more can follow. */
export const workingFilesQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.jobs, 'working-files', id],
    queryFn: async ({ signal }) => {
      const files: WorkingFile[] = []
      let page = await api.jobs.workingFiles(id, {}, signal)
      files.push(...page.files)
      for (let read = 1; page.more && read < maxPages; read++) {
        page = await api.jobs.workingFiles(id, { after: page.next }, signal)
        files.push(...page.files)
      }
      return { ...page, files }
    },
    refetchInterval: ({ state: { data } }) =>
      data && (data.ended || data.more || data.working_directory === null) ? false : liveMs,
  })
