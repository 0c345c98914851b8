import { logger } from '../logger'
import { database } from './client'
import { channels } from './listen'

let notifying = false
let again = false

/**
 * Notifies the leader of a commit. Calls during a notification cause one more, and no caller waits, because the leader
 * also polls. A NOTIFY inside the writing transaction would serialize all these commits, because PostgreSQL holds one
 * lock for the whole server from the notification to the end of the commit.
 */
export function wakeLeader(): void {
  if (notifying) {
    again = true
    return
  }
  notifying = true
  database()
    .pool.query({ name: 'wake-leader', text: `NOTIFY ${channels.queue}` })
    .catch((error: unknown) => logger.warn({ err: error }, 'cannot notify the scheduler; it polls instead'))
    .finally(() => {
      notifying = false
      if (!again) return
      again = false
      wakeLeader()
    })
}
