'use client'

import { useQuery } from '@tanstack/react-query'
import { queueJobQuery } from '@/components/queries/cluster'
import { ExpectedStart } from '../../cluster/queue/expected-start'
import { Link } from '../../ui/link'

/** Where a waiting job stands in the queue, and when it should start. */
export function QueuePlace({ id }: { id: string }) {
  const { data: job } = useQuery(queueJobQuery(id))
  if (!job || job.position === null) return null
  return (
    <>
      {' '}
      <Link href="/cluster">Place {job.position} in the queue</Link>
      {job.expected_start === null ? (
        '. When it should start cannot be told as things are now.'
      ) : (
        <>
          , should start{' '}
          <span aria-live="off">
            <ExpectedStart at={job.expected_start} />
          </span>
          .
        </>
      )}
    </>
  )
}
