import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod'
import { createShare, revokeShare, sharesQuery } from '@/components/shares/queries'
import type { CreatedShare, JobShare, ShareParts } from '@/lib/shares/contract'
import { FormError, SubmitButton } from '../shell/form'
import { ShownOnce } from '../shell/shown-once'
import { useSchemaForm } from '../shell/use-schema-form'
import { CheckboxField } from '../ui/checkbox'
import { Dialog } from '../ui/dialog'
import { SelectField } from '../ui/select'
import { DownloadLinks } from './download-links'
import { linkLifetimes } from './link-lifetimes'
import { LinkList } from './link-list'
import { LinkRow } from './link-row'
import { SharedTime } from './shared-time'

interface ShareDialogProps {
  id: string
  onClose: () => void
}

/** Creates, lists and revokes the read-only links to a job. */
export function ShareDialog({ id, onClose }: ShareDialogProps) {
  const [created, setCreated] = useState<CreatedShare | null>(null)
  return (
    <Dialog
      onClose={onClose}
      title="Share read-only"
      description="Anyone with the link sees your name, what the job is, how it ended, and what you choose here, without an account."
    >
      <div className="flex flex-col gap-5">
        {created ? (
          <ShownOnce
            label="link"
            title={`Link that shows ${describeParts(created)}`}
            secret={created.url}
            note={
              <>
                gpuq does not show this link again. It works until <SharedTime at={created.expires_at} />.
              </>
            }
          />
        ) : null}
        <ShareForm id={id} onCreated={setCreated} />
        <Shares id={id} onRevoked={(share) => setCreated((shown) => (shown?.id === share ? null : shown))} />
        <DownloadLinks id={id} />
      </div>
    </Dialog>
  )
}

const schema = z.object({
  days: z.enum(linkLifetimes.map(({ value }) => value)),
  output: z.boolean(),
  metrics: z.boolean(),
  files: z.boolean(),
  source: z.boolean(),
})

/** What a link shows, as words in a sentence. */
function describeParts({ output, metrics, files, source }: ShareParts): string {
  const shown = [output && 'output', metrics && 'metrics', files && 'files', source && 'source']
  return new Intl.ListFormat('en').format(['status', ...shown.filter((part) => part !== false)])
}

function ShareForm({ id, onCreated }: { id: string; onCreated: (share: CreatedShare) => void }) {
  const { mutateAsync } = useMutation(createShare)
  const form = useSchemaForm<z.input<typeof schema>, z.output<typeof schema>>({
    schema,
    initial: { days: '7', output: true, metrics: true, files: true, source: false },
    onSubmit: async ({ days, ...parts }) =>
      onCreated(await mutateAsync({ id, expires_in_days: Number(days), ...parts })),
  })
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <SelectField label="Expires after" options={linkLifetimes} {...form.field('days')} />
      <fieldset>
        <legend className="mb-1.5 font-medium text-ink text-sm">The link shows</legend>
        <div className="flex flex-col gap-1.5">
          <CheckboxField
            label="Output"
            description="What the job prints, and its results"
            {...form.field('output')}
          />
          <CheckboxField
            label="Metrics"
            description="Curves of the numbers that it prints in lines of JSON"
            {...form.field('metrics')}
          />
          <CheckboxField
            label="Files"
            description="All files and pictures in /results, also those that it has yet to write"
            {...form.field('files')}
          />
          <CheckboxField
            label="Source"
            description="The program and the config, without the values of environment variables"
            {...form.field('source')}
          />
        </div>
      </fieldset>
      <FormError error={form.error} />
      <div className="flex justify-end">
        <SubmitButton form={form}>Create link</SubmitButton>
      </div>
    </form>
  )
}

function Shares({ id, onRevoked }: { id: string; onRevoked: (shareId: string) => void }) {
  return (
    <LinkList title="Links to this job" query={useQuery(sharesQuery(id))}>
      {(share) => <ShareRow key={share.id} id={id} share={share} onRevoked={onRevoked} />}
    </LinkList>
  )
}

interface ShareRowProps {
  id: string
  share: JobShare
  onRevoked: (shareId: string) => void
}

function ShareRow({ id, share, onRevoked }: ShareRowProps) {
  const { mutateAsync } = useMutation(revokeShare)
  return (
    <LinkRow
      title={
        <>
          Shows {describeParts(share)} until <SharedTime at={share.expires_at} />
        </>
      }
      details={
        <>
          Created by {share.created_by}, <SharedTime at={share.created_at} />
        </>
      }
      revokeLabel="Revoke this link"
      onRevoke={async () => {
        await mutateAsync({ id, shareId: share.id })
        onRevoked(share.id)
      }}
    />
  )
}
