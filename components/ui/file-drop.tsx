import { Upload } from 'lucide-react'
import { type ChangeEvent, type DragEvent, type ReactNode, useId, useRef, useState } from 'react'
import { cn } from './class-names'

interface FileDropProps {
  label: ReactNode
  hint?: ReactNode
  /** As in `<input type="file">`: ".py,.yaml". Only for the file picker; the caller must check dropped files. */
  accept?: string
  multiple?: boolean
  /** Takes chosen files. */
  onFiles: (files: File[]) => void
  /** Takes a drop, which can have folders. */
  onDrop: (transfer: DataTransfer) => void
  className?: string
}

/** A drop area for files that also opens the file picker, by mouse or keyboard. */
export function FileDrop(props: FileDropProps) {
  const { label, hint, accept, multiple = false, onFiles, onDrop, className } = props
  const id = useId()
  const { over, handlers } = useDropTarget(onDrop)
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.target.files ?? [])]
    // Reset, so that choosing the same file again is a change.
    event.target.value = ''
    if (files.length > 0) onFiles(files)
  }
  return (
    <label
      htmlFor={id}
      {...handlers}
      className={cn(
        'group flex cursor-pointer flex-col items-center justify-center gap-1 rounded-lg border px-6 text-center',
        'transition-colors hover:border-accent hover:bg-accent-soft base:py-8',
        'has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:outline-offset-2',
        over ? 'border-accent border-solid bg-accent-soft' : 'border-edge border-dashed bg-surface',
        className,
      )}
    >
      <input
        id={id}
        type="file"
        className="sr-only"
        accept={accept}
        multiple={multiple}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={choose}
      />
      <Upload aria-hidden className="mb-1 size-5 text-subtle group-hover:text-accent-ink" />
      <span className="font-medium text-ink text-sm">{label}</span>
      {hint ? (
        <span id={`${id}-hint`} className="text-subtle text-xs">
          {hint}
        </span>
      ) : null}
    </label>
  )
}

function useDropTarget(onDrop: (transfer: DataTransfer) => void) {
  const [over, setOver] = useState(false)
  // Enter and leave also fire for child elements. Only the count shows whether the pointer is still inside.
  const depth = useRef(0)
  const move = (event: DragEvent, by: 1 | -1) => {
    event.preventDefault()
    depth.current = Math.max(0, depth.current + by)
    setOver(depth.current > 0)
  }
  const handlers = {
    onDragEnter: (event: DragEvent) => move(event, 1),
    onDragLeave: (event: DragEvent) => move(event, -1),
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      depth.current = 0
      setOver(false)
      onDrop(event.dataTransfer)
    },
  }
  return { over, handlers }
}
