import { isFinal, type UploadStatus } from '@/lib/contract/status'
import { numberIn } from '@/lib/metrics/contract-group-rows'
import type { ResultRow, SharedRow } from '@/lib/project-results/contract'
import type { GalleryImage } from '../artifacts/viewers/image-gallery'
import { jobTitle } from '../jobs/job-title'
import { api } from '../queries/queries'
import { formatPerson } from '../shell/person'
import type { ResultsView } from './results-view'

/** A job in the table of results. What the reader does not see is absent. */
export interface ShownRow {
  key: string
  title: string
  /** The page of the job; null: the reader sees no more of it. */
  href: string | null
  user?: string | undefined
  status?: UploadStatus | undefined
  tags?: readonly string[] | undefined
  created_at?: string | undefined
  /** Null: it has not ended. */
  run_seconds?: number | null | undefined
  metrics: Readonly<Record<string, number>>
  /** Null: it has no value by which the jobs are grouped. */
  group: string | null
  pictures: readonly GalleryImage[]
}

/** A job of a project, for its members. */
export function rowOfJob(row: ResultRow): ShownRow {
  const { job_id, user_id, user_name, status, tags, created_at, started_at, completed_at } = row
  const ran = started_at !== null && completed_at !== null && isFinal(status)
  return {
    key: job_id,
    title: jobTitle(row),
    href: `/jobs/${job_id}`,
    user: formatPerson(user_id, user_name),
    status,
    tags,
    created_at,
    run_seconds: ran ? (Date.parse(completed_at) - Date.parse(started_at)) / 1000 : null,
    metrics: row.metrics,
    group: row.group,
    pictures: row.pictures.map(({ artifact_id: id, path }) => ({
      id,
      path,
      src: api.jobs.artifactUrl(job_id, id, 'image'),
      href: api.jobs.artifactUrl(job_id, id),
    })),
  }
}

/** A job of a read-only link, which has only what its creator chose. */
export function rowOfLink(row: SharedRow, token: string): ShownRow {
  const { number, name, metrics = {}, group = null, pictures = [], ...shown } = row
  return {
    ...shown,
    key: String(number),
    title: name ?? `Job ${number}`,
    href: null,
    metrics,
    group,
    pictures: pictures.map(({ number: picture, path }) => {
      // The server renders this page too, where the client of the API has no address.
      const src = `/api/shared-results/${encodeURIComponent(token)}/jobs/${number}/pictures/${picture}`
      return { id: String(picture), path, src, href: src }
    }),
  }
}

type Sorted = Pick<ResultsView, 'sort' | 'ascending'>

/** Sorts rows. Those without a value are last, and equal ones stay in their order. */
export function sortRows(rows: readonly ShownRow[], { sort, ascending }: Sorted): readonly ShownRow[] {
  const sign = ascending ? 1 : -1
  return rows.toSorted((one, other) => {
    const [a, b] = [sortedBy(one, sort), sortedBy(other, sort)]
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
    return sign * String(a).localeCompare(String(b), 'en', { numeric: true })
  })
}

function sortedBy(row: ShownRow, sort: string): string | number | undefined {
  if (sort.startsWith('metric.')) return numberIn(row.metrics, sort.slice('metric.'.length))
  switch (sort) {
    case 'submitted':
      return row.created_at === undefined ? undefined : Date.parse(row.created_at)
    case 'run_time':
      return row.run_seconds ?? undefined
    case 'group':
      return row.group ?? undefined
    case 'name':
      return row.title
    case 'user':
      return row.user
    default:
      return row.status
  }
}

const pageSize = 50

/** The rows of a page. A page behind the last one is the last one. */
export function pageOf<Row>(rows: readonly Row[], page: number) {
  const pages = Math.max(1, Math.ceil(rows.length / pageSize))
  const number = Math.min(page, pages)
  return { rows: rows.slice((number - 1) * pageSize, number * pageSize), number, pages }
}
