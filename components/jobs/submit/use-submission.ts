import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { uuidv7 } from 'uuidv7'
import { api, submitJob } from '@/components/queries/queries'
import type { FieldError } from '@/lib/contract/errors'
import { ProblemError } from '@/lib/http/client/problem'
import { loadPart } from '../../ui/missing-part'
import { toast } from '../../ui/toaster'
import type { Refused } from './before/refusal'
import type { Directory } from './directory/directory'
import { useUploadState } from './directory/upload/use-upload-state'
import { type Draft, forgetDraft, projectOf, toSubmission } from './draft'
import type { useDraft } from './use-draft'

/** The user cancelled the upload, or left the page. */
class UploadCancelled extends Error {}

interface Sent {
  draft: Draft
  directory: Directory | null
  idempotencyKey: string
  /** Its job may exist, although no answer came. */
  wasSent: boolean
}

/** Uploads the directory of a draft, submits the draft and opens its job. Only the user starts it. */
export function useSubmission(
  { draft, unansweredKey, keepKey }: Pick<ReturnType<typeof useDraft>, 'draft' | 'unansweredKey' | 'keepKey'>,
  directory: Directory | null,
) {
  const router = useRouter()
  const { upload, show, end } = useUploadState()
  const canceller = useRef<AbortController | null>(null)
  useEffect(() => () => canceller.current?.abort(new UploadCancelled()), [])
  const { mutateAsync: send } = useMutation(submitJob)

  const sendDirectory = async (sent: Sent): Promise<string | null> => {
    if (sent.directory === null) return null
    const cancelled = new AbortController()
    canceller.current = cancelled
    try {
      // Nobody waits for an upload to learn that the job is refused.
      if (!sent.wasSent) await api.jobs.check({ config: sent.draft.config }, cancelled.signal)
      // Most jobs have no directory.
      const { uploadDirectory } = await loadPart(
        () => import('./directory/upload/upload-directory'),
        'Reload the page, and choose the directory again.',
      )
      return await uploadDirectory({
        projectId: projectOf(sent.draft.config) ?? '',
        entries: sent.directory.entries,
        onProgress: show,
        signal: cancelled.signal,
      })
    } finally {
      canceller.current = null
      end()
    }
  }
  const { mutate, reset, variables, status, error } = useMutation({
    mutationFn: async (sent: Sent) => {
      const archive = await sendDirectory(sent)
      sent.wasSent = true
      // A directory is gone after a reload, and its submission with it.
      if (sent.directory === null) keepKey(sent.draft, sent.idempotencyKey)
      return send({ ...toSubmission(sent.draft, archive), idempotencyKey: sent.idempotencyKey })
    },
    onSuccess: ({ job_id, project_note }) => {
      if (project_note) toast.info(project_note)
      forgetDraft()
      router.push(`/jobs/${job_id}`)
    },
    onError: (thrown, sent) => {
      if (sent.wasSent && !mayHaveArrived(thrown)) keepKey(sent.draft, null)
      if (thrown instanceof UploadCancelled) toast.info('The upload was cancelled. No job was submitted.')
    },
  })
  // The same draft keeps its idempotency key: a retry after a lost response creates no second job.
  const latest = useRef<Sent | null>(null)
  const submit = () => {
    if (latest.current?.draft !== draft || latest.current.directory !== directory)
      latest.current = { draft, directory, ...newSubmission(directory === null ? unansweredKey : null) }
    mutate(latest.current)
  }
  const isOfDraft = variables?.draft === draft && variables.directory === directory
  const isUnanswered = error !== null && isOfDraft && variables.wasSent && mayHaveArrived(error)
  return {
    submit,
    /** The progress of the upload; null if none is in progress. */
    upload,
    cancelUpload: () => canceller.current?.abort(new UploadCancelled()),
    // Until the page of the job opens.
    submitting: status === 'pending' || status === 'success',
    /** The server's answer to this draft. A changed draft may have no problems. */
    refusal: error && isOfDraft && !(error instanceof UploadCancelled) ? toRefusal(error) : null,
    /** This draft was sent and no answer came: it is sent again with the same key, and creates no second job. */
    retries: isUnanswered || (directory === null && unansweredKey !== null),
    /** What the refusal said is no longer so. */
    forgetRefusal: reset,
  }
}

function newSubmission(unansweredKey: string | null): Pick<Sent, 'idempotencyKey' | 'wasSent'> {
  return { idempotencyKey: unansweredKey ?? uuidv7(), wasSent: unansweredKey !== null }
}

/** Whether a job may exist although its submission failed. */
function mayHaveArrived(error: Error): boolean {
  return error instanceof ProblemError && (error.code === 'unreachable' || error.status >= 500)
}

function toRefusal(error: Error): Refused & { errors: readonly FieldError[] } {
  const { errors = [], nearest, jobs } = error instanceof ProblemError ? error : {}
  return { message: error.message, errors, nearest, jobs }
}
