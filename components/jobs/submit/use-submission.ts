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
  /** What was sent: once it is changed, its mistakes may be gone. */
  draft: Draft
  message: string
  errors: readonly FieldError[]
}

interface SubmissionState {
  submit: () => void
  working: boolean
  /** What the server said about the draft as it stands. */
  refusal: Refusal | null
}

/** Sends a draft, and goes to its job. */
export function useSubmission(draft: Draft): SubmissionState {
  const router = useRouter()
  const { mutateAsync } = useMutation(submitJob)
  const [working, setWorking] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  // The same draft keeps its key: sent again after an answer that got lost, it is still one job.
  const sent = useRef<{ draft: Draft; key: string } | null>(null)

  const submit = async () => {
    setWorking(true)
    setRefusal(null)
    if (sent.current?.draft !== draft) sent.current = { draft, key: uuidv7() }
    try {
      const job = await mutateAsync({ ...toSubmission(draft), idempotencyKey: sent.current.key })
      forgetDraft()
      router.push(`/jobs/${job.job_id}`)
    } catch (error) {
      setWorking(false)
      setRefusal({
        draft,
        message: error instanceof Error ? error.message : 'The job could not be sent. Try again.',
        errors: error instanceof ProblemError ? error.errors : [],
      })
    }
  }
  return {
    submit: () => void submit(),
    working,
    refusal: refusal?.draft === draft ? refusal : null,
  }
}
