'use client'

import { useQuery } from '@tanstack/react-query'
import { jobSourceQuery } from '@/lib/http/queries'
import { LoadFailure } from '../../shell/load-failure'
import { cn } from '../../ui/class-names'
import { CodeBlock } from '../../ui/code-block'
import { Skeleton } from '../../ui/skeleton'

/** What was submitted, without the token. */
export function SourceTab({ id, className }: { id: string; className: string }) {
  const { data, error, isPending, refetch } = useQuery(jobSourceQuery(id))
  if (isPending) return <Skeleton className={cn('h-80 rounded-lg', className)} />
  if (!data) return <LoadFailure className={className} error={error} onRetry={() => void refetch()} />
  return (
    <div className={cn('grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]', className)}>
      <CodeBlock label="code" title="solution.py" code={data.code} />
      <CodeBlock label="config" title="config.yaml" code={data.config} />
    </div>
  )
}
