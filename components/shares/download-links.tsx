import { useMutation, useQuery } from '@tanstack/react-query'
import { downloadLinksQuery, revokeDownloadLink } from '@/components/artifacts/queries'
import type { DownloadLink } from '@/lib/artifacts/contract-links'
import { LoadFailure } from '../shell/load-failure'
import { LinkRow } from './link-row'
import { SharedTime } from './shared-time'

/** Lists and revokes the links to files of a job, which programs make. Shows nothing if there are none. */
export function DownloadLinks({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(downloadLinksQuery(id))
  if (!data) return error ? <LoadFailure error={error} onRetry={() => void refetch()} /> : null
  if (data.length === 0) return null
  return (
    <section aria-label="Download links" className="border-t pt-4">
      <h3 className="mb-2 font-medium text-sm">Download links</h3>
      <ul className="flex flex-col">
        {data.map((link) => (
          <DownloadLinkRow key={link.id} id={id} link={link} />
        ))}
      </ul>
    </section>
  )
}

function DownloadLinkRow({ id, link }: { id: string; link: DownloadLink }) {
  const { mutateAsync } = useMutation(revokeDownloadLink)
  const name = link.file === 'result' ? 'Result' : (link.path ?? 'A deleted file')
  return (
    <LinkRow
      title={
        <>
          {name}, until <SharedTime at={link.expires_at} />
        </>
      }
      details={
        <>
          Created by {link.created_by}{' '}
          {link.made_with === null ? 'in a browser' : `with the token ${link.made_with}`},{' '}
          <SharedTime at={link.created_at} />
        </>
      }
      revokeLabel={`Revoke the download link to ${name}`}
      onRevoke={() => mutateAsync({ id, linkId: link.id })}
    />
  )
}
