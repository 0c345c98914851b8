import { Check } from 'lucide-react'
import { type ComponentProps, useId } from 'react'
import { cn } from './class-names'
import { ControlLabel, descriptionIdOf, type LabelProps } from './control-label'
import type { FieldBinding } from './field-context'

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'onChange'>, LabelProps {
  checked: boolean
  onCheckedChange: (checked: boolean) => void
}

/** A checkbox with its label. Both are one click target. */
export function Checkbox({ label, description, className, onCheckedChange, ...rest }: CheckboxProps) {
  const id = useId()
  return (
    <div className={cn('flex min-h-6 items-start gap-1', className)}>
      {/* The input covers the box that it looks like, and is larger: 24 px. */}
      <span className="relative -ml-1 grid size-6 shrink-0 place-items-center">
        <input
          type="checkbox"
          id={id}
          aria-describedby={description ? descriptionIdOf(id) : undefined}
          onChange={(event) => onCheckedChange(event.target.checked)}
          className="peer absolute inset-0 appearance-none rounded-sm"
          {...rest}
        />
        <span
          aria-hidden
          className={cn(
            'pointer-events-none grid size-4 place-items-center rounded-sm border border-edge bg-surface text-on-accent',
            'peer-checked:border-accent peer-checked:bg-accent peer-hover:not-peer-checked:border-muted',
            'peer-disabled:opacity-50 [&>svg]:invisible peer-checked:[&>svg]:visible',
          )}
        >
          <Check className="size-3 stroke-3" />
        </span>
      </span>
      <ControlLabel controlId={id} label={label} description={description} />
    </div>
  )
}

type CheckboxFieldProps = FieldBinding<boolean> & LabelProps

/** A checkbox of a form. */
export function CheckboxField({ label, description, name, value, onChange }: CheckboxFieldProps) {
  return (
    <Checkbox
      label={label}
      description={description}
      name={name}
      checked={value}
      onCheckedChange={onChange}
    />
  )
}
