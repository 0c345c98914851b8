import { ExternalLink } from 'lucide-react'
import NextLink from 'next/link'
import type { ComponentProps } from 'react'
import { cn } from './class-names'

interface LinkProps extends Omit<ComponentProps<typeof NextLink>, 'href'> {
  href: string
  /** `quiet` has the colour of the text around it and an underline only on hover. */
  variant?: 'standard' | 'quiet'
}

const styles = {
  standard:
    'base:text-accent-ink underline decoration-accent-line underline-offset-2 hover:decoration-current',
  quiet: 'base:text-inherit underline-offset-2 hover:text-accent-ink hover:underline',
}

/** A text link. External links open in a new tab. */
export function Link({ href, variant = 'standard', className, children, ...rest }: LinkProps) {
  const external = /^https?:\/\//.test(href)
  const target = external ? { target: '_blank', rel: 'noreferrer' } : {}
  return (
    <NextLink href={href} className={cn('rounded-sm', styles[variant], className)} {...target} {...rest}>
      {children}
      {external ? (
        <>
          <ExternalLink aria-hidden className="ml-0.5 inline size-3 align-[-1px]" />
          <span className="sr-only"> (opens in a new tab)</span>
        </>
      ) : null}
    </NextLink>
  )
}
