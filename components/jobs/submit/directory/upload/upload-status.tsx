import { Button } from '../../../../ui/button'
import { formatBytes } from '../../../../ui/format-number'
import { formatSeconds } from '../../../../ui/format-time'
import type { UploadProgress } from './upload-directory'

export interface UploadState extends UploadProgress {
  /** Bytes per second; null while it is unknown. */
  speed: number | null
}

interface UploadStatusProps {
  upload: UploadState
  onCancel: () => void
}

const titles: Record<UploadProgress['phase'], string> = {
  reading: 'Reading the files',
  sending: 'Uploading the directory',
  waiting: 'The connection is broken. The upload continues with the missing files as soon as gpuq answers.',
}

/** The progress of an upload, with a button that cancels it. */
export function UploadStatus({ upload, onCancel }: UploadStatusProps) {
  const { phase, doneBytes, totalBytes, problem } = upload
  const percent = totalBytes === 0 ? 0 : Math.round((doneBytes / totalBytes) * 100)
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0 text-sm">
          {/* Only the phase is announced: the numbers change all the time. */}
          <p role="status" className={phase === 'waiting' ? 'font-medium text-warning-ink' : 'font-medium'}>
            {problem === null ? titles[phase] : `${problem} The upload then continues.`}
          </p>
          <p className="text-muted tabular-nums">{describeUpload(upload)}</p>
        </div>
        <Button onClick={onCancel}>Cancel upload</Button>
      </div>
      <div
        role="progressbar"
        aria-label={phase === 'reading' ? 'Reading' : 'Upload'}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={describeUpload(upload)}
        className="h-2 overflow-hidden rounded-full border bg-sunken"
      >
        <div className="h-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
      </div>
    </div>
  )
}

/** "34.0 MiB of 120 MiB, 11.0 MiB/s, 8 s left". */
export function describeUpload({ doneBytes, totalBytes, speed, phase }: UploadState): string {
  const amount = `${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}`
  if (speed === null || speed < 1 || phase === 'waiting') return amount
  const left = Math.ceil((totalBytes - doneBytes) / speed)
  return `${amount}, ${formatBytes(Math.round(speed))}/s, ${formatSeconds(Math.max(1, left))} left`
}
