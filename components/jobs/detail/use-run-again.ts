'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { jobSourceQuery, submitJob } from '@/components/queries/queries'
import { toast } from '../../ui/toaster'

/** Submits a job's program or command again and opens the new job. */
export function useRunAgain(id: string): { runAgain: () => void; working: boolean } {
  const client = useQueryClient()
  const router = useRouter()
  const { mutateAsync } = useMutation(submitJob)
  const [working, setWorking] = useState(false)
  const run = async () => {
    setWorking(true)
    try {
      const { code, config, command } = await client.fetchQuery(jobSourceQuery(id))
      const job = await mutateAsync(command === null ? { code, config } : { config })
      router.push(`/jobs/${job.job_id}`)
    } catch (error) {
      toast.error('Submitting failed', {
        description: error instanceof Error ? error.message : undefined,
      })
    } finally {
      setWorking(false)
    }
  }
  return { runAgain: () => void run(), working }
}
