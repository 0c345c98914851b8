import { Skeleton } from '../../ui/skeleton'

/** The placeholder of a job's page. */
export function JobSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading the job</span>
      <Skeleton className="mt-1 mb-2 h-4 w-16" />
      <div className="mb-5 flex h-8 items-center justify-between">
        <Skeleton className="h-6 w-56" />
        <Skeleton className="h-8 w-64 max-sm:hidden" />
      </div>
      <div className="flex flex-col gap-4">
        <Skeleton className="h-10.5 rounded-lg" />
        <Skeleton className="h-18 rounded-lg max-xl:h-32" />
        <Skeleton className="h-10.5 rounded-lg" />
        <Skeleton className="h-10 w-80 max-w-full" />
        <Skeleton className="h-[70dvh] min-h-80 rounded-lg" />
      </div>
    </div>
  )
}
