import { useQuery } from '@tanstack/react-query'
import Image from 'next/image'
import { api, artifactPreviewQuery } from '@/components/queries/queries'
import type { Artifact } from '@/lib/contract/artifacts'
import { visibleText } from '@/lib/contract/sanitize-text'
import { LoadFailure } from '../../shell/load-failure'
import { Skeleton } from '../../ui/skeleton'
import { TextPreview } from './text-preview'

/** A preview of a text or an image. The content comes from the job and is not trusted. */
export function ArtifactPreview({ jobId, artifact }: { jobId: string; artifact: Artifact }) {
  const { artifact_id: id, path } = artifact
  const { data, error, isPending, refetch } = useQuery(artifactPreviewQuery(jobId, id))
  if (isPending) return <Skeleton className="h-24 rounded-md" />
  if (!data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (data.kind === 'none') return <p className="text-muted text-sm">{data.why}</p>
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
