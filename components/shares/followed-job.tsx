'use client'

import { lazy, type ReactNode, Suspense } from 'react'
import { useHydrated } from '../ui/use-hydrated'
import type { LiveJobProps } from './live-job'

/** Most links are opened after the end of the job. */
const LiveJob = lazy(() => import('./live-job').then((module) => ({ default: module.LiveJob })))

interface FollowedJobProps extends LiveJobProps {
  /** The job as the server rendered it. Shown until the page follows the job. */
  children: ReactNode
}

/** A job that has not ended, live once the page's script has loaded. */
export function FollowedJob({ children, ...props }: FollowedJobProps) {
  const hydrated = useHydrated()
  if (!hydrated) return children
  return (
    <Suspense fallback={children}>
      <LiveJob {...props} />
    </Suspense>
  )
}
