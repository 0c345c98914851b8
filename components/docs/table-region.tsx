import type { ComponentProps } from 'react'
import { ScrollRegion } from '../ui/scroll-region'

/** Shadows at the sides to which a table goes on: phones show no scrollbar. At its ends, covers that scroll with it hide them. */
const shadows = {
  background: [
    'linear-gradient(to right, var(--canvas) 40%, transparent) left / 2.5rem 100%',
    'linear-gradient(to left, var(--canvas) 40%, transparent) right / 2.5rem 100%',
    'linear-gradient(to right, var(--edge), transparent) left / 0.5rem 100%',
    'linear-gradient(to left, var(--edge), transparent) right / 0.5rem 100%',
  ].join(', '),
  backgroundRepeat: 'no-repeat',
  backgroundAttachment: 'local, local, scroll, scroll',
}

/** A table that scrolls inside the page, so that a narrow window cuts nothing off. */
export function TableRegion({ children, ...rest }: ComponentProps<typeof ScrollRegion>) {
  return (
    <ScrollRegion {...rest} className="overflow-x-auto rounded-lg border" style={shadows}>
      <table className="w-full min-w-lg border-collapse text-left text-sm">{children}</table>
    </ScrollRegion>
  )
}
