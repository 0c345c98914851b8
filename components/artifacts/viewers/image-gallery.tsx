import { ChevronLeft, ChevronRight, Download, X } from 'lucide-react'
import Image from 'next/image'
import { Dialog as Radix } from 'radix-ui'
import { useRef, useState } from 'react'
import { maxImagePixels } from '@/lib/artifacts/contract-image-size'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { buttonStyles } from '../../ui/button'
import { cn } from '../../ui/class-names'
import { dialogOverlay } from '../../ui/dialog-styles'
import { formatNumber } from '../../ui/format-number'
import { IconButton } from '../../ui/icon-button'

/** A picture among the files of a job. */
export interface GalleryImage {
  id: string
  path: string
  /** To show it. */
  src: string
  /** To save it. */
  href: string
}

/** The number of pictures at first: a job may have thousands. */
const firstImages = 120

/** Small pictures of files. A click opens one in full size. */
export function ImageGallery({ images }: { images: readonly GalleryImage[] }) {
  const [all, setAll] = useState(false)
  const [open, setOpen] = useState<number | null>(null)
  const shown = all ? images : images.slice(0, firstImages)
  return (
    <div className="flex flex-col gap-3 p-4">
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-3">
        {shown.map(({ id, path, src }, index) => (
          <li key={id} className="min-w-0">
            <button
              type="button"
              onClick={() => setOpen(index)}
              className="flex w-full flex-col gap-1 rounded-md text-left hover:text-ink"
            >
              <Picture
                src={src}
                path={path}
                className="aspect-square w-full rounded-md border bg-sunken object-contain text-xs"
              />
              <bdi className="w-full truncate font-mono text-muted text-xs">{visibleText(path, 120)}</bdi>
            </button>
          </li>
        ))}
      </ul>
      {shown.length < images.length ? (
        <button type="button" className={buttonStyles({ size: 'sm' })} onClick={() => setAll(true)}>
          Show all {formatNumber(images.length)}
        </button>
      ) : null}
      {open === null ? null : (
        <LargeImage images={images} index={open} onIndex={setOpen} onClose={() => setOpen(null)} />
      )}
    </div>
  )
}

/** The server must not process the job's files, and their sizes are unknown. It refuses pictures of too many pixels. */
export function Picture({ src, path, className }: { src: string; path: string; className: string }) {
  const [failed, setFailed] = useState(false)
  if (failed)
    return (
      <span className={cn(className, 'flex items-center justify-center p-2 text-center text-muted')}>
        Not shown: the image is damaged or has more than {maxImagePixels / 1e6} megapixels. Download it
        instead.
      </span>
    )
  return (
    <Image
      unoptimized
      loading="lazy"
      width={0}
      height={0}
      src={src}
      alt={visibleText(path, 120)}
      className={className}
      onError={() => setFailed(true)}
    />
  )
}

interface LargeImageProps {
  images: readonly GalleryImage[]
  index: number
  onIndex: (index: number) => void
  onClose: () => void
}

/** One picture in full size. The arrow keys show the others. */
export function LargeImage({ images, index, onIndex, onClose }: LargeImageProps) {
  const opener = useRef<Element | null>(null)
  const image = images[index]
  if (!image) return null
  const move = (by: number) => onIndex(Math.max(0, Math.min(images.length - 1, index + by)))
  const keys: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    Home: -images.length,
    End: images.length,
  }
  return (
    <Radix.Root open onOpenChange={(next) => next || onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={dialogOverlay} />
        <Radix.Content
          aria-describedby={undefined}
          // The picture, and no button: a button's tooltip would take the first Escape.
          onOpenAutoFocus={(event) => {
            opener.current = document.activeElement
            event.preventDefault()
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (opener.current instanceof HTMLElement) opener.current.focus()
          }}
          onKeyDown={(event) => {
            const by = keys[event.key]
            if (by !== undefined) move(by)
          }}
          className="fixed inset-2 z-50 flex animate-fade-in flex-col overflow-hidden rounded-xl border bg-raised shadow-float outline-none sm:inset-6"
        >
          <header className="flex items-center gap-2 border-b px-3 py-2">
            <Radix.Title className="min-w-0 flex-1 truncate font-medium font-mono text-ink text-xs">
              <bdi>{visibleText(image.path, 300)}</bdi>
            </Radix.Title>
            <span role="status" className="shrink-0 text-muted text-xs tabular-nums">
              {formatNumber(index + 1)} of {formatNumber(images.length)}
            </span>
            <IconButton
              icon={ChevronLeft}
              label="Previous image"
              disabled={index === 0}
              onClick={() => move(-1)}
            />
            <IconButton
              icon={ChevronRight}
              label="Next image"
              disabled={index === images.length - 1}
              onClick={() => move(1)}
            />
            <a
              href={image.href}
              download
              aria-label={`Download ${visibleText(image.path, 60)}`}
              className={buttonStyles({ size: 'sm', variant: 'ghost' })}
            >
              <Download aria-hidden />
            </a>
            <Radix.Close asChild>
              <IconButton icon={X} label="Close" />
            </Radix.Close>
          </header>
          <div className="grid min-h-0 flex-1 place-items-center overflow-auto bg-sunken p-2">
            <Picture
              key={image.id}
              src={image.src}
              path={image.path}
              className="h-auto max-h-full w-auto max-w-full"
            />
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
