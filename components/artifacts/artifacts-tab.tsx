import { useQuery } from '@tanstack/react-query'
import { ChevronRight, Download, FileArchive, FolderOpen, Link2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useMemo, useState } from 'react'
import { type JobApi, useJobApi } from '@/components/queries/job-api'
import type { Artifact } from '@/lib/artifacts/contract'
import { isImageName, maxImageBytes } from '@/lib/artifacts/contract-image-names'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { LoadFailure } from '../shell/load-failure'
import { buttonStyles } from '../ui/button'
import { cn } from '../ui/class-names'
import { EmptyState } from '../ui/empty-state'
import { formatBytes, formatCount, formatNumber } from '../ui/format-number'
import { IconButton } from '../ui/icon-button'
import { Link } from '../ui/link'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { Segmented } from '../ui/segmented'
import { Skeleton } from '../ui/skeleton'
import { ArtifactPreview } from './artifact-preview'
import { copyLink } from './copy-link'
import { jobArtifactsQuery } from './queries'
import type { GalleryImage } from './viewers/image-gallery'

// Loaded on use: most jobs write no pictures.
const ImageGallery = dynamic(() => import('./viewers/image-gallery').then((module) => module.ImageGallery), {
  loading: () => <Skeleton className="m-4 h-40" />,
})

interface ArtifactsTabProps {
  /** The id of the job, or the token of a link to it (`useJobApi`). */
  id: string
  job: Pick<JobDetail, 'status' | 'files_deleted' | 'deleted_after_days'>
  /** For readers without an account, who make no links. */
  readOnly?: boolean
}

