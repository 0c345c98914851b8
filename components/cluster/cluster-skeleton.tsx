import { Skeleton } from '../ui/skeleton'

/** The placeholder of the cluster page. */
export function ClusterSkeleton() {
  return (
    <div role="status" className="flex flex-col gap-4">
      <span className="sr-only">Loading the cluster</span>
      <Skeleton className="h-24 rounded-lg max-xl:h-42 max-sm:h-60" />
      <Skeleton className="h-80 rounded-lg" />
      <Skeleton className="h-60 rounded-lg" />
    </div>
  )
}
