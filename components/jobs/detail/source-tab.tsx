'use client'

import { useQuery } from '@tanstack/react-query'
import { jobSourceQuery } from '@/lib/http/queries'
import { LoadFailure } from '../../shell/load-failure'
import { CodeBlock } from '../../ui/code-block'
import { Skeleton } from '../../ui/skeleton'

/** What was submitted, without the token. */
export function SourceTab({ id }: { id: string }) {
  const { data, error, isPending, refetch } = useQuery(jobSourceQuery(id))
  if (isPending) return <Skeleton className="h-80 rounded-lg" />
  if (!data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <CodeBlock label="code" title="solution.py" code={data.code} />
      <CodeBlock label="config" title="config.yaml" code={data.config} />
    </div>
  )
}
