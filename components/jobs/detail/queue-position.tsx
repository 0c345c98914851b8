'use client'

import { useQuery } from '@tanstack/react-query'
import { queueJobQuery } from '@/components/queries/cluster'
import { ExpectedStart } from '../../cluster/queue/expected-start'
import { Link } from '../../ui/link'

/** The queue position of a waiting job and its expected start. */
export function QueuePosition({ id }: { id: string }) {
  const { data: job } = useQuery(queueJobQuery(id))
  if (!job || job.position === null) return null
  return (
    <>
      {' '}
      <Link href="/cluster">Position {job.position} in the queue</Link>
      {job.expected_start === null ? (
        '. gpuq cannot predict when it starts.'
      ) : (
        <>
          , expected to start{' '}
          <span aria-live="off">
            <ExpectedStart at={job.expected_start} />
          </span>
          .
        </>
      )}
    </>
  )
}
