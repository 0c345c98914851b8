import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { uuidv7 } from 'uuidv7'
import { api, changing, keys } from '@/components/queries/queries'
import type { FieldError } from '@/lib/contract/errors'
import type { Submission } from '@/lib/http/client/build-client'
import { ProblemError } from '@/lib/http/client/problem'
import { loadPart } from '../../ui/missing-part'
import { toast } from '../../ui/toaster'
import type { Refused } from './before/refusal'
import type { Directory } from './directory/directory'
import { useUploadState } from './directory/upload/use-upload-state'
import { type Draft, forgetDraft, projectOf, toSubmission } from './draft'
import type { Opened, OtherParts } from './other-submission'
import type { useDraft } from './use-draft'

const submitJob = changing(async (job: Submission): Promise<Opened> => {
  const { job_id, project_note, competition_note, page } = await api.jobs.submit(job)
  return { path: page ?? `/jobs/${job_id}`, note: project_note ?? competition_note }
}, keys.jobs)

/** The user cancelled the upload, or left the page. */
class UploadCancelled extends Error {}

interface Sent {
  draft: Draft
  directory: Directory | null
  idempotencyKey: string
  /** Its job may exist, although no answer came. */
  wasSent: boolean
}

/**
 * Uploads the directory of a draft, submits the draft and opens its page. Only the user starts it.
 * @param other null: the draft is one job
 */
export function useSubmission(
  { draft, unansweredKey, keepKey }: Pick<ReturnType<typeof useDraft>, 'draft' | 'unansweredKey' | 'keepKey'>,
  directory: Directory | null,
  other: OtherParts | null,
) {
  const router = useRouter()
  const { upload, show, end } = useUploadState()
  const canceller = useRef<AbortController | null>(null)
  useEffect(() => () => canceller.current?.abort(new UploadCancelled()), [])
  const client = useQueryClient()
  // Not by a hook: the draft may become another kind during the upload of its directory.
  const send = (given: Submission) =>
    client
      .getMutationCache()
      .build(client, other?.submission ?? submitJob)
      .execute(given)

  const sendDirectory = async (sent: Sent): Promise<string | null> => {
    if (sent.directory === null) return null
    const cancelled = new AbortController()
    canceller.current = cancelled
    try {
      // Nobody waits for an upload to learn that the job is refused.
      if (!sent.wasSent) await checkDraft(sent, cancelled.signal)
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
  const checkDraft = ({ draft: { config }, idempotencyKey }: Sent, signal: AbortSignal) =>
    // A limit of jobs does not refuse what waits outside the queue.
    api.jobs.check(other ? { config: other.toJobConfig(config), idempotencyKey } : { config }, signal)
  const { mutate, reset, variables, status, error } = useMutation({
    mutationFn: async (sent: Sent) => {
      const archive = await sendDirectory(sent)
      sent.wasSent = true
      // A directory is gone after a reload, and its submission with it.
      if (sent.directory === null) keepKey(sent.draft, sent.idempotencyKey)
      return send({ ...toSubmission(sent.draft, archive), idempotencyKey: sent.idempotencyKey })
    },
    onSuccess: ({ path, note }) => {
      if (note) toast.info(note)
      forgetDraft()
      router.push(path)
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
