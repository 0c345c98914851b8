import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import type { JobDetail } from '@/lib/contract/jobs'
import { Button } from '../../ui/button'
import { cn } from '../../ui/class-names'
import type { JobGpuSeries } from '../resources/gpu-series'
import { JobResources } from '../resources/job-resources'
import { JobFacts } from './job-facts'

interface JobOverviewProps {
  job: JobDetail
  ownHandle: string
  series: readonly JobGpuSeries[]
}

/** Facts and resources. In a small window they are closed at first, so that the output below has space. */
export function JobOverview({ job, ownHandle, series }: JobOverviewProps) {
  const id = useId()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        size="sm"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="hidden self-start compact:inline-flex"
      >
        <ChevronRight aria-hidden className={cn('transition-transform', open && 'rotate-90')} />
        Times, node and resources
      </Button>
      <div id={id} className={cn('flex flex-col gap-4', open ? '' : 'compact:hidden')}>
        <JobFacts job={job} ownHandle={ownHandle} />
        <JobResources job={job} series={series} />
      </div>
    </>
  )
}
