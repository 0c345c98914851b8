import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { api, cancelJob, submitJob } from '@/components/queries/queries'
import type { JobSource } from '@/lib/contract/jobs'
import { ProblemError } from '@/lib/http/client/problem'
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
 * old one stays if gpuq refuses the new one, unless the old one itself is in the way: its run or name is taken, or it is one too many.
 */
export function useReplaceJob(): (id: string, changes: Nearest) => Promise<void> {
  const submit = useSubmitSource()
  const { mutateAsync: cancel } = useMutation(cancelJob)
  return (id, changes) => {
    const load = async () => {
      const { withNearest } = await loadPart(() => import('./submit/before/nearest'))
      const source = await api.jobs.source(id)
      return { ...source, config: withNearest(source.config, changes) }
    }
    return submit(load, async (send) => {
      try {
        const submitted = await send()
        await cancel(id).catch((error) =>
          toastError('The new job is submitted. Cancelling the old one failed', error),
        )
        return submitted
      } catch (error) {
        if (!isInTheWay(error, id)) throw error
        await cancel(id)
        return send().catch((refusal: unknown) => {
          toast.info('The old job was cancelled, and gpuq refused the new one.')
          throw refusal
        })
      }
    })
  }
}

/** Whether the job is why a submission was refused, and still waits. If it has started meanwhile, nothing may end it. */
function isInTheWay(error: unknown, id: string): boolean {
  if (!(error instanceof ProblemError)) return false
  return error.jobs.some(({ job_id, status }) => job_id === id && status === 'pending')
}

/** Returns a function that submits the sample job, and opens it. */
export function useRunSample(): () => Promise<void> {
  const submit = useSubmitSource()
  return () => submit(() => api.jobs.sample())
}

type Send = () => ReturnType<typeof api.jobs.submit>
type SubmitSource = (
  load: () => Promise<JobSource>,
  sendWith?: (send: Send) => ReturnType<Send>,
) => Promise<void>

function useSubmitSource(): SubmitSource {
  const router = useRouter()
  const { mutateAsync: submit } = useMutation(submitJob)
  return async (load, sendWith = (send) => send()) => {
    try {
      // The parser of YAML is large.
      const { toSubmission } = await loadPart(() => import('./submit/draft'))
      const { code, config } = await load()
      const { job_id, project_note } = await sendWith(() => submit(toSubmission({ code, config })))
      if (project_note) toast.info(project_note)
      router.push(`/jobs/${job_id}`)
    } catch (error) {
      toastError('Submitting failed', error)
    }
  }
}
