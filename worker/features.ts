import { deleteOldDeliveries } from '@/lib/access/notifications/outbox'
import { countDays } from '@/lib/jobs/accounting/count-days'

/** What features do every ten minutes on the worker that leads the scheduler. */
export const featureSweeps = [
  { what: 'count the use of the last days', run: countDays },
  { what: 'delete old notifications', run: deleteOldDeliveries },
] as const
