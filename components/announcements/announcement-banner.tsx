import { useMutation, useQuery } from '@tanstack/react-query'
import { Megaphone, X } from 'lucide-react'
import { announcementQuery, dismissAnnouncement } from '@/components/announcements/queries'
import { Callout } from '../ui/callout'
import { IconButton } from '../ui/icon-button'
import { toastError } from '../ui/toaster'

/** What an admin tells every user, on every page, until the user dismisses it. */
export function AnnouncementBanner() {
  const { data } = useQuery(announcementQuery())
  const { mutate } = useMutation(dismissAnnouncement)
  const announcement = data?.announcement
  if (!announcement || data?.dismissed) return null
  const dismiss = () => {
    mutate(announcement.id, { onError: (error) => toastError('Dismissing failed', error) })
    // The button that has the focus disappears.
    document.getElementById('main')?.focus()
  }
  return (
    <section aria-label="Announcement" className="mb-5">
      <Callout
        tone="accent"
        icon={Megaphone}
        action={<IconButton icon={X} label="Dismiss the announcement" onClick={dismiss} />}
      >
        <p className="whitespace-pre-line wrap-anywhere">{announcement.text}</p>
      </Callout>
    </section>
  )
}
