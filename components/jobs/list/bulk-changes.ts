import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, keys } from '@/components/queries/queries'
import { inParallel } from '@/lib/async/pool'
import type { JobSummary } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { formatCount } from '../../ui/format-number'
import { toast } from '../../ui/toaster'
import { toSubmission } from '../submit/draft'

/** A server answers more requests at once, but other users wait for it too. */
const concurrentRequests = 4

interface BulkChange {
  /** "Cancelled": what the message says of the changed jobs. */
  done: string
  /** The jobs that it cannot change are left out. */
  applies: (job: JobSummary) => boolean
  change: (job: JobSummary) => Promise<unknown>
}

/** Returns a function that changes several jobs, and reports how many were changed and why others were not. */
export function useBulkChange() {
  const client = useQueryClient()
  const { mutateAsync, isPending } = useMutation({
    mutationFn: async ({ jobs, applies, change }: BulkChange & { jobs: readonly JobSummary[] }) => {
      const failures: Error[] = []
      const chosen = jobs.filter(applies)
      await inParallel(chosen, concurrentRequests, async (job) => {
        try {
          await change(job)
        } catch (error) {
          failures.push(error instanceof Error ? error : new Error('The request failed. Try again.'))
        }
      })
      return { changed: chosen.length - failures.length, left: jobs.length - chosen.length, failures }
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.jobs }),
  })
  const run = async (jobs: readonly JobSummary[], bulk: BulkChange) => {
    const { changed, left, failures } = await mutateAsync({ jobs, ...bulk })
    const title = `${bulk.done} ${formatCount(changed, 'job')}.`
    const [failure] = failures
    if (failure)
      toast.error(`${title} ${formatCount(failures.length, 'job')} failed.`, { description: failure.message })
    else
      toast.success(title, left > 0 ? { description: `${formatCount(left, 'job')} not changed.` } : undefined)
  }
  return { run, busy: isPending }
}

export const cancelJobs: BulkChange = {
  done: 'Cancelled',
  applies: ({ status }) => !isFinal(status),
  change: ({ job_id }) => api.jobs.cancel(job_id),
}

/** Submits the program and config of each ended job again. */
export const rerunJobs: BulkChange = {
  done: 'Submitted',
  applies: ({ status }) => isFinal(status),
  change: async ({ job_id }) => {
    const { code, config } = await api.jobs.source(job_id)
    return api.jobs.submit(toSubmission({ code, config }))
  },
}

export const addTag = (tag: string): BulkChange => ({
  done: 'Tagged',
  applies: ({ tags }) => !tags.includes(tag),
  change: ({ job_id, tags }) => api.jobs.update(job_id, { tags: [...tags, tag] }),
})

export const removeTag = (tag: string): BulkChange => ({
  done: 'Removed the tag of',
  applies: ({ tags }) => tags.includes(tag),
  change: ({ job_id, tags }) => api.jobs.update(job_id, { tags: tags.filter((own) => own !== tag) }),
})
