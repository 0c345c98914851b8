import { useQuery } from '@tanstack/react-query'
import Image from 'next/image'
import { api, artifactPreviewQuery } from '@/components/queries/queries'
import type { Artifact } from '@/lib/contract/artifacts'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { LoadFailure } from '../../shell/load-failure'
import { Skeleton } from '../../ui/skeleton'
import { FileViewer } from '../viewers/file-viewer'
import { viewerOf } from '../viewers/viewer-of'
import { TextPreview } from './text-preview'

interface ArtifactPreviewProps {
  jobId: string
  artifact: Artifact
}

/** A file of a job in the form that fits its name. The content comes from the job and is not trusted. */
export function ArtifactPreview({ jobId, artifact }: ArtifactPreviewProps) {
  const { artifact_id: id, path, bytes } = artifact
  const viewer = viewerOf(path)
  const beginning = <Beginning jobId={jobId} artifact={artifact} />
  if (viewer === null || viewer === 'markdown') return beginning
  return (
    <FileViewer
      file={{ path, bytes, url: api.jobs.artifactUrl(jobId, id) }}
      viewer={viewer}
      text={viewer === 'parquet' ? null : beginning}
    />
  )
}

/** The beginning of a text, or a picture, as the server recognizes them by the content. */
function Beginning({ jobId, artifact }: ArtifactPreviewProps) {
  const { artifact_id: id, path } = artifact
  const { data, error, isPending, refetch } = useQuery(artifactPreviewQuery(jobId, id))
  if (isPending) return <Skeleton className="h-24 rounded-md" />
  if (!data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (data.kind === 'none')
    return (
      <p className="text-muted text-sm">
        {data.why}{' '}
        <a
          href={api.jobs.artifactUrl(jobId, id)}
          download
          className="text-accent-ink underline underline-offset-2"
        >
          Download
        </a>
      </p>
    )
  if (data.kind === 'image') {
    return (
      <Image
        // The server must not process the job's files, and their sizes are unknown.
        unoptimized
        width={0}
        height={0}
        src={api.jobs.artifactUrl(jobId, id, 'image')}
        alt={visibleText(path, 120)}
        className="h-auto max-h-[60dvh] w-auto max-w-full rounded-md border bg-sunken object-contain"
      />
    )
  }
  return <TextPreview path={path} text={data.text} truncated={data.truncated} />
}
