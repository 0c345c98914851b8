import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useRouter, useSearchParams } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { jobsQuery } from '@/components/queries/queries'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { RelativeTime } from '@/components/ui/relative-time'
import { TextField } from '@/components/ui/text-field'
import { comparePath, maxCompared } from '../jobs/compare-path'
import { JobStatus } from '../jobs/job-status'
import { jobTitle } from '../jobs/job-title'

/** Adds a job to a comparison: one of the newest, or by its id. */
export function AddJob({ ids }: { ids: readonly string[] }) {
  const full = ids.length >= maxCompared
  return (
    <Dialog
      title="Add a job"
      description={`A comparison has at most ${maxCompared} jobs.`}
      trigger={
        <Button icon={Plus} disabled={full}>
          Add a job
        </Button>
      }
    >
      {(close) => <JobChoice ids={ids} onChosen={close} />}
    </Dialog>
  )
}

function JobChoice({ ids, onChosen }: { ids: readonly string[]; onChosen: () => void }) {
  const router = useRouter()
  const address = useSearchParams()
  const [text, setText] = useState('')
  const { data } = useQuery(jobsQuery({ limit: 50 }))
  const search = text.trim().toLowerCase()
  const others = (data?.items ?? []).filter(
    (job) => !ids.includes(job.job_id) && `${jobTitle(job)} ${job.job_id}`.toLowerCase().includes(search),
  )
  const add = (id: string) => {
    router.push(comparePath([...ids, id], new URLSearchParams(address)))
    onChosen()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const id = others.length === 1 ? others[0]?.job_id : search
    if (id) add(id)
  }
  return (
    <form onSubmit={submit} className="flex min-h-0 flex-col gap-3 px-5 pb-5">
      <TextField
        label="Name or id"
        hint="The newest jobs with this text, or the id of any job."
        value={text}
        onChange={setText}
        autoComplete="off"
        autoCapitalize="none"
      />
      <ul aria-label="Jobs" className="max-h-72 overflow-y-auto">
        {others.map((job) => (
          <li key={job.job_id}>
            <button
              type="button"
              onClick={() => add(job.job_id)}
              className="flex min-h-9 w-full items-center gap-3 rounded-md px-2 text-left text-sm hover:bg-hover"
            >
              <span className="min-w-0 flex-1 truncate text-ink">{jobTitle(job)}</span>
              <JobStatus state={job.status} variant="plain" />
              <span className="w-28 shrink-0 text-right text-subtle text-xs">
                <RelativeTime at={job.created_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <Button type="submit" variant="primary" disabled={search === ''} className="self-end">
        Add
      </Button>
    </form>
  )
}
