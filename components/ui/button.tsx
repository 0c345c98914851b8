import { cva, type VariantProps } from 'class-variance-authority'
import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, MouseEvent } from 'react'
import { cn } from './class-names'
import { Spinner } from './spinner'

export const buttonStyles = cva(
  [
    'base:relative base:inline-flex shrink-0 select-none items-center base:justify-center gap-1.5 base:rounded-md border font-medium',
    'whitespace-nowrap transition-colors duration-100 [&_svg]:shrink-0',
    'disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50',
  ],
  {
    variants: {
      variant: {
        primary: 'border-transparent bg-accent text-on-accent base:shadow-control hover:bg-accent-hover',
        secondary:
          'border-line-strong bg-surface base:text-ink base:shadow-control hover:bg-hover active:bg-pressed',
        ghost: 'border-transparent text-muted hover:bg-hover hover:text-ink active:bg-pressed',
        danger: 'border-transparent bg-danger text-on-danger base:shadow-control hover:bg-danger-hover',
        'danger-quiet':
          'border-line-strong bg-surface text-danger-ink base:shadow-control hover:bg-danger-soft',
      },
      size: {
        sm: 'h-7 pointer-coarse:base:min-h-8 px-2 text-xs [&_svg]:size-3.5',
        md: 'h-8 pointer-coarse:base:min-h-9 px-3 text-sm [&_svg]:size-4',
        lg: 'h-10 px-4 text-base [&_svg]:size-4',
      },
    },
    // A finger needs more than a mouse.
    compoundVariants: [{ variant: 'primary', class: 'pointer-coarse:min-h-11' }],
    defaultVariants: { variant: 'secondary', size: 'md' },
  },
)

interface ButtonProps extends ComponentProps<'button'>, VariantProps<typeof buttonStyles> {
  /** While the action runs, the button keeps its size and focus, shows a spinner and ignores clicks. */
  loading?: boolean
  icon?: LucideIcon
  /** What the action affects, for screen readers: the name of a node beside "Resume". */
  target?: string
}

/** Its type is `button` by default, so that a button inside a form does not submit it by accident. */
export function Button({
  variant,
  size,
  loading = false,
  icon: Icon,
  target,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  // Not `disabled`: a button that becomes disabled loses the keyboard focus.
  const handleClick = (event: MouseEvent<HTMLButtonElement>) => {
    if (loading) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      type={type}
      className={cn(buttonStyles({ variant, size }), className)}
      aria-busy={loading || undefined}
      aria-disabled={loading || undefined}
      onClick={handleClick}
      {...rest}
    >
      {loading ? (
        <span className="absolute inset-0 grid place-items-center">
          <Spinner label="Working" />
        </span>
      ) : null}
      <span className={cn('inline-flex items-center gap-1.5', loading && 'opacity-0')}>
        {Icon ? <Icon aria-hidden /> : null}
        {children}
        {target ? <span className="sr-only"> {target}</span> : null}
      </span>
    </button>
  )
}
