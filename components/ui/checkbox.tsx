import { Check, Minus } from 'lucide-react'
import { Checkbox as Radix } from 'radix-ui'
import { type ComponentProps, useId } from 'react'
import { cn } from './class-names'
import { ControlLabel, descriptionIdOf, type LabelProps } from './control-label'
import type { FieldBinding } from './field-context'

type CheckboxProps = Omit<ComponentProps<typeof Radix.Root>, 'children'> & LabelProps

/** A checkbox with its label. Both are one click target. */
export function Checkbox({ label, description, className, ...rest }: CheckboxProps) {
  const id = useId()
  return (
    <div className={cn('flex min-h-6 items-start gap-1', className)}>
      <span className="-ml-1 grid size-6 shrink-0 place-items-center">
        <Radix.Root
          id={id}
          aria-describedby={description ? descriptionIdOf(id) : undefined}
          className={cn(
            // The pseudo-element makes the target 24 px, from the inside of the border, without making the box look that large.
            'relative grid size-4 place-items-center rounded-sm border border-edge bg-surface text-on-accent',
            'before:absolute before:-inset-1.25 before:content-[""] hover:border-muted disabled:opacity-50',
            'data-[state=checked]:border-accent data-[state=checked]:bg-accent',
            'data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent',
          )}
          {...rest}
        >
          <Radix.Indicator className="group">
            <Check aria-hidden className="size-3 stroke-3 group-data-[state=indeterminate]:hidden" />
            <Minus aria-hidden className="hidden size-3 stroke-3 group-data-[state=indeterminate]:block" />
          </Radix.Indicator>
        </Radix.Root>
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
      onCheckedChange={(checked) => onChange(checked === true)}
    />
  )
}
