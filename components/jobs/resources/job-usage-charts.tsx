import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, keys } from '@/components/queries/queries'
import type { JobUsage } from '@/lib/contract/cluster/job-usage'
import type { JobDetail } from '@/lib/contract/jobs'
import { formatGib } from '../../cluster/format-amounts'
import { Sparkline } from '../../cluster/gpus/sparkline'
import { formatValue } from '../result/chart-series'

const refreshMs = 5000

interface JobUsageChartsProps {
  job: Pick<JobDetail, 'job_id' | 'attempt' | 'status'>
  /** False: the charts are hidden, and nothing is loaded. */
  enabled: boolean
}

/** Charts of the CPU and memory of a job over its whole run, one for each of its nodes. */
export function JobUsageCharts({ job, enabled }: JobUsageChartsProps) {
  const live = job.status === 'running'
  const { data } = useQuery({
    queryKey: [...keys.jobs, 'usage', job.job_id, live],
    queryFn: ({ signal }) => api.jobs.usage(job.job_id, signal),
    placeholderData: keepPreviousData,
    refetchInterval: live ? refreshMs : false,
    staleTime: live ? 0 : 60_000,
    enabled: enabled && job.attempt > 0,
  })
  const tasks = data?.tasks ?? []
  if (tasks.length === 0) return null
  return (
    <ul aria-label="CPU and memory" className="grid grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-2">
      {tasks.map((task) => (
        <TaskUsage key={task.rank} task={task} severalNodes={tasks.length > 1} />
      ))}
    </ul>
  )
}

function TaskUsage({ task, severalNodes }: { task: JobUsage['tasks'][number]; severalNodes: boolean }) {
  const { interval_s: step, cpu_cores: cores, memory_mib: memory, node } = task
  const start = Date.parse(task.started_at) / 1000
  const at = cores.map((_, nth) => start + (nth + 0.5) * step)
  const frame = { from: start, to: start + Math.max(1, cores.length * step), step }
  // A container may use more cores for a moment than it has on average.
  const mostCores = cores.reduce<number>((most, value) => Math.max(most, value ?? 0), task.cpu_milli / 1000)
  const lines = [
    { of: 'load', label: 'CPU', values: cores, max: mostCores, format: formatCores },
    { of: 'memory', label: 'Memory', values: memory, max: task.memory_limit_mib, format: formatGib },
  ] as const
  return (
    <li className="rounded-md border p-2.5">
      <p className="mb-1.5 truncate font-medium text-ink text-xs">
        CPU and memory{severalNodes ? ` of ${node}` : ''}
      </p>
      {lines.map(({ of, label, values, max, format }) => {
        const last = values.findLast((value) => value !== null)
        const now = last === undefined ? '–' : format(last)
        return (
          <div key={of} className="grid grid-cols-[3.25rem_minmax(0,1fr)_5rem] items-center gap-2 text-xs">
            <span className="text-subtle">{label}</span>
            <Sparkline
              of={of}
              at={at}
              values={values}
              {...frame}
              max={max}
              label={`${label}${severalNodes ? ` of ${node}` : ''}, last ${now} of ${format(max)}`}
              className="h-6"
            />
            <span className="whitespace-nowrap text-right text-ink tabular-nums">{now}</span>
          </div>
        )
      })}
    </li>
  )
}

function formatCores(cores: number): string {
  return `${formatValue(Number(cores.toFixed(2)))} ${cores === 1 ? 'core' : 'cores'}`
}
