import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { api, cancelJob, submitJob } from '@/components/queries/queries'
import type { JobSource } from '@/lib/contract/jobs'
import { loadPart } from '../ui/missing-part'
import { toast, toastError } from '../ui/toaster'
import type { Nearest } from './describe-nearest'

/** Returns a function that submits a job again as it is now on the server, and opens the new job. */
export function useRunAgain(): (id: string) => Promise<void> {
  const submit = useSubmitSource()
  return (id) => submit(() => api.jobs.source(id))
}

/**
 * Returns a function that submits a waiting job with some keys of its config changed, opens the new job, and cancels the old one. The
 * old one stays if gpuq refuses the new one.
 */
export function useReplaceJob(): (id: string, changes: Nearest) => Promise<void> {
  const submit = useSubmitSource()
  const { mutateAsync: cancel } = useMutation(cancelJob)
  return (id, changes) =>
    submit(
      async () => {
        const { withNearest } = await loadPart(() => import('./submit/before/nearest'))
        const source = await api.jobs.source(id)
        return { ...source, config: withNearest(source.config, changes) }
      },
      () =>
        cancel(id).catch((error) =>
          toastError('The new job is submitted. Cancelling the old one failed', error),
        ),
    )
}

/** Returns a function that submits the sample job, and opens it. */
export function useRunSample(): () => Promise<void> {
  const submit = useSubmitSource()
  return () => submit(() => api.jobs.sample())
}

type SubmitSource = (load: () => Promise<JobSource>, onAccepted?: () => Promise<unknown>) => Promise<void>

function useSubmitSource(): SubmitSource {
  const router = useRouter()
  const { mutateAsync: submit } = useMutation(submitJob)
  return async (load, onAccepted) => {
    try {
      // The parser of YAML is large.
      const { toSubmission } = await loadPart(() => import('./submit/draft'))
      const { code, config } = await load()
      const { job_id, project_note } = await submit(toSubmission({ code, config }))
      if (project_note) toast.info(project_note)
      await onAccepted?.()
      router.push(`/jobs/${job_id}`)
    } catch (error) {
      toastError('Submitting failed', error)
    }
  }
}
