import { Button } from '@/components/ui/button'
import { formatBytes } from '@/components/ui/format-number'

interface LoadingBarProps {
  readBytes: number
  bytes: number
  onCancel: () => void
}

/** How much of a file was read, with a button that stops. */
export function LoadingBar({ readBytes, bytes, onCancel }: LoadingBarProps) {
  const text = `${formatBytes(Math.min(readBytes, bytes))} of ${formatBytes(bytes)}`
  const percent = bytes === 0 ? 100 : Math.min(100, Math.round((readBytes / bytes) * 100))
  return (
    <div className="flex items-center gap-3 text-muted text-xs">
      <div
        role="progressbar"
        aria-label="Reading the file"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={text}
        className="h-2 min-w-0 flex-1 overflow-hidden rounded-full border bg-sunken"
      >
        <div className="h-full bg-accent" style={{ width: `${percent}%` }} />
      </div>
      <span className="shrink-0 tabular-nums">{text}</span>
      <Button size="sm" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  )
}
