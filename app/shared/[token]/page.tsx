import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { SharedJobView } from '@/components/shares/shared-job-view'
import { clientAddress } from '@/lib/access/client-address'
import { openShare, readSharedJob } from '@/lib/shares/shared-job'
import { answerSecretLink, secretLink } from '../secret-link'

export const metadata: Metadata = { title: 'Shared job', ...secretLink }

export default async function SharedJobPage({ params }: { params: Promise<{ token: string }> }) {
  const [{ token }, requestHeaders] = await Promise.all([params, headers()])
  return answerSecretLink(async () => {
    const job = await readSharedJob(await openShare(token, clientAddress(requestHeaders)))
    const api = `/api/shared/${encodeURIComponent(token)}`
    return <SharedJobView job={job} token={token} outputHref={`${api}/output`} eventsHref={`${api}/events`} />
  })
}
