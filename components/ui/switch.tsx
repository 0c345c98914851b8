import { type ComponentProps, useId } from 'react'
import { cn } from './class-names'
import { ControlLabel, descriptionIdOf, type LabelProps } from './control-label'

interface SwitchProps extends Omit<ComponentProps<'button'>, 'children'>, LabelProps {
  checked: boolean
  onCheckedChange: (checked: boolean) => void
}

/** Turns a setting on or off at once. In forms, use a checkbox. */
export function Switch(props: SwitchProps) {
  const { label, description, className, checked, onCheckedChange, ...rest } = props
  const id = useId()
  const state = checked ? 'checked' : 'unchecked'
  return (
    <div className={cn('flex min-h-6 items-start gap-2', className)}>
      <button
        type="button"
        role="switch"
        id={id}
        aria-checked={checked}
        data-state={state}
        onClick={() => onCheckedChange(!checked)}
        aria-describedby={description ? descriptionIdOf(id) : undefined}
        className={cn(
          'relative mt-0.5 inline-flex h-5 w-9 shrink-0 items-center rounded-full border border-edge bg-pressed p-0.5',
          'transition-colors before:absolute before:-inset-0.5 before:content-[""] disabled:opacity-50',
          'data-[state=checked]:border-accent data-[state=checked]:bg-accent',
        )}
        {...rest}
      >
        <span
          data-state={state}
          className={cn(
            'block size-3.5 rounded-full bg-edge shadow-control transition-transform',
            'data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-accent',
          )}
        />
      </button>
      <ControlLabel controlId={id} label={label} description={description} />
    </div>
  )
}
