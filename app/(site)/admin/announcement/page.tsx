import type { Metadata } from 'next'
import { AnnouncementView } from '@/components/announcements/announcement-view'
import { announcementQuery } from '@/components/announcements/queries'
import { readAnnouncement } from '@/lib/announcements/announcements'
import { Prefetched } from '../../prefetched'
import { requireAdmin } from '../../require-actor'

export const metadata: Metadata = { title: 'Announcement' }

export default async function AnnouncementPage() {
  const actor = await requireAdmin('/admin/announcement')
  return (
    <Prefetched queryKey={announcementQuery().queryKey} load={() => readAnnouncement(actor)}>
      <AnnouncementView />
    </Prefetched>
  )
}
