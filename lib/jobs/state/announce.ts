import { channels } from '../../database/listen'

/**
 * What follows from a change of a job's status. Triggers count the active jobs and write the messages to notification targets, in
 * the same transaction. The leader, which is notified here, settles the jobs that depend on an ended one.
 *
 * SQL for the RETURNING or SELECT of the statement that changes the job, because a second statement would delay its commit.
 */

/** SQL that notifies the watchers of a job. */
export const notifyWatchers = (jobId: string) => `pg_notify('${channels.job}', ${jobId}::text)`

/** SQL that notifies the leader of a change of the queue. */
export const notifyQueue = (id: string) => `pg_notify('${channels.queue}', ${id}::text)`

/** SQL that notifies the watchers of a job and the leader. */
export const notifyLeader = (jobId: string) => `${notifyWatchers(jobId)}, ${notifyQueue(jobId)}`
