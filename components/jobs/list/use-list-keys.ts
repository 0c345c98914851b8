import type { JobSummary } from '@/lib/contract/jobs'
import { useOpenPage } from '../../shell/connection/use-open-page'
import { mainNavigation } from '../../shell/navigation'
import { findShortcut } from '../../shell/shortcuts/shortcut-keys'
import { listShortcuts } from '../../shell/shortcuts/shortcut-table'
import { useShortcuts } from '../../shell/shortcuts/use-shortcuts'
import { rowLinkId } from './job-table'

const [jobsPage] = mainNavigation
/** `g j` opens the list of jobs on every page. Here it must not move the focus. */
const sequence = { keys: jobsPage.keys, label: jobsPage.label }

/** Moves the focus from job to job, and selects them. Enter opens the job, because its link has the focus. */
export function useListKeys(jobs: readonly JobSummary[], onToggle: (id: string) => void): void {
  const openPage = useOpenPage()
  useShortcuts([...Object.values(listShortcuts), sequence], (shortcut) => {
    if (shortcut === sequence) return openPage(jobsPage.href)
    const name = findShortcut(listShortcuts, {
      key: shortcut.keys[0] ?? '',
      ctrlKey: false,
      metaKey: false,
      shiftKey: false,
    })
    if (name === 'search') return document.querySelector<HTMLElement>('[data-job-search]')?.focus()
    const row = document.activeElement?.closest('tr')
    const current = jobs.findIndex(({ job_id }) => row?.querySelector(`[id="${rowLinkId(job_id)}"]`))
    if (name === 'select') {
      const job = jobs[current]
      if (job) onToggle(job.job_id)
      return
    }
    const next = jobs[name === 'next' ? current + 1 : Math.max(0, current - 1)]
    if (next) document.getElementById(rowLinkId(next.job_id))?.focus()
  })
}
