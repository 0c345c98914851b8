import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { jobSourceQuery, submitJob } from '@/components/queries/queries'
import { toastError } from '../ui/toaster'
import { toSubmission } from './submit/draft'

/** Returns a function that submits the program and config of a job again, and opens the new job. */
export function useRunAgain(): (id: string) => Promise<void> {
  const client = useQueryClient()
  const router = useRouter()
  const { mutateAsync: submit } = useMutation(submitJob)
  return async (id) => {
    try {
      const { code, config } = await client.fetchQuery(jobSourceQuery(id))
      const { job_id } = await submit(toSubmission({ code, config }))
      router.push(`/jobs/${job_id}`)
    } catch (error) {
      toastError('Submitting failed', error)
    }
  }
}
