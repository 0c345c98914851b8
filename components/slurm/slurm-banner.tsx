import { useQuery } from '@tanstack/react-query'
import { orchestratorQuery } from '@/components/queries/cluster'
import { Callout } from '../ui/callout'
import { RelativeTime } from '../ui/relative-time'

/** Tells every user, on every page, that Slurm does not answer. */
export function SlurmBanner() {
  const { data } = useQuery(orchestratorQuery())
  const { problem = null, read_at = null } = data?.slurm ?? {}
  if (problem === null) return null
  return (
    <Callout tone="warning" title="Slurm does not answer" announce className="mb-5">
      {read_at === null ? (
        'It has not answered since gpuq was set up. '
      ) : (
        <>
          Its last answer was <RelativeTime at={read_at} />.{' '}
        </>
      )}
      You can submit jobs: gpuq keeps them and passes them on when Slurm answers again. Jobs that run
      continue. The cause: {problem}
    </Callout>
  )
}
