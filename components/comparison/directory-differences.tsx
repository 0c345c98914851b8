import { useQueries, useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { fileTextQuery, jobFileChangesQuery } from '@/components/queries/job-file'
import { api } from '@/components/queries/queries'
import { Badge } from '@/components/ui/badge'
import { cn } from '@/components/ui/class-names'
import { formatBytes, formatCount } from '@/components/ui/format-number'
import { Skeleton } from '@/components/ui/skeleton'
import type { SnapshotChange } from '@/lib/contract/archives/changes'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { LoadFailure } from '../shell/load-failure'
import { changeTones, describeChanges } from '../snapshots/describe-changes'
import { CodeDifferences } from './code-differences'

/** The lines of a larger file are not compared. */
const maxBytes = 256 * 1024

interface DirectoryDifferencesProps {
  /** Ids of the jobs. */
  before: string
  after: string
}

/** The files that differ between the uploaded directories of two jobs. The lines of a file are loaded when it is opened. */
export function DirectoryDifferences({ before, after }: DirectoryDifferencesProps) {
  const { data, error, refetch } = useQuery(jobFileChangesQuery(before, after))
  return (
    <section aria-label="Uploaded directory" className="border-t">
      <h3 className="px-4 pt-3 font-medium text-ink text-sm">Uploaded directory</h3>
      {data ? (
        <>
          <p className="px-4 pt-1 pb-2 text-muted text-sm">{describeChanges(data)}</p>
          <ul className="divide-y border-t empty:hidden">
            {data.files.map((file) => (
              <ChangedFile key={file.path} file={file} before={before} after={after} />
            ))}
          </ul>
          {data.truncated ? (
            <p className="border-t px-4 py-2 text-muted text-sm">
              Only the first {formatCount(data.files.length, 'file')} are listed.
            </p>
          ) : null}
        </>
      ) : error ? (
        <LoadFailure error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="m-4 h-16" />
      )}
    </section>
  )
}

interface ChangedFileProps extends DirectoryDifferencesProps {
  file: SnapshotChange
}

function ChangedFile({ file, before, after }: ChangedFileProps) {
  const [open, setOpen] = useState(false)
  const { path, change, bytes_before, bytes_after } = file
  const sizes = [bytes_before, bytes_after].filter((bytes) => bytes !== null).map(formatBytes)
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-9 w-full items-center gap-2 px-4 py-1 text-left text-sm hover:bg-hover"
      >
        <ChevronRight aria-hidden className={cn('size-4 shrink-0 text-subtle', open && 'rotate-90')} />
        <bdi className="min-w-0 flex-1 break-all font-mono text-xs">{visibleText(path, 300)}</bdi>
        <Badge tone={changeTones[change]}>{change}</Badge>
        <span className="shrink-0 text-muted text-xs tabular-nums max-sm:hidden">{sizes.join(' → ')}</span>
      </button>
      {open ? <FileDifferences file={file} before={before} after={after} /> : null}
    </li>
  )
}

function FileDifferences({ file, before, after }: ChangedFileProps) {
  const { path, bytes_before, bytes_after } = file
  const isSmall = Math.max(bytes_before ?? 0, bytes_after ?? 0) <= maxBytes
  const texts = useQueries({
    queries: [
      { ...fileTextQuery(api.jobs.fileUrl(before, path)), enabled: isSmall && bytes_before !== null },
      { ...fileTextQuery(api.jobs.fileUrl(after, path)), enabled: isSmall && bytes_after !== null },
    ],
  })
  if (!isSmall)
    return (
      <p className="px-4 pb-3 text-muted text-sm">
        The lines of files up to {formatBytes(maxBytes)} are compared. Download this one in the Source tab of
        each job.
      </p>
    )
  const failed = texts.find(({ error }) => error)
  if (failed?.error) return <LoadFailure error={failed.error} onRetry={() => void failed.refetch()} />
  const [first, second] = [
    bytes_before === null ? '' : texts[0].data,
    bytes_after === null ? '' : texts[1].data,
  ]
  if (first === undefined || second === undefined) return <Skeleton className="m-4 h-16" />
  if ([first, second].some((text) => /[\0\ufffd]/.test(text)))
    return <p className="px-4 pb-3 text-muted text-sm">The file is not text.</p>
  return (
    <CodeDifferences
      first={first}
      second={second}
      name={visibleText(path, 300)}
      equal="The contents are equal; the mode of the file differs."
    />
  )
}
