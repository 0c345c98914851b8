import type { Env } from '@/lib/env'
import { formatBytes } from '../run/report.mjs'
import type { BackupManifest } from './backup-format'
import type { Restored } from './restore-backup'

type Settings = Pick<Env, 'DATABASE_URL' | 'GPUQ_STORAGE' | 'GPUQ_CHECKPOINTS_DIR'>

/** Lists at most this many files: a lost disk would print thousands of lines. */
const mostLines = 20

/** What a person is told after a backup. */
export function describeBackup(file: string, manifest: BackupManifest, settings: Settings): string {
  const { files, checkpoints } = manifest
  const lines = [
    `Backup written to ${file}. It contains the key of sessions, and hashes of passwords and tokens: keep it private.`,
  ]
  if (settings.GPUQ_STORAGE !== undefined) {
    lines.push(
      `Its ${files.count} stored files (${formatBytes(files.bytes)}) are in ${settings.GPUQ_STORAGE} and not in the backup. Turn on versioning for the bucket, or copy it.`,
    )
  }
  if (settings.GPUQ_CHECKPOINTS_DIR !== undefined) {
    lines.push(
      `The checkpoints in ${settings.GPUQ_CHECKPOINTS_DIR} are not in the backup. Back up that disk too.`,
    )
  }
  if (checkpoints.count > 0) {
    lines.push('Jobs change their checkpoints while they run. Each file is in the backup as it was copied.')
  }
  return [...lines, ...describeProblems(manifest)].join('\n')
}

function describeProblems({ problems }: BackupManifest): string[] {
  if (problems.length === 0) return []
  const shown = problems.slice(0, mostLines).map(({ path, problem }) => `  ${path} ${problem}`)
  const more = problems.length - shown.length
  return [
    `${problems.length} files are not in the backup as the database describes them:`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

/** What a person is told after a restore, and what to do next. */
export function describeRestored(dataDir: string, restored: Restored, settings: Settings): string {
  const { head, manifest, applied, missing } = restored
  const rows = Object.values(manifest.tables).reduce((total, count) => total + count, 0)
  const lines = [
    `Restored the backup of ${head.created_at} (gpuq ${head.version}) to ${dataDir}: ${rows.toLocaleString('en')} rows, ${manifest.files.count + manifest.checkpoints.count} files.`,
  ]
  if (applied.length > 0) lines.push(`Upgraded the database with ${applied.length} newer migrations.`)
  lines.push(...describeProblems(manifest))
  if (head.bucket !== null) lines.push(describeBucket(head.bucket, missing, settings))
  lines.push(
    'Next: make sure that the old installation has stopped, then start gpuq with this data directory' +
      (settings.DATABASE_URL === undefined
        ? `: GPUQ_DATA_DIR=${dataDir} npm start`
        : ' and this DATABASE_URL.'),
    'Waiting jobs start then. Jobs that ran at the time of the backup are tried again.',
  )
  return lines.join('\n')
}

function describeBucket(bucket: string, missing: readonly string[], { GPUQ_STORAGE }: Settings): string {
  if (GPUQ_STORAGE === undefined) {
    return `The stored files are in ${bucket}. Set GPUQ_STORAGE to it, or to a copy of it, before you start gpuq.`
  }
  if (missing.length === 0) return `${GPUQ_STORAGE} has all files of the backup.`
  const shown = missing.slice(0, mostLines).map((key) => `  ${key}`)
  return [
    `${GPUQ_STORAGE} does not have ${missing.length} files of the backup. Restore them from its versions or a copy:`,
    ...shown,
  ].join('\n')
}
