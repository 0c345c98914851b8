import { useQuery } from '@tanstack/react-query'
import Image from 'next/image'
import { useJobApi } from '@/components/queries/job-api'
import type { Artifact } from '@/lib/artifacts/contract'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { LoadFailure } from '../shell/load-failure'
import { Skeleton } from '../ui/skeleton'
import { artifactPreviewQuery } from './queries'
import { TextPreview } from './text-preview'
import { FileViewer } from './viewers/file-viewer'
import { viewerOf } from './viewers/viewer-of'

interface ArtifactPreviewProps {
  /** The id of the job, or the token of a link to it (`useJobApi`). */
  id: string
  artifact: Artifact
}

/** A file of a job in the form that fits its name. The content comes from the job and is not trusted. */
export function ArtifactPreview({ id, artifact }: ArtifactPreviewProps) {
  const { artifact_id, path, bytes } = artifact
  const jobApi = useJobApi()
  const viewer = viewerOf(path)
  const beginning = <Beginning id={id} artifact={artifact} />
  if (viewer === null || viewer === 'markdown') return beginning
  return (
    <FileViewer
      file={{ path, bytes, url: jobApi.artifactUrl(id, artifact_id) }}
      viewer={viewer}
      text={viewer === 'parquet' ? null : beginning}
    />
  )
}

/** The beginning of a text, or a picture, as the server recognizes them by the content. */
function Beginning({ id, artifact }: ArtifactPreviewProps) {
  const { artifact_id, path } = artifact
  const jobApi = useJobApi()
  const { data, error, isPending, refetch } = useQuery(artifactPreviewQuery(jobApi, id, artifact_id))
  if (isPending) return <Skeleton className="h-24 rounded-md" />
  if (!data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (data.kind === 'none')
    return (
      <p className="text-muted text-sm">
        {data.why}{' '}
        <a
          href={jobApi.artifactUrl(id, artifact_id)}
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
        src={jobApi.artifactUrl(id, artifact_id, 'image')}
        alt={visibleText(path, 120)}
        className="h-auto max-h-[60dvh] w-auto max-w-full rounded-md border bg-sunken object-contain"
      />
    )
  }
  return <TextPreview path={path} text={data.text} truncated={data.truncated} />
}
