import { logger } from '../logger'
import { database } from './client'
import { channels } from './listen'

let underWay = false
let again = false

/**
 * Tells the leader that something was committed. Those said while one is on its way become one more, and none is
 * waited for: the leader also looks by itself. A NOTIFY within the writing transaction would make all such commits
 * take turns, since PostgreSQL holds one lock for the whole server from the notification to the end of the commit.
 */
export function wakeLeader(): void {
  if (underWay) {
    again = true
    return
  }
  underWay = true
  database()
    .pool.query({ name: 'wake-leader', text: `NOTIFY ${channels.queue}` })
    .catch((error: unknown) => logger.warn({ err: error }, 'cannot wake the scheduler; it looks by itself'))
    .finally(() => {
      underWay = false
      if (!again) return
      again = false
      wakeLeader()
    })
}
