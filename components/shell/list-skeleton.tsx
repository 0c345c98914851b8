import { Panel } from '../ui/panel'
import { Skeleton, SkeletonRows } from '../ui/skeleton'

/** Holds the places of a page with a list while it loads. */
export function ListSkeleton({ rows = 5, toolbar = false }: { rows?: number; toolbar?: boolean }) {
  return (
    <>
      <div className="flex h-13 items-start justify-between">
        <Skeleton className="mt-1 h-6 w-32" />
        <Skeleton className="h-8 w-24 rounded-md" />
      </div>
      <Panel>
        {toolbar ? <div className="h-13 border-b" /> : null}
        <SkeletonRows rows={rows} />
      </Panel>
    </>
  )
}
