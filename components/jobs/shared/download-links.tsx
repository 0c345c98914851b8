import { useMutation, useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { downloadLinksQuery, revokeDownloadLink } from '@/components/queries/download-links'
import type { DownloadLink } from '@/lib/contract/download-links'
import { LoadFailure } from '../../shell/load-failure'
import { IconButton } from '../../ui/icon-button'
import { toast, toastError } from '../../ui/toaster'
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
          <LinkRow key={link.id} id={id} link={link} />
        ))}
      </ul>
    </section>
  )
}

function LinkRow({ id, link }: { id: string; link: DownloadLink }) {
  const { mutateAsync, isPending } = useMutation(revokeDownloadLink)
  const name = link.file === 'result' ? 'Result' : (link.path ?? 'A deleted file')
  const revoke = async () => {
    try {
      await mutateAsync({ id, linkId: link.id })
      toast.success('Link revoked')
    } catch (error) {
      toastError('Revoking failed', error)
    }
  }
  return (
    <li className="flex items-center justify-between gap-3 border-b py-1.5 text-sm">
      <p className="min-w-0">
        <span className="block break-words">
          {name}, until <SharedTime at={link.expires_at} />
        </span>
        <span className="block text-subtle text-xs">
          Created by {link.created_by}{' '}
          {link.made_with === null ? 'in a browser' : `with the token ${link.made_with}`},{' '}
          <SharedTime at={link.created_at} />
        </span>
      </p>
      <IconButton
        icon={Trash2}
        label={`Revoke the download link to ${name}`}
        disabled={isPending}
        onClick={() => void revoke()}
      />
    </li>
  )
}
