import { queryOptions } from '@tanstack/react-query'
import { api, keys } from './queries'

/** An editor shows a text of this size without a delay. */
const maxCharacters = 1024 ** 2

/** The start of a text file of the directory that was uploaded for a job. It never changes. */
export const jobFileTextQuery = (id: string, path: string) =>
  queryOptions({
    queryKey: [...keys.jobs, 'directory', id, path],
    queryFn: async ({ signal }) => {
      const response = await api.transport.raw(api.jobs.fileUrl(id, path), { signal })
      return readStart(response)
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

/** What differs between the uploaded directories of two jobs. */
export const jobFileChangesQuery = (before: string, after: string) =>
  queryOptions({
    queryKey: [...keys.jobs, 'directory', 'changes', before, after],
    queryFn: ({ signal }) => api.jobs.fileChanges(after, { since: before }, signal),
    retry: false,
  })

/** The whole text of a file of a job, by its download address. The caller limits its size. It never changes. */
export const fileTextQuery = (url: string) =>
  queryOptions({
    queryKey: [...keys.jobs, 'file-text', url],
    queryFn: async ({ signal }) => (await api.transport.raw(url, { signal })).text(),
    staleTime: Number.POSITIVE_INFINITY,
    // A large text is not kept for later.
    gcTime: 0,
    retry: false,
  })

async function readStart(response: Response): Promise<string> {
  if (!response.body) return ''
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (text.length < maxCharacters) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
  }
  await reader.cancel()
  return text.slice(0, maxCharacters)
}
