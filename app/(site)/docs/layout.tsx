import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { VisitorFrame } from '@/components/access/visitor-frame'
import { currentActor } from '@/lib/access/sessions/current-actor'

export const metadata: Metadata = { title: { default: 'Documentation', template: '%s · gpuq documentation' } }

/** Everyone may read the documentation. Signed-in users have the frame of the other pages. */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  return (await currentActor()) ? children : <VisitorFrame home="/docs">{children}</VisitorFrame>
}
