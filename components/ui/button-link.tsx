import type { VariantProps } from 'class-variance-authority'
import type { LucideIcon } from 'lucide-react'
import NextLink from 'next/link'
import type { ComponentProps } from 'react'
import { buttonStyles } from './button'
import { cn } from './class-names'

interface ButtonLinkProps extends ComponentProps<typeof NextLink>, VariantProps<typeof buttonStyles> {
  icon?: LucideIcon
}

/** A link with the style of a button. For actions, use {@link Button}. */
export function ButtonLink({ variant, size, icon: Icon, className, children, ...rest }: ButtonLinkProps) {
  return (
    <NextLink className={cn(buttonStyles({ variant, size }), className)} {...rest}>
      {Icon ? <Icon aria-hidden /> : null}
      {children}
    </NextLink>
  )
}
