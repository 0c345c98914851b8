import { api } from '@/components/queries/queries'
import { copyText } from '../ui/copy-text'
import { toast, toastError } from '../ui/toaster'

/** Copies a temporary link to a file of a job that works without signing in. */
export async function copyLink(jobId: string, file: string): Promise<void> {
  try {
    const { url, expires_at } = await api.jobs.link(jobId, { file })
    await copyText(url)
    toast.success('Link copied', {
      description: `Anyone with the link can download the file until ${expires_at.slice(0, 10)} without signing in.`,
    })
  } catch (error) {
    toastError('Copying the link failed', error)
  }
}
