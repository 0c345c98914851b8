import { z } from 'zod'
import { maxEntries } from '../contract/archives/archive-manifest'
import { longestTimeS } from '../contract/config/durations'

export const count = z.coerce.number().int().min(0)
const size = z.coerce.number().min(0)

/** The environment variables for limits on requests, jobs and stored files. Part of `envSchema`. */
export const limitVariables = {
  GPUQ_SUBMISSIONS_PER_MINUTE: count.default(5).describe('default limit of a researcher'),
  GPUQ_MAX_ACTIVE_JOBS: count.default(1).describe('default limit of a researcher: waiting and running jobs'),
  GPUQ_MAX_GROUP_MEMBERS: count
    .min(1)
    .max(10_000)
    .default(10_000)
    .describe('maximum number of members of a group'),
  GPUQ_MAX_HELD_MEMBERS: count
    .default(20_000)
    .describe("maximum number of members that a user's groups hold before they enter the queue"),
  GPUQ_MAX_DEPENDENT_JOBS: count
    .default(100)
    .describe(
      'maximum number of jobs of a user that wait for other jobs or groups (`depends_on`) or for an approval',
    ),
  GPUQ_APPROVAL_HOURS: count
    .min(1)
    .max(8_760)
    .default(24)
    .describe('hours after which a job or a group of an agent is refused that nobody has approved'),
  GPUQ_NEVER_FITS_DAYS: count
    .max(36_500)
    .default(7)
    .describe(
      'days after which a waiting job ends that no node fits any more because an admin removed one; 0: never',
    ),
  GPUQ_CANCELLED_PER_MINUTE: count
    .default(20)
    .describe(
      'jobs per minute that a researcher may submit and cancel before they run; not counted as submissions',
    ),
  GPUQ_WRITES_PER_MINUTE: count
    .min(1)
    .default(600)
    .describe(
      'changes per minute that a researcher may request; ten times as many for an admin, for terminal input and for uploaded directories',
    ),
  GPUQ_MAX_WAIT_S: count.default(3600).describe('maximum time that a submission waits for its result'),
  GPUQ_MAX_PROJECTS: count.min(1).default(50).describe('maximum number of projects that a researcher owns'),
  GPUQ_PROJECTS_PER_MINUTE: count
    .min(1)
    .default(20)
    .describe('maximum number of projects that a researcher creates per minute'),
  GPUQ_MAX_WAITING_REQUESTS: count
    .default(100)
    .describe('maximum number of submissions and calls of a user that wait for results at the same time'),
  GPUQ_MAX_TIME_S: count.min(1).max(longestTimeS).default(86_400).describe('maximum time limit of a job'),
  GPUQ_MAX_OUTPUT_MIB: count.min(1).default(64).describe('maximum output of a job'),
  GPUQ_MAX_ARCHIVE_MIB: count.min(1).default(4096).describe('maximum size of an uploaded directory'),
  GPUQ_MAX_ARCHIVE_FILES: count
    .min(1)
    .max(maxEntries)
    .default(maxEntries)
    .describe('maximum number of files and links in an uploaded directory'),
  GPUQ_MAX_ARCHIVE_DEPTH: count
    .min(1)
    .default(64)
    .describe('maximum number of names in a path of an uploaded directory'),
  GPUQ_MAX_ARCHIVE_RATIO: count
    .min(1)
    .default(200)
    .describe('how many times larger than an uploaded zip or tar.gz its files may be; ignored up to 64 MiB'),
  GPUQ_MAX_SNAPSHOTS: count
    .min(1)
    .default(1000)
    .describe('maximum number of snapshots in a project, counting each version'),
  GPUQ_STORAGE_PER_USER_GIB: size.default(50).describe('default storage quota of a user; 0: none'),
  GPUQ_RETENTION_DAYS: count
    .max(36_500)
    .default(90)
    .describe('default days after the end of a job until its files are deleted; 0: never'),
  GPUQ_AUDIT_RETENTION_DAYS: count
    .min(90)
    .max(36_500)
    .default(730)
    .describe('days for which the audit log keeps an event; at least 90'),
  GPUQ_MIN_FREE_GIB: size
    .default(5)
    .describe('free space below which gpuq accepts no jobs and results wait in the database; 0: no minimum'),
  GPUQ_MAX_ARTIFACTS_MIB: count
    .max(1_000_000)
    .default(1024)
    .describe('maximum size of `/results` of a task, which counts as its memory; 0: none'),
  GPUQ_SNAPSHOT_CACHE_GIB: size
    .optional()
    .describe(
      'maximum size of the unpacked snapshots that a node keeps for later jobs; unset: half of the space that would be free without them',
    ),
}
