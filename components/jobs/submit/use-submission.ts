import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useRef } from 'react'
import { uuidv7 } from 'uuidv7'
import { submitJob } from '@/components/queries/queries'
import { ProblemError } from '@/lib/http/client/problem'
import { type Draft, forgetDraft, toSubmission } from './draft'

interface Sent {
  draft: Draft
  idempotencyKey: string
}

/** Submits a draft and opens its job. */
export function useSubmission(draft: Draft) {
  const router = useRouter()
  const { mutateAsync: send } = useMutation(submitJob)
  const { mutate, variables, status, error } = useMutation({
    mutationFn: (job: Sent) => send({ ...toSubmission(job.draft), idempotencyKey: job.idempotencyKey }),
    onSuccess: ({ job_id }) => {
      forgetDraft()
      router.push(`/jobs/${job_id}`)
    },
  })
  // The same draft keeps its idempotency key: a retry after a lost response creates no second job.
  const sent = useRef<Sent | null>(null)
  const submit = () => {
    if (sent.current?.draft !== draft) sent.current = { draft, idempotencyKey: uuidv7() }
    mutate(sent.current)
  }
  return {
    submit,
    // Until the page of the job opens.
    submitting: status === 'pending' || status === 'success',
    /** The server's answer to this draft. A changed draft may have no problems. */
    refusal:
      error && variables?.draft === draft
        ? { message: error.message, errors: error instanceof ProblemError ? error.errors : [] }
        : null,
  }
}
