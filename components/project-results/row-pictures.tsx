import { useState } from 'react'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { type GalleryImage, LargeImage, Picture } from '../artifacts/viewers/image-gallery'

/** Small pictures in a row. A click opens one in full size. */
export function RowPictures({ images }: { images: readonly GalleryImage[] }) {
  const [open, setOpen] = useState<number | null>(null)
  return (
    <span className="flex gap-1">
      {images.map(({ id, path, src }, index) => (
        <button
          key={id}
          type="button"
          title={visibleText(path, 120)}
          aria-label={`Open ${visibleText(path, 120)}`}
          onClick={() => setOpen(index)}
          className="size-12 overflow-hidden rounded-md border bg-sunken"
        >
          <Picture src={src} path={path} className="size-full object-contain text-[0] leading-none" />
        </button>
      ))}
      {open === null ? null : (
        <LargeImage images={images} index={open} onIndex={setOpen} onClose={() => setOpen(null)} />
      )}
    </span>
  )
}
