import { api } from '@/components/queries/queries'
import { copyText } from '../../ui/copy-text'
import { toast } from '../../ui/toaster'

/** Copies an address of one of a job's files that works without signing in, for as long as one may. */
export async function copyLink(jobId: string, file: string): Promise<void> {
  try {
    const { url, expires_at } = await api.jobs.link(jobId, { file })
    await copyText(url)
    toast.success('The link was copied', {
      description: `Whoever has it can download the file until ${expires_at.slice(0, 10)}, without signing in.`,
    })
  } catch (error) {
    toast.error('The link was not copied', {
      description: error instanceof Error ? error.message : undefined,
    })
  }
}
