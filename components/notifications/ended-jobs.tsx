import dynamic from 'next/dynamic'
import { useBrowserNotifications } from './browser-setting'

/** Loaded where the user turned it on. */
const EndedJobsNotifier = dynamic(
  () => import('./ended-jobs-notifier').then((module) => module.EndedJobsNotifier),
  { ssr: false },
)

/** Notifies the user of jobs that end, if this browser is set to. */
export function EndedJobs() {
  const [notifications] = useBrowserNotifications()
  return notifications === 'on' ? <EndedJobsNotifier /> : null
}
