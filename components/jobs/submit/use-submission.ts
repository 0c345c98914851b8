'use client'

import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useRef, useState } from 'react'
import { uuidv7 } from 'uuidv7'
import { submitJob } from '@/components/queries/queries'
import type { FieldError } from '@/lib/contract/errors'
import { ProblemError } from '@/lib/http/client/problem'
import { type Draft, forgetDraft, toSubmission } from './draft'

interface Refusal {
  /** The submitted draft. A changed draft may have no problems. */
  draft: Draft
  message: string
  errors: readonly FieldError[]
}

interface SubmissionState {
  submit: () => void
  submitting: boolean
  /** What the server said about the draft as it stands. */
  refusal: Refusal | null
}

/** Submits a draft and opens its job. */
export function useSubmission(draft: Draft): SubmissionState {
  const router = useRouter()
  const { mutateAsync } = useMutation(submitJob)
  const [submitting, setSubmitting] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  // The same draft keeps its idempotency key: a retry after a lost response creates no second job.
  const sent = useRef<{ draft: Draft; key: string } | null>(null)

  const submit = async () => {
    setSubmitting(true)
    setRefusal(null)
    if (sent.current?.draft !== draft) sent.current = { draft, key: uuidv7() }
    try {
      const job = await mutateAsync({ ...toSubmission(draft), idempotencyKey: sent.current.key })
      forgetDraft()
      router.push(`/jobs/${job.job_id}`)
    } catch (error) {
      setSubmitting(false)
      setRefusal({
        draft,
        message: error instanceof Error ? error.message : 'Submitting failed. Try again.',
        errors: error instanceof ProblemError ? error.errors : [],
      })
    }
  }
  return {
    submit: () => void submit(),
    submitting,
    refusal: refusal?.draft === draft ? refusal : null,
  }
}
