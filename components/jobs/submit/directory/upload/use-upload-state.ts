import { useEffect, useRef, useState } from 'react'
import { TransferRate } from './transfer-rate'
import type { UploadProgress } from './upload-directory'
import type { UploadState } from './upload-status'

/** The browser reports progress more often than anyone can read it. */
const intervalMs = 200

/** The progress of an upload for the page. While it runs, the browser asks before the user leaves the page. */
export function useUploadState() {
  const [upload, setUpload] = useState<UploadState | null>(null)
  const measured = useRef<{ phase: UploadProgress['phase']; rate: TransferRate; shownAt: number } | null>(
    null,
  )
  const running = upload !== null
  useEffect(() => {
    if (!running) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [running])
  return {
    upload,
    show: (progress: UploadProgress) => {
      const now = performance.now()
      const same = measured.current?.phase === progress.phase ? measured.current : null
      const rate = same?.rate ?? new TransferRate()
      rate.add(progress.doneBytes, now)
      if (same && now - same.shownAt < intervalMs) return
      measured.current = { phase: progress.phase, rate, shownAt: now }
      setUpload({ ...progress, speed: rate.perSecond() })
    },
    end: () => {
      measured.current = null
      setUpload(null)
    },
  }
}
