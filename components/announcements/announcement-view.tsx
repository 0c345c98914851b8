'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { announcementQuery, removeAnnouncement, setAnnouncement } from '@/components/announcements/queries'
import type { Announcement } from '@/lib/announcements/contract'
import { maxAnnouncementLength } from '@/lib/contract/access/request-sizes'
import { PanelForm } from '../shell/form'
import { LoadFailure } from '../shell/load-failure'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Field } from '../ui/field'
import { PageHeader } from '../ui/page-header'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { RelativeTime } from '../ui/relative-time'
import { SkeletonRows } from '../ui/skeleton'
import { TextField } from '../ui/text-field'
import { Textarea } from '../ui/textarea'
import { toast, toastError } from '../ui/toaster'

/** Where an admin writes what every user sees. */
export function AnnouncementView() {
  const { data, error, refetch } = useQuery(announcementQuery())
  return (
    <>
      <PageHeader
        title="Announcement"
        description="A short text that every signed-in user sees on every page, until they dismiss it."
      />
      {data ? (
        <div className="flex max-w-2xl flex-col gap-6">
          {data.announcement ? <Published announcement={data.announcement} /> : null}
          {/* The next text starts empty. */}
          <AnnouncementForm key={data.announcement?.id} />
        </div>
      ) : error ? (
        <LoadFailure error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonRows rows={4} />
      )}
    </>
  )
}

function Published({ announcement: { text, ends_at, created_at } }: { announcement: Announcement }) {
  const { mutateAsync, isPending } = useMutation(removeAnnouncement)
  const remove = async () => {
    try {
      await mutateAsync()
      toast.success('Announcement removed')
    } catch (error) {
      toastError('Removing failed', error)
    }
  }
  return (
    <Panel>
      <PanelHeader
        title="Shown now"
        description={
          <>
            Published <RelativeTime at={created_at} />
            {ends_at === null ? ', without an end' : null}
            {ends_at === null ? null : (
              <>
                , ends <RelativeTime at={ends_at} />
              </>
            )}
          </>
        }
        actions={
          <Button
            icon={Trash2}
            size="sm"
            variant="danger-quiet"
            loading={isPending}
            onClick={() => void remove()}
          >
            Remove
          </Button>
        }
      />
      <PanelBody>
        <p className="whitespace-pre-line wrap-anywhere text-sm">{text}</p>
      </PanelBody>
    </Panel>
  )
}

function AnnouncementForm() {
  const { mutateAsync } = useMutation(setAnnouncement)
  const form = useSchemaForm({
    schema: () => import('./announcement-schema').then((schemas) => schemas.announcementSchema),
    initial: { text: '', ends_at: '' },
    onSubmit: async (announcement) => {
      await mutateAsync(announcement)
      toast.success('Announcement published')
    },
  })
  const { onChange, error, ...text } = form.field('text')
  return (
    <PanelForm
      title="New announcement"
      description="It replaces the one that is shown now, also for users who dismissed that one."
      form={form}
      submitLabel="Publish"
    >
      <Field
        label="Text"
        id={text.id}
        error={error}
        hint="What happens, when, and what users should do."
        aside={`${text.value.length} of ${maxAnnouncementLength}`}
        required
      >
        <Textarea {...text} rows={4} onChange={(event) => onChange(event.target.value)} />
      </Field>
      <TextField
        label="End"
        type="datetime-local"
        optional
        hint="It disappears at this time, in your time zone. Without an end it stays until you remove it."
        {...form.field('ends_at')}
      />
    </PanelForm>
  )
}
