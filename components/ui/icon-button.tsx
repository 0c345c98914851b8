import { cva, type VariantProps } from 'class-variance-authority'
import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from './class-names'
import { Tooltip } from './tooltip'

const iconButtonStyles = cva(
  [
    'inline-grid shrink-0 place-items-center rounded-md border transition-colors duration-100',
    'disabled:cursor-not-allowed disabled:opacity-40',
  ],
  {
    variants: {
      variant: {
        ghost: 'border-transparent text-muted hover:bg-hover hover:text-ink active:bg-pressed',
        secondary: 'border-line-strong bg-surface text-muted shadow-control hover:bg-hover hover:text-ink',
        danger: 'border-transparent text-muted hover:bg-danger-soft hover:text-danger-ink',
        pressed: 'border-accent-line bg-accent-soft text-accent-ink',
      },
      size: {
        sm: 'size-6 pointer-coarse:base:size-7 [&_svg]:size-3.5',
        md: 'size-7 pointer-coarse:base:size-8 [&_svg]:size-4',
        lg: 'size-8 pointer-coarse:base:size-9 [&_svg]:size-4',
      },
    },
    defaultVariants: { variant: 'ghost', size: 'md' },
  },
)

interface IconButtonProps
  extends Omit<ComponentProps<'button'>, 'aria-label' | 'children'>,
    VariantProps<typeof iconButtonStyles> {
  icon: LucideIcon
  /** The accessible name and the tooltip. */
  label: string
  /** A key with the same effect, shown in the tooltip. */
  shortcut?: string
  /** For a toggle button. */
  pressed?: boolean
}

/** A button with only an icon. */
export function IconButton({
  icon: Icon,
  label,
  shortcut,
  pressed,
  variant,
  size,
  className,
  type = 'button',
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip content={shortcut ? `${label} (${shortcut})` : label}>
      <button
        type={type}
        aria-label={label}
        aria-pressed={pressed}
        aria-keyshortcuts={shortcut}
        className={cn(iconButtonStyles({ variant: pressed ? 'pressed' : variant, size }), className)}
        {...rest}
      >
        <Icon aria-hidden />
      </button>
    </Tooltip>
  )
}
