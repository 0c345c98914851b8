/** Mutations without an event of their own, and why. */
export const unrecorded: Record<string, string> = {
  'jobs.submit': 'the job is the record: who submitted it, when, and its config',
  'jobs.check': 'it stores nothing',
  'queue.submit': 'as jobs.submit; an account that it creates is recorded',
  'entries.choose': 'the entry is the record, which its team may change until the phase ends',
  'archives.register':
    'a directory has no name and gives nobody access: the job or snapshot that uses it is the record',
  'archives.send': 'as archives.register',
  'notifications.test': 'the delivery log has the message',
  'notifications.redeliver': 'the delivery log has the message',
  'announcements.dismiss': 'it changes only what the caller sees',
  'agents.message': 'each tool calls the function of another operation, which records',
}

/** Operations whose event is checked by other tests, because they need another environment: as `FILE: get new keys, which are checked first`. */
export const checkedElsewhere: Record<string, string> = {
  'buckets.create':
    'lib/buckets/buckets.db.test.ts: have their keys encrypted in the database, and not in the audit log',
  'buckets.update': 'lib/buckets/buckets.db.test.ts: get new keys, which are checked first',
  'slurm.updateNode': 'lib/slurm/routes.db.test.ts: is a request of an admin with a reason',
  'slurm.createTarget': 'lib/slurm/routes.db.test.ts: is set for a project, a pool and all jobs, once each',
  'slurm.updateTarget': 'lib/slurm/routes.db.test.ts: is set for a project, a pool and all jobs, once each',
  'slurm.removeTarget': 'lib/slurm/routes.db.test.ts: is set for a project, a pool and all jobs, once each',
}
