import { ExternalLink } from 'lucide-react'
import NextLink from 'next/link'
import type { ComponentProps } from 'react'
import { cn } from './class-names'

interface LinkProps extends Omit<ComponentProps<typeof NextLink>, 'href'> {
  href: string
  /** `quiet` takes the colour of the text around it and is underlined only under the pointer. */
  look?: 'standard' | 'quiet'
}

const looks = {
  standard: 'text-accent-ink underline decoration-accent-line underline-offset-2 hover:decoration-current',
  quiet: 'text-inherit underline-offset-2 hover:text-accent-ink hover:underline',
}

/** A text link. An address on another site opens in a new tab and says so. */
export function Link({ href, look = 'standard', className, children, ...rest }: LinkProps) {
  const elsewhere = /^https?:\/\//.test(href)
  const target = elsewhere ? { target: '_blank', rel: 'noreferrer' } : {}
  return (
    <NextLink href={href} className={cn('rounded-sm', looks[look], className)} {...target} {...rest}>
      {children}
      {elsewhere ? (
        <>
          <ExternalLink aria-hidden className="ml-0.5 inline size-3 align-[-1px]" />
          <span className="sr-only"> (opens in a new tab)</span>
        </>
      ) : null}
    </NextLink>
  )
}
