import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { fileTextQuery } from '@/components/queries/job-file'
import { Callout } from '@/components/ui/callout'
import { formatBytes } from '@/components/ui/format-number'
import { Skeleton } from '@/components/ui/skeleton'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { JsonTree } from '../../../jobs/result/json-tree'
import { LoadFailure } from '../../../shell/load-failure'
import type { ViewedFile } from '../viewer-of'
import { parseJsonFile, parseJsonLines } from './parse-json-file'

/** A browser parses this in less than a second. */
const maxBytes = 32 << 20

/** A JSON file as a tree. */
export function JsonViewer({ file, lines }: { file: ViewedFile; lines: boolean }) {
  const fits = file.bytes <= maxBytes
  const { data: text, error, refetch } = useQuery({ ...fileTextQuery(file.url), enabled: fits })
  const parsed = useMemo(() => {
    if (text === undefined) return null
    return lines ? parseJsonLines(text) : parseJsonFile(text)
  }, [text, lines])
  if (!fits)
    return (
      <Callout tone="warning" title="This file is too large for a tree">
        It has {formatBytes(file.bytes)}. A tree shows at most {formatBytes(maxBytes)}: download the file, or
        look at its beginning as text.
      </Callout>
    )
  if (error) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (parsed === null || text === undefined) return <Skeleton className="h-40 rounded-md" />
  if ('problem' in parsed)
    return (
      <Callout tone="warning" announce title="This file cannot be shown as a tree">
        {visibleText(parsed.problem, 500)}
      </Callout>
    )
  return (
    <div className="flex flex-col gap-2">
      {parsed.notices.map((notice) => (
        <Callout key={notice} tone="info">
          {notice}
        </Callout>
      ))}
      <div className="flex h-[min(60dvh,28rem)] min-h-40 flex-col overflow-hidden rounded-md border bg-surface">
        <JsonTree value={parsed.value} label={`Tree of ${visibleText(file.path, 120)}`} copied={() => text} />
      </div>
    </div>
  )
}
