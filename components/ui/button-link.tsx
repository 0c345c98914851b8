import type { VariantProps } from 'class-variance-authority'
import NextLink from 'next/link'
import type { ComponentProps } from 'react'
import { buttonStyles } from './button'
import { cn } from './class-names'

type ButtonLinkProps = ComponentProps<typeof NextLink> & VariantProps<typeof buttonStyles>

/** A link with the style of a button. For actions, use {@link Button}. */
export function ButtonLink({ variant, size, className, ...rest }: ButtonLinkProps) {
  return <NextLink className={cn(buttonStyles({ variant, size }), className)} {...rest} />
}