/** The files that a job wrote to /results. */
export function ArtifactsTab({ id, job, readOnly = false }: ArtifactsTabProps) {
  const ended = isFinal(job.status)
  const { data, error, isPending, refetch } = useQuery(jobArtifactsQuery(useJobApi(), id, ended))
  if (isPending) return <Skeleton className="h-40 rounded-lg" />
  if (!data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (data.artifacts.length === 0) return <NoArtifacts job={job} readOnly={readOnly} />
  return <ArtifactList id={id} artifacts={data.artifacts} readOnly={readOnly} />
}

function NoArtifacts({ job, readOnly }: Omit<Required<ArtifactsTabProps>, 'id'>) {
  const kept = job.files_deleted === null
  const title = kept ? (isFinal(job.status) ? 'No files' : 'No files yet') : 'Files deleted'
  return (
    <Panel>
      <EmptyState icon={FolderOpen} title={title}>
        {kept ? (
          <>
            Files that the program writes to <code className="font-mono">/results</code> appear here when the
            job ends.{' '}
            {readOnly ? null : (
              <Link href="/docs/user-guide/prepare-your-program#keep-files">Keep files</Link>
            )}
          </>
        ) : (
          describeDeletion(job)
        )}
      </EmptyState>
    </Panel>
  )
}

function describeDeletion({ files_deleted, deleted_after_days: days }: ArtifactsTabProps['job']): string {
  return files_deleted === 'on_request'
    ? 'The owner of the job or an admin deleted them.'
    : `The project keeps files for ${days} days.`
}

/** The number of rows at first: a job may have thousands of files. */
const firstRows = 100

interface ArtifactListProps extends Pick<Required<ArtifactsTabProps>, 'id' | 'readOnly'> {
  artifacts: readonly Artifact[]
}

function ArtifactList(props: ArtifactListProps) {
  const { id, artifacts } = props
  const jobApi = useJobApi()
  const [asImages, setAsImages] = useState(false)
  const images = useMemo(() => imagesOf(jobApi, id, artifacts), [jobApi, id, artifacts])
  const bytes = artifacts.reduce((sum, artifact) => sum + artifact.bytes, 0)
  return (
    <Panel>
      <PanelHeader
        title={formatCount(artifacts.length, 'file')}
        description={`${formatBytes(bytes)} from /results`}
        actions={
          <>
            {images.length > 0 ? (
              <Segmented
                label="Show files as"
                value={asImages ? 'images' : 'list'}
                onValueChange={(value) => setAsImages(value === 'images')}
                options={[
                  { value: 'list', label: 'List' },
                  { value: 'images', label: formatCount(images.length, 'image') },
                ]}
              />
            ) : null}
            <a href={jobApi.archiveUrl(id)} download className={buttonStyles({ size: 'sm' })}>
              <FileArchive aria-hidden />
              Download all
            </a>
          </>
        }
      />
      {asImages && images.length > 0 ? <ImageGallery images={images} /> : <FileRows {...props} />}
    </Panel>
  )
}

function imagesOf(jobApi: JobApi, id: string, artifacts: readonly Artifact[]): GalleryImage[] {
  const severalRanks = artifacts.some(({ rank }) => rank !== 0)
  return artifacts
    .filter(({ path, bytes }) => isImageName(path) && bytes <= maxImageBytes)
    .map(({ artifact_id, path, rank }) => ({
      id: artifact_id,
      path: severalRanks ? `rank ${rank}: ${path}` : path,
      src: jobApi.artifactUrl(id, artifact_id, 'image'),
      href: jobApi.artifactUrl(id, artifact_id),
    }))
}

function FileRows({ id, artifacts, readOnly }: ArtifactListProps) {
  const [all, setAll] = useState(false)
  const shown = all ? artifacts : artifacts.slice(0, firstRows)
  const severalRanks = artifacts.some(({ rank }) => rank !== 0)
  return (
    <>
      <ul className="divide-y">
        {shown.map((artifact) => (
          <ArtifactRow
            key={artifact.artifact_id}
            id={id}
            artifact={artifact}
            severalRanks={severalRanks}
            readOnly={readOnly}
          />
        ))}
      </ul>
      {shown.length < artifacts.length ? (
        <PanelBody>
          <button type="button" className={buttonStyles({ size: 'sm' })} onClick={() => setAll(true)}>
            Show all {formatNumber(artifacts.length)}
          </button>
        </PanelBody>
      ) : null}
    </>
  )
}

interface ArtifactRowProps extends Pick<ArtifactListProps, 'id' | 'readOnly'> {
  artifact: Artifact
  severalRanks: boolean
}

function ArtifactRow({ id, artifact, severalRanks, readOnly }: ArtifactRowProps) {
  const jobApi = useJobApi()
  const [open, setOpen] = useState(false)
  const name = visibleText(artifact.path, 300)
  return (
    <li>
      <div className="flex items-center gap-2 px-4 py-1.5">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 flex-1 items-center gap-2 rounded-sm py-1 text-left text-sm hover:text-ink"
        >
          <ChevronRight aria-hidden className={cn('size-4 shrink-0 text-subtle', open && 'rotate-90')} />
          <bdi className="min-w-0 break-all font-mono text-xs">{name}</bdi>
        </button>
        {severalRanks ? <span className="shrink-0 text-subtle text-xs">rank {artifact.rank}</span> : null}
        <span className="shrink-0 text-muted text-xs tabular-nums">{formatBytes(artifact.bytes)}</span>
        {readOnly ? null : (
          <IconButton
            icon={Link2}
            label={`Copy link to ${visibleText(artifact.path, 60)}`}
            onClick={() => void copyLink(id, artifact.artifact_id)}
          />
        )}
        <a
          href={jobApi.artifactUrl(id, artifact.artifact_id)}
          download
          aria-label={`Download ${visibleText(artifact.path, 60)}`}
          className={buttonStyles({ size: 'sm', variant: 'ghost' })}
        >
          <Download aria-hidden />
        </a>
      </div>
      {open ? (
        <div className="px-4 pb-3">
          <ArtifactPreview id={id} artifact={artifact} />
        </div>
      ) : null}
    </li>
  )
}
