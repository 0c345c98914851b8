import { useEffect, useRef } from 'react'
import { cn } from '../../ui/class-names'
import { Kbd } from '../../ui/kbd'
import { describeKey } from '../shortcuts/shortcut-keys'
import { type Command, commandGroups } from './command'

interface CommandListProps {
  /** Prefix of the ids of the list and its options. */
  id: string
  /** Sorted by group. */
  commands: readonly Command[]
  /** The index of the selected command. */
  active: number
  onActive: (index: number) => void
  onRun: (command: Command) => void
}

/** The commands that match, by group. */
export function CommandList({ id, commands, ...options }: CommandListProps) {
  if (commands.length === 0) return null
  return (
    <div id={`${id}-list`} role="listbox" aria-label="Results" className="min-h-0 overflow-y-auto p-2">
      {commandGroups.map((group) => {
        const own = commands.flatMap((command, index) =>
          command.group === group ? [{ command, index }] : [],
        )
        if (own.length === 0) return null
        return (
          <fieldset key={group} aria-label={group} className="min-w-0">
            <p aria-hidden className="px-2 pt-2 pb-1 font-medium text-subtle text-xs">
              {group}
            </p>
            {own.map(({ command, index }) => (
              <Option key={command.id} id={`${id}-${index}`} command={command} index={index} {...options} />
            ))}
          </fieldset>
        )
      })}
    </div>
  )
}

interface OptionProps extends Omit<CommandListProps, 'commands'> {
  command: Command
  index: number
}

function Option({ id, command, index, active, onActive, onRun }: OptionProps) {
  const selected = index === active
  const element = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (selected) element.current?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  const { icon: Icon, label, hint, keys = [] } = command
  return (
    // The text field keeps the focus and names the selected option.
    <button
      ref={element}
      id={id}
      type="button"
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      onClick={() => onRun(command)}
      onMouseMove={() => selected || onActive(index)}
      className={cn(
        'flex min-h-9 w-full select-none items-center gap-2.5 rounded-md px-2 py-1 text-left text-ink text-sm',
        selected && 'bg-hover',
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0 text-subtle" />
      <span className="min-w-0 grow truncate">{label}</span>
      {hint ? <span className="min-w-0 shrink-[4] truncate text-muted text-xs">{hint}</span> : null}
      {keys.flatMap(describeKey).map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </button>
  )
}
