'use client'

import dynamic from 'next/dynamic'
import { PartBoundary } from '../ui/missing-part'
import { Skeleton } from '../ui/skeleton'
import type { SharedPartsProps } from './parts-view'

/** Charts and lists load after the facts and the output, which the server renders. */
const PartsView = dynamic(() => import('./parts-view').then((module) => module.PartsView), {
  ssr: false,
  loading: () => <Skeleton className="h-72 rounded-lg" />,
})

/** The metrics and the files of a job, as far as a link shows them. */
export function SharedParts(props: SharedPartsProps) {
  const { metrics, files } = props.shows
  if (!metrics && !files) return null
  return (
    <PartBoundary>
      <PartsView {...props} />
    </PartBoundary>
  )
}
