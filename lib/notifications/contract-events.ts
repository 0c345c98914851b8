/** The events of a user's own jobs. */
export const jobEvents = {
  'job.completed': 'A job completed',
  'job.failed': 'A job failed',
  'job.cancelled': 'A job was cancelled',
  'job.started': 'A job started after a wait',
  'job.idle': 'The GPUs of a job are idle',
  'job.never_fits': 'A waiting job leaves the queue in a day, because no node is large enough',
} as const

/** The events of the cluster, which only admins can choose. */
export const adminEvents = {
  'node.lost': 'A node was lost',
  'node.quarantined': 'A node was quarantined',
  'disk.low': "The server's disk is almost full",
} as const

export const notificationEvents = { ...jobEvents, ...adminEvents }

export type NotificationEvent = keyof typeof notificationEvents

/** Returns true if only admins may choose the event. */
export const isAdminEvent = (event: NotificationEvent): event is keyof typeof adminEvents =>
  event in adminEvents
