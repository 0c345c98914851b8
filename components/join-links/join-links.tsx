import { useMutation, useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { createJoinLink, joinLinksQuery, revokeJoinLink } from '@/components/join-links/queries'
import type { CreatedJoinLink, JoinLink } from '@/lib/join-links/contract'
import { FormError, SubmitButton } from '../shell/form'
import { LoadFailure } from '../shell/load-failure'
import { ShownOnce } from '../shell/shown-once'
import { useSchemaForm } from '../shell/use-schema-form'
import { Badge } from '../ui/badge'
import { CheckboxField } from '../ui/checkbox'
import { IconButton } from '../ui/icon-button'
import { RelativeTime } from '../ui/relative-time'
import { SkeletonRows } from '../ui/skeleton'
import { NumberField } from '../ui/text-field'
import { toast, toastError } from '../ui/toaster'

interface JoinLinksProps {
  /** The id of the project's row. */
  projectId: string
  /** Only admins let people create accounts. */
  admin: boolean
}

/** Creates, lists and revokes links with which people join a project. */
export function JoinLinks({ projectId, admin }: JoinLinksProps) {
  const [created, setCreated] = useState<CreatedJoinLink | null>(null)
  return (
    <section id="join-links" aria-label="Join links" className="flex flex-col gap-3">
      <h2 className="font-semibold text-ink text-sm">Join links</h2>
      {created ? (
        <ShownOnce
          label="join link"
          title="Join link"
          secret={created.url}
          note="gpuq does not show this link again. Whoever has it can join the project."
        />
      ) : null}
      <Links projectId={projectId} />
      <JoinLinkForm projectId={projectId} admin={admin} onCreated={setCreated} />
    </section>
  )
}

function Links({ projectId }: Pick<JoinLinksProps, 'projectId'>) {
  const { data, error, refetch } = useQuery(joinLinksQuery(projectId))
  if (!data)
    return error ? <LoadFailure error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={1} />
  if (data.length === 0)
    return <p className="text-muted text-sm">None. Create one to let a class join by itself.</p>
  return (
    <ul className="divide-y rounded-lg border">
      {data.map((link) => (
        <LinkRow key={link.id} projectId={projectId} link={link} />
      ))}
    </ul>
  )
}

function LinkRow({ projectId, link }: { projectId: string; link: JoinLink }) {
  const { mutateAsync, isPending } = useMutation(revokeJoinLink)
  const revoke = async () => {
    try {
      await mutateAsync({ projectId, linkId: link.id })
      toast.success('Link revoked')
    } catch (error) {
      toastError('Revoking failed', error)
    }
  }
  return (
    <li className="flex min-h-10 items-center justify-between gap-2 px-3 py-1.5 text-sm">
      <p className="min-w-0">
        <span className="flex flex-wrap items-center gap-1.5">
          {link.joined} of {link.max_people} joined
          <Badge tone={link.state === 'open' ? 'success' : 'neutral'}>{link.state}</Badge>
          {link.new_accounts ? <Badge>new accounts</Badge> : null}
        </span>
        <span className="block text-subtle text-xs">
          By {link.created_by}. {link.state === 'expired' ? 'Expired' : 'Expires'}{' '}
          <RelativeTime at={link.expires_at} />
        </span>
      </p>
      {link.state === 'revoked' ? null : (
        <IconButton
          icon={Trash2}
          variant="danger"
          label={`Revoke the link with ${link.joined} of ${link.max_people} joined`}
          disabled={isPending}
          onClick={() => void revoke()}
        />
      )}
    </li>
  )
}

interface JoinLinkFormProps extends JoinLinksProps {
  onCreated: (link: CreatedJoinLink) => void
}

function JoinLinkForm({ projectId, admin, onCreated }: JoinLinkFormProps) {
  const { mutateAsync } = useMutation(createJoinLink)
  const form = useSchemaForm({
    schema: () => import('./join-schemas').then((schemas) => schemas.joinLinkSchema),
    initial: { max_people: '100', expires_in_days: '14', new_accounts: admin },
    onSubmit: async (values) => onCreated(await mutateAsync({ projectId, ...values })),
  })
  return (
    <form {...form.props} className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <NumberField label="People" inputMode="numeric" {...form.field('max_people')} />
        <NumberField label="Expires after (days)" inputMode="numeric" {...form.field('expires_in_days')} />
      </div>
      {admin ? (
        <CheckboxField
          label="Let people create an account"
          description="They choose a user id and a password. Without this, only people with an account can join."
          {...form.field('new_accounts')}
        />
      ) : null}
      <FormError error={form.error} />
      <div className="flex justify-end">
        <SubmitButton form={form}>Create join link</SubmitButton>
      </div>
    </form>
  )
}
