import { mutationOptions } from '@tanstack/react-query'
import type { UpdateJob } from '@/lib/contract/job-queries'
import type { JobDetail } from '@/lib/contract/jobs'
import { api, keys } from './queries'

/** Changes the note, the star or the tags of a job. */
export const updateJob = mutationOptions({
  mutationFn: ({ id, ...change }: UpdateJob & { id: string }) => api.jobs.update(id, change),
  onSuccess: (job, { id }, _, { client }) => {
    // The answer does not have the prediction.
    client.setQueryData<JobDetail>(keys.job(id), (before) => ({
      predicted_time: before?.predicted_time,
      ...job,
    }))
    return client.invalidateQueries({ queryKey: keys.jobs, refetchType: 'none' })
  },
})
