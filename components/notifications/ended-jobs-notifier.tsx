import { useQuery } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { newestJobsQuery } from '@/components/notifications/queries'
import type { JobSummary } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { jobTitle } from '../jobs/job-title'

/** Shows a notification of the browser for each of the user's newest jobs that ends from now on. */
export function EndedJobsNotifier() {
  const router = useRouter()
  const { data: jobs } = useQuery(newestJobsQuery())
  /** The jobs that had ended before; null before the first answer. */
  const ended = useRef<Set<string> | null>(null)
  useEffect(() => {
    if (!jobs) return
    const final = jobs.filter(({ status }) => isFinal(status))
    const before = ended.current
    ended.current = new Set([...(before ?? []), ...final.map(({ job_id }) => job_id)])
    if (before === null) return
    for (const job of final) if (!before.has(job.job_id)) notify(job, (href) => router.push(href))
  }, [jobs, router])
  return null
}

function notify(job: JobSummary, open: (href: string) => void): void {
  // Several tabs use the same tag, so that the browser shows one notification.
  const notification = new Notification(`${jobTitle(job)} ${job.status}`, { tag: job.job_id })
  notification.onclick = () => {
    window.focus()
    open(`/jobs/${job.job_id}`)
    notification.close()
  }
}
