import { Hourglass } from 'lucide-react'
import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { notFound } from 'next/navigation'
import { SharedJobView } from '@/components/jobs/shared/shared-job-view'
import { EmptyState } from '@/components/ui/empty-state'
import { clientAddress } from '@/lib/access/client-address'
import { GpuqError } from '@/lib/contract/errors'
import { openShare, readSharedJob } from '@/lib/jobs/shares/shared-job'

/** The address is a secret: no search engine may list it, and no other site may receive it. */
export const metadata: Metadata = {
  title: 'Shared job',
  robots: { index: false, follow: false, noarchive: true },
  referrer: 'no-referrer',
}

export default async function SharedJobPage({ params }: { params: Promise<{ token: string }> }) {
  const [{ token }, requestHeaders] = await Promise.all([params, headers()])
  try {
    const job = await readSharedJob(await openShare(token, clientAddress(requestHeaders)))
    const api = `/api/shared/${encodeURIComponent(token)}`
    return <SharedJobView job={job} token={token} outputHref={`${api}/output`} eventsHref={`${api}/events`} />
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
