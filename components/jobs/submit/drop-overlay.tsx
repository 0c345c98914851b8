import { Upload } from 'lucide-react'

/** Covers the page while the user drags files over it. */
export function DropOverlay() {
  return (
    <div
      aria-hidden
      className="pointer-events-none fixed inset-3 z-40 grid animate-fade-in place-items-center rounded-xl border-2 border-accent border-dashed bg-scrim"
    >
      <p className="flex items-center gap-2 rounded-lg bg-raised px-4 py-3 font-medium text-base text-ink shadow-float">
        <Upload className="size-5 text-accent-ink" />
        Drop solution.py and config.yaml
      </p>
    </div>
  )
}
