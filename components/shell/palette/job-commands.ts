import { useQuery } from '@tanstack/react-query'
import { Ban, Copy, FileJson, Pencil, RotateCw } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useEffect, useState } from 'react'
import { api, jobQuery, jobsQuery } from '@/components/queries/queries'
import type { JobDetail, JobSummary } from '@/lib/contract/jobs'
import { parseSearch } from '@/lib/contract/search/parse-search'
import { describeSearchProblem } from '@/lib/contract/search/search-reader'
import { isFinal } from '@/lib/contract/status'
import { hasSource } from '../../jobs/has-source'
import { stateStyles } from '../../jobs/job-status'
import { jobTitle } from '../../jobs/job-title'
import { useRunAgain } from '../../jobs/run-again'
import { copyWithToast } from '../../ui/copy-text'
import { useOpenPage } from '../connection/use-open-page'
import { type Command, typedId, uuid } from './command'

const jobPath = new RegExp(`^/jobs/(${uuid})$`)
/** Maximum number of jobs that fit into a window beside the other groups. */
const shownJobs = 8
const debounceMs = 150

/** The jobs of the user that match a search, and the job with the id that the user typed. */
export function useJobCommands(text: string): { commands: Command[]; problem: string | null } {
  const openPage = useOpenPage()
  const typed = text.trim()
  const search = useSettled(typed, debounceMs)
  const parsed = parseSearch(search)
  const { data, isPlaceholderData } = useQuery({
    ...jobsQuery({ limit: shownJobs, ...(search ? { q: search } : {}) }),
    enabled: parsed.ok,
    refetchInterval: false,
    staleTime: 10_000,
  })
  const jobs = parsed.ok ? (data?.items ?? []) : []
  // Until the answer for the typed text arrives, the jobs of the last answer are searched for its words.
  const found = search === typed && !isPlaceholderData
  const open = (id: string) => () => openPage(`/jobs/${id}`)
  const id = typedId(typed)
  const commands = jobs.map(
    (job): Command => ({ ...toCommand(job, open(job.job_id)), ...(found ? { found } : {}) }),
  )
  if (id !== null && !jobs.some(({ job_id }) => job_id === id))
    commands.push({ id, group: 'Jobs', label: id, icon: FileJson, run: open(id) })
  return { commands, problem: parsed.ok ? null : describeSearchProblem(parsed.problem) }
}

/** A value once it has not changed for some time. */
function useSettled(value: string, milliseconds: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  return settled
}

function toCommand(job: JobSummary, run: () => void): Command {
  const { icon, label } = stateStyles[job.status]
  return {
    id: job.job_id,
    group: 'Jobs',
    label: jobTitle(job),
    hint: `${label} · ${job.competition_id} · ${job.project_id}`,
    words: job.job_id,
    icon,
    run,
  }
}

/** The actions for the job of the open page; none on other pages. */
export function useOpenJobCommands(onCancel: (job: JobDetail) => void): Command[] {
  const [, id = ''] = jobPath.exec(usePathname()) ?? []
  const openPage = useOpenPage()
  const runAgain = useRunAgain()
  const { data: job } = useQuery({ ...jobQuery(id), enabled: id !== '', refetchInterval: false })
  if (!job) return []
  const group = 'This job'
  const commands: (Command | null)[] = [
    isFinal(job.status) && hasSource(job)
      ? { id: 'again', group, label: 'Run again', icon: RotateCw, run: () => void runAgain(id) }
      : null,
    hasSource(job)
      ? {
          id: 'edit',
          group,
          label: 'Edit and run again',
          icon: Pencil,
          run: () => openPage(`/submit?from=${id}`),
        }
      : null,
    { id: 'copy', group, label: 'Copy job id', icon: Copy, run: () => void copyWithToast(id, 'Job id') },
    job.result_file === null
      ? null
      : {
          id: 'download',
          group,
          label: 'Download JSONL file',
          icon: FileJson,
          run: () => window.location.assign(api.jobs.downloadUrl(id, 'jsonl')),
        },
    isFinal(job.status) || job.cancel_requested
      ? null
      : { id: 'cancel', group, label: 'Cancel this job', icon: Ban, asks: true, run: () => onCancel(job) },
  ]
  return commands.filter((command) => command !== null)
}
