import { Star } from 'lucide-react'
import type { JobDetail } from '@/lib/contract/jobs'
import { IconButton } from '../../ui/icon-button'
import { useUpdateJob } from './use-update-job'

/** Gives a job a star, or takes it away. */
export function StarButton({ job: { job_id, starred } }: { job: JobDetail }) {
  const { update, saving } = useUpdateJob(job_id)
  return (
    <IconButton
      icon={Star}
      label="Star"
      pressed={starred}
      onClick={() => {
        if (!saving) void update({ starred: !starred })
      }}
      className={starred ? '[&_svg]:fill-current' : ''}
    />
  )
}
