import type { ClusterNode } from '@/lib/contract/cluster/cluster'
import { formatRelative } from '../../ui/format-time'
import { RelativeTime } from '../../ui/relative-time'

/** A test that is due starts within seconds. */
const formatNext = (at: number, now: number) => (at <= now ? 'now' : formatRelative(at, now))

/** When a quarantined node tests itself next, and how its last test ended. */
export function NodeProbe({ probe }: Pick<ClusterNode, 'probe'>) {
  if (probe === null) return null
  return (
    <p className="break-words text-muted text-xs">
      {probe.next_at === null ? (
        'Its self-test is off: the policy disables it.'
      ) : (
        <>
          The node tests itself <RelativeTime at={probe.next_at} format={formatNext} /> and returns to service
          if the test passes.
        </>
      )}{' '}
      {probe.last_at === null ? (
        'It has not tested itself yet.'
      ) : (
        <>
          Last test <RelativeTime at={probe.last_at} />: {probe.last_error ?? 'passed.'}
        </>
      )}
    </p>
  )
}
