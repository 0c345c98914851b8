import { Hourglass } from 'lucide-react'
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import type { ReactElement } from 'react'
import { EmptyState } from '@/components/ui/empty-state'
import { GpuqError } from '@/lib/contract/errors'

/** The address of a read-only link is a secret: no search engine may list it, and no other site may receive it. */
export const secretLink = {
  robots: { index: false, follow: false, noarchive: true },
  referrer: 'no-referrer',
} as const satisfies Metadata

/** The page of a read-only link, or why it cannot be shown. */
export async function answerSecretLink(render: () => Promise<ReactElement>): Promise<ReactElement> {
  try {
    return await render()
  } catch (error) {
    if (!(error instanceof GpuqError)) throw error
    if (error.code === 'not_found') notFound()
    if (error.code === 'rate_limited') return <TooManyRequests message={error.message} />
    throw error
  }
}

function TooManyRequests({ message }: { message: string }) {
  return (
    <main id="main" tabIndex={-1} className="grid min-h-dvh place-items-center p-4">
      <div>
        <h1 className="sr-only">Too many requests</h1>
        <EmptyState icon={Hourglass} title="Too many requests">
          {message}
        </EmptyState>
      </div>
    </main>
  )
}
