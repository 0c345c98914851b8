import { CircleAlert, CircleCheck, Info, Lightbulb, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './class-names'
import { type Tone, tones } from './tones'

const icons = {
  neutral: Info,
  accent: Lightbulb,
  info: Info,
  success: CircleCheck,
  warning: TriangleAlert,
  danger: CircleAlert,
} as const satisfies Record<Tone, LucideIcon>

interface CalloutProps {
  tone?: Tone
  title?: ReactNode
  icon?: LucideIcon
  /** A button or a link. */
  action?: ReactNode
  /** Screen readers announce it when it appears. For errors after an action. */
  announce?: boolean
  className?: string | undefined
  children?: ReactNode
}

/** An important message. */
export function Callout({
  tone = 'info',
  title,
  icon,
  action,
  announce = false,
  className,
  children,
}: CalloutProps) {
  const Icon = icon ?? icons[tone]
  return (
    <div
      role={announce ? 'alert' : undefined}
      className={cn('flex items-start gap-2.5 rounded-lg border px-3 py-2.5 text-sm', tones[tone], className)}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1">
        {title ? <p className="font-medium">{title}</p> : null}
        {children ? <div className="break-words text-ink">{children}</div> : null}
      </div>
      {action ? <div className="shrink-0">{action}</div> : null}
    </div>
  )
}
