import type { ReactNode } from 'react'
import { VisitorFrame } from '@/components/access/visitor-frame'
import { QueryProvider } from '@/components/shell/query-provider'
import { currentActor } from '@/lib/access/sessions/current-actor'

type Props = { params: Promise<{ id: string }>; children: ReactNode }

/** Everyone may read a public competition. Signed-in users have the frame of the other pages. */
export default async function CompetitionLayout({ params, children }: Props) {
  if (await currentActor()) return children
  const path = `/competitions/${encodeURIComponent((await params).id)}`
  return (
    <QueryProvider>
      <VisitorFrame home="/" next={path}>
        {children}
      </VisitorFrame>
    </QueryProvider>
  )
}
