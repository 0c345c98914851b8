import { useMutation } from '@tanstack/react-query'
import { updateJob } from '@/components/queries/job-labels'
import type { UpdateJob } from '@/lib/contract/job-queries'
import { toastError } from '../../ui/toaster'

/** Returns a function that changes the labels of a job, and reports whether they are stored. */
export function useUpdateJob(id: string) {
  const { mutateAsync, isPending } = useMutation(updateJob)
  const update = async (change: UpdateJob): Promise<boolean> => {
    try {
      await mutateAsync({ id, ...change })
      return true
    } catch (error) {
      toastError('Saving failed', error)
      return false
    }
  }
  return { update, saving: isPending }
}
