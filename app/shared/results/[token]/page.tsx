import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { SharedResultsView } from '@/components/project-results/shared-results-view'
import { clientAddress } from '@/lib/access/client-address'
import { readSharedResults } from '@/lib/project-results/shared-results'
import { answerSecretLink, secretLink } from '../../secret-link'

export const metadata: Metadata = { title: 'Shared results', ...secretLink }

export default async function SharedResultsPage({ params }: { params: Promise<{ token: string }> }) {
  const [{ token }, requestHeaders] = await Promise.all([params, headers()])
  return answerSecretLink(async () => (
    <SharedResultsView
      results={await readSharedResults(token, clientAddress(requestHeaders))}
      token={token}
    />
  ))
}
