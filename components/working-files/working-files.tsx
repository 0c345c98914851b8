import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useMemo } from 'react'
import { api } from '@/components/queries/queries'
import type { JobDetail } from '@/lib/contract/jobs'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { WorkingFile } from '@/lib/working-files/contract'
import { FileTree } from '../jobs/files/file-tree'
import { LoadFailure } from '../shell/load-failure'
import { buttonStyles } from '../ui/button'
import { formatBytes, formatCount } from '../ui/format-number'
import { Panel, PanelHeader } from '../ui/panel'
import { workingFilesQuery } from './queries'

/** The files that a job changed in its working directory; nothing if it has none. */
export function WorkingFiles({ job }: { job: Pick<JobDetail, 'job_id' | 'files_deleted'> }) {
  const { data, error, refetch } = useQuery({
    ...workingFilesQuery(job.job_id),
    enabled: job.files_deleted === null,
  })
  const listed = useMemo(() => toTree(data?.files ?? []), [data])
  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!data || data.working_directory === null || listed.size === 0) return null
  const files = [...listed.values()]
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const limited = data.more ? ', the first ones' : ''
  return (
    <Panel>
      <PanelHeader
        title="Working directory"
        description={`${formatCount(files.length, 'changed file')}${limited}, ${formatBytes(bytes)}, from ${visibleText(data.working_directory, 120)}`}
      />
      <div className="max-h-[56dvh] overflow-y-auto py-1">
        <FileTree
          files={files}
          action={({ path }) => (
            <a
              href={api.jobs.workingFileUrl(job.job_id, listed.get(path)?.id ?? '')}
              download
              aria-label={`Download ${visibleText(path, 60)}`}
              className={buttonStyles({ size: 'sm', variant: 'ghost' })}
            >
              <Download aria-hidden />
            </a>
          )}
        />
      </div>
    </Panel>
  )
}

/** The files by their path in the tree. Several ranks may change files of the same name. */
function toTree(files: readonly WorkingFile[]) {
  const severalRanks = files.some(({ rank }) => rank !== files[0]?.rank)
  return new Map(
    files.map(({ file_id: id, rank, path, bytes }) => {
      const shown = severalRanks ? `rank-${rank}/${path}` : path
      return [shown, { id, path: shown, bytes, target: null }]
    }),
  )
}
