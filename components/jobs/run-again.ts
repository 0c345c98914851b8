import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { api, jobSourceQuery, submitJob } from '@/components/queries/queries'
import type { JobSource } from '@/lib/contract/jobs'
import { toast, toastError } from '../ui/toaster'

/** Returns a function that submits the program and config of a job again, and opens the new job. */
export function useRunAgain(): (id: string) => Promise<void> {
  const client = useQueryClient()
  const submit = useSubmitSource()
  return (id) => submit(() => client.fetchQuery(jobSourceQuery(id)))
}

/** Returns a function that submits the sample job, and opens it. */
export function useRunSample(): () => Promise<void> {
  const submit = useSubmitSource()
  return () => submit(() => api.jobs.sample())
}

function useSubmitSource(): (load: () => Promise<JobSource>) => Promise<void> {
  const router = useRouter()
  const { mutateAsync: submit } = useMutation(submitJob)
  return async (load) => {
    try {
      // The parser of YAML is large.
      const { toSubmission } = await import('./submit/draft')
      const { code, config } = await load()
      const { job_id, project_note } = await submit(toSubmission({ code, config }))
      if (project_note) toast.info(project_note)
      router.push(`/jobs/${job_id}`)
    } catch (error) {
      toastError('Submitting failed', error)
    }
  }
}
